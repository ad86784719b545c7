"""``textkin mine``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.base.text_equality import Equal
from textkin.cli.output import emit_json, emit_text, note_read, note_truncation
from textkin.cli.shared_options import (
    AsJson,
    DecisionFile,
    Download,
    Embeddings,
    EncoderName,
    EqualTexts,
    LongOptions,
    RayOptions,
    TextLayout,
    TextsFile,
    UnknownTokens,
    fetch,
)

if TYPE_CHECKING:
    from textkin.measures.intervals.bootstrap import Interval
    from textkin.verbs.mine.mine_file import MinedFile

EXAMPLES = """
textkin mine questions.txt --threshold 0.85 --out pairs.tsv
textkin mine tickets.csv --text subject --model runs/mine/model --precision 0.95 --out pairs.tsv
textkin mine new.txt --against known.txt --per-text 3 --out pairs.tsv
textkin mine articles.jsonl --embeddings articles.npy --top 100000 --ids-only --out pairs.tsv
"""

VectorsIn = Annotated[
    Literal["auto", "fp32", "bf16"],
    Option(
        "What a transformer computes in; auto measures whether bf16 pays here, and says so.", flag="--dtype"
    ),
]


def command(
    texts: TextsFile,
    /,
    *,
    out: Annotated[
        Path,
        Option(
            "File to write: .tsv, .csv, .jsonl or .parquet. Where TEXTS is a folder of files part-*, a "
            "name without ending is a folder of such files.",
            metavar="FILE",
        ),
    ],
    model: EncoderName = None,
    embeddings: Embeddings = None,
    threshold: Annotated[float | None, Option("All pairs with at least this cosine.", metavar="T")] = None,
    precision: Annotated[
        float | None,
        Option(
            "All pairs above the threshold that textkin calibrate fitted for this precision or more.",
            metavar="P",
        ),
    ] = None,
    decision: DecisionFile = None,
    top: Annotated[int | None, Option("The N best pairs.", metavar="N")] = None,
    per_text: Annotated[int | None, Option("Each text with the K most similar others.", metavar="K")] = None,
    recall: Annotated[
        float | None,
        Option(
            "With a threshold: be content with about this share of the pairs, for a million texts and "
            "more. The recall is measured and told. Left out, all pairs are found.",
            flag="--search-recall",
            metavar="R",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        Option("Pair TEXTS with these texts, not with each other.", metavar="OTHER"),
    ] = None,
    against_embeddings: Annotated[Path | None, Option("Vectors of OTHER.", metavar="W.npy")] = None,
    ids_only: Annotated[bool, Option("Leave the two texts out of FILE, which long ones make large.")] = False,
    equal: EqualTexts = Equal.EXACT,
    long: LongOptions,
    layout: TextLayout,
    vectors_in: VectorsIn = "auto",
    unknown: UnknownTokens = "withhold",
    download: Download = False,
    ray: RayOptions,
    as_json: AsJson = False,
) -> None:
    """Mine pairs of texts that say nearly the same.

    Each pair is listed once, best first: score, id_a, id_b, text_a, text_b.
    Of the options threshold, precision, top and per-text give one; without
    any, the model's own threshold decides, or else the 1,000 best pairs are
    listed. A text that comes several times is listed under its first id; its
    other ids are paired with that one, first in the file. A call that was
    stopped goes on where it was.
    """
    from textkin.vectors.pair_limits import PairLimits
    from textkin.vectors.unknown_token_report import UnknownTexts
    from textkin.verbs.mine.mine_file import mine_file
    from textkin.verbs.mine.mining_account import VectorsFrom

    fetch(model, download=download)
    wanted = PairLimits(
        threshold=threshold,
        precision=precision,
        top=top,
        per_text=per_text,
        decision=decision,
        recall=recall,
        long=long.chosen(),
        equal=equal,
    )
    found = mine_file(
        texts,
        out,
        wanted=wanted,
        vectors=VectorsFrom(
            model=model,
            embeddings=embeddings,
            against_embeddings=against_embeddings,
            precision=vectors_in,
            unknown=UnknownTexts(unknown),
        ),
        against=against,
        ids_only=ids_only,
        reading=layout.reading(),
        **ray.workplace(),
    )
    for report in found.read:
        note_read(report)
    advice = "--windows compares them whole" if wanted.long is None else "only what was read of them counts"
    note_truncation(found.about.truncation, advice)
    emit_json({"out": found.out, **asdict(found.about)}) if as_json else _show(found)


def _show(found: MinedFile) -> None:
    from textkin.report.figure_words import count

    about = found.about
    texts = f"{about.texts:,} texts, {about.different:,} different"
    paired = "" if about.against is None else f", paired with {about.against:,} others"
    emit_text(f"{texts}{paired}; vectors: {about.vectors}")
    emit_text(f"{about.pairs:,} pairs that score at least {about.threshold:.6g}: {about.chosen}")
    if about.withheld:
        emit_text(f"{about.withheld:,} further pairs are withheld, as texts of them were cut")
    if about.equal:
        left_out = f"; {about.left_out:,} more such pairs were left out" if about.left_out else ""
        emit_text(f"{about.equal:,} of them are of equal texts{left_out}")
    if about.reordered:
        emit_text(
            f"{about.reordered:,} more score 1 with the same words in another order, which the vectors don't "
            "see; textkin dedupe keeps such texts apart"
        )
    if about.withheld_texts:
        texts = count(about.withheld_texts, "text")
        emit_text(f"{texts} withheld, too much of them unknown: --unknown accept takes them")
    measured = "all found" if about.recall is None else _measured(about.recall)
    emit_text(f"{about.compared:,} pairs of different texts looked at, {measured}: {about.method}")
    emit_text(f"{about.seconds_vectors:.1f} s for the vectors, {about.seconds_pairs:.1f} s for the pairs")
    emit_text(f"written to {shown_output(found.out)}")


def _measured(recall: Interval) -> str:
    share = f"{recall.value:.3f} ({recall.low:.3f} to {recall.high:.3f})"
    return f"recall {share}, measured on {recall.n:,} texts that have pairs"
