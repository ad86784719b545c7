"""``textkin convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_text
from textkin.cli.shared_options import AsJson

EXAMPLES = """
textkin convert squad-t train-v1.1.json squad-t-train.tsv
textkin convert squad-t src-dev.txt squad-t-dev.tsv --neighbours 9
"""


def command(
    kind: Annotated[
        Literal["squad-t"],
        Option("squad-t: sentences of a paragraph as candidates.", metavar="KIND"),
    ],
    source: Annotated[
        Path,
        Option("SQuAD's JSON, or src-NAME.txt beside its questions, tgt-NAME.txt.", metavar="IN"),
    ],
    out: Annotated[Path, Option("File to write, in WikiQA's format.", metavar="OUT.tsv")],
    /,
    *,
    format: Annotated[
        Literal["auto", "json", "nqg"],
        Option("Format of the source: SQuAD's JSON or lines of sentences; auto recognises it."),
    ] = "auto",
    neighbours: Annotated[
        int | None,
        Option(
            "For nqg: wrong candidates per question, from neighbouring lines. Default: 5.",
            metavar="K",
            low=1,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Turn questions with answer spans into candidates to rank.

    A sentence is correct if it contains the whole answer. Questions without a correct sentence are dropped,
    and counted by reason.
    """
    from textkin.verbs.data.convert import convert_squad_t

    done = convert_squad_t(source, out, format=format, neighbours=neighbours)
    if as_json:
        emit_json(done)
        return
    emit_text(f"{done.source}: {done.questions:,} questions")
    for reason, count in done.dropped.items():
        emit_text(f"left out {count:,}: {reason}")
    emit_text(
        f"written to {shown_output(done.out)}: {done.written:,} questions with {done.sentences:,} sentences, "
        f"{done.right:,} of them right"
    )
