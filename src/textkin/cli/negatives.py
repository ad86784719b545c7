"""``textkin negatives``."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.output import emit_json, emit_table, emit_text, note_accounts
from textkin.cli.shared_options import (
    AnalyserName,
    AsJson,
    Download,
    FileLayout,
    RayOptions,
    Seed,
    Vectors,
    fetch,
)
from textkin.cli.system_tables import Split

if TYPE_CHECKING:
    from textkin.verbs.negatives.negatives import Negatives

EXAMPLES = """
textkin negatives train.tsv --out triplets.tsv
textkin negatives train.tsv --out triplets.jsonl --model runs/mine/model --model bm25 --relative-margin 0.05
textkin negatives WikiQA-train.tsv --out triplets.tsv --ranks 1-20 --known first
textkin negatives train.tsv --out triplets.tsv --filter runs/cross/model --filter-margin 0.2 --wide
"""


def command(
    pairs: Annotated[
        Path,
        Option(
            "Pairs, candidates, a folder of these in files part-*, or a BEIR folder; pairs without "
            "labels are all positive.",
            metavar="PAIRS",
        ),
    ],
    /,
    *,
    out: Annotated[
        Path,
        Option(
            "File to write: .tsv, .csv, .jsonl or .parquet. Where PAIRS is a folder of files part-*, a "
            "name without ending is a folder of such files.",
            metavar="FILE",
        ),
    ],
    corpus: Annotated[
        Path | None,
        Option(
            "File of texts that negatives come from; all second texts of PAIRS if left out.", metavar="TEXTS"
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        Option(
            "What ranks the texts: an encoder's folder or name, bm25, tfidf, tfidf-char, "
            "lucene-classic, minhash or mean-vectors. May be repeated; bm25 if left out.",
            metavar="MODEL",
        ),
    ] = None,
    analyser: AnalyserName = "plain",
    vectors: Vectors = None,
    download: Download = False,
    ranks: Annotated[str, Option("Take negatives from these ranks, from 1.", metavar="FIRST-LAST")] = "10-50",
    each: Annotated[int, Option("Negatives for an anchor.", metavar="N")] = 5,
    margin: Annotated[
        float | None,
        Option("They score at least X less than the least similar positive.", metavar="X"),
    ] = None,
    relative_margin: Annotated[
        float | None,
        Option("The same as a share of its score, 0.05.", metavar="SHARE"),
    ] = None,
    max_score: Annotated[float | None, Option("They score no more than X.", metavar="X")] = None,
    filter: Annotated[
        str | None,
        Option("Ask this model, too, such as a cross-encoder.", metavar="MODEL"),
    ] = None,
    filter_max: Annotated[
        float | None,
        Option("Negatives score no more than X by the filter model.", metavar="X"),
    ] = None,
    filter_margin: Annotated[
        float | None,
        Option("By it they score at least X less than positives.", metavar="X"),
    ] = None,
    pick: Annotated[
        Literal["top", "random"],
        Option("The first-ranked ones that pass, or any of them."),
    ] = "top",
    known: Annotated[
        Literal["ranked", "first", "out"],
        Option(
            "Texts that PAIRS says are not the same as the anchor: ranked like all others, taken first "
            "whatever their scores, or left out."
        ),
    ] = "ranked",
    wide: Annotated[
        bool,
        Option("One row a pair, with all its negatives: negative_1, negative_2, ..."),
    ] = False,
    split: Split = None,
    seed: Seed = 0,
    layout: FileLayout,
    ray: RayOptions,
    as_json: AsJson = False,
) -> None:
    """Mine hard negatives for the anchors of positive pairs.

    Anchors are first texts. A text that is linked to the anchor through positive pairs, directly or through
    others, has no rank and is never taken. With several models a negative comes from the
    window of one and is refused by none.
    """
    from textkin.verbs.negatives.negatives import negatives
    from textkin.verbs.negatives.options import NegativeOptions

    options = NegativeOptions(
        ranks=_ranks(ranks),
        each=each,
        margin=margin,
        relative_margin=relative_margin,
        max_score=max_score,
        filter_max=filter_max,
        filter_margin=filter_margin,
        pick=pick,
        known=known,
        wide=wide,
        seed=seed,
        analyser=analyser,
    )
    fetch(*(model or ()), *([filter] if filter else ()), download=download)
    done = negatives(
        pairs,
        out=out,
        models=model or ["bm25"],
        corpus=corpus,
        vectors=vectors,
        filter=filter,
        options=options,
        reading=layout.reading(split=split),
        **ray.workplace(),
    )
    note_accounts(done.truncations, done.coverages)
    emit_json(_object(done)) if as_json else _show(done, each)


def _ranks(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not (dash and first.isdecimal() and last.isdecimal()):
        raise UsageError(f"ranks {text!r}, expected FIRST-LAST", fix="write for example: --ranks 10-50")
    return int(first), int(last)


def _show(done: Negatives, each: int) -> None:
    emit_table(("filter", "dropped"), [(reason, f"{count:,}") for reason, count in done.dropped.items()])
    emit_text()
    emit_text(
        f"{done.anchors:,} anchors with {done.positives:,} positives, and {done.corpus:,} texts ranked by "
        f"{', '.join(done.sources)}"
    )
    for reason, count in done.left_out.items():
        emit_text(f"left out {count:,} positive pairs: {reason}")
    emit_text(
        f"{done.candidates:,} candidates: {sum(done.dropped.values()):,} dropped, "
        f"{done.negatives:,} negatives, {done.spare:,} not needed"
    )
    if done.short:
        emit_text(f"{done.short:,} anchors have fewer than {each} negatives, {done.without:,} of them none")
    emit_text(f"written to {shown_output(done.out)}: {done.written:,} rows")


def _object(done: Negatives) -> dict[str, Any]:
    """What JSON says; the rows of the file are called so."""
    names = {field.name: "rows" if field.name == "written" else field.name for field in fields(done)}
    return {name: getattr(done, key) for key, name in names.items()}
