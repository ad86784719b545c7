"""``textkin cluster``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.paths import shown_output
from textkin.cli.collection_options import WhereOption, place_in_words
from textkin.cli.output import emit_json, emit_table, emit_text, note_truncation
from textkin.cli.shared_options import (
    AsJson,
    DecisionFile,
    Download,
    Embeddings,
    EncoderName,
    Seed,
    TextLayout,
    UnknownTokens,
    fetch,
)

if TYPE_CHECKING:
    from textkin.verbs.cluster.cluster import Clusters

EXAMPLES = """
textkin cluster questions.txt --threshold 0.8 --out groups.tsv
textkin cluster tickets.csv --text subject --gold topic --threshold 0.8 --method communities
textkin cluster tickets.kin --where 'year >= 2025' --threshold 0.8 --out groups.tsv
"""

_SHOWN = 10
_LONGEST = 80


def command(
    data: Annotated[
        Any,  # a Place: Typer takes no unions
        Option(
            "Plain text with one text a line, a table (CSV, TSV, JSONL), or the folder or address of a "
            "collection.",
            metavar="TEXTS|COLLECTION",
            parse=place_in_words,
        ),
    ],
    /,
    *,
    model: EncoderName = None,
    embeddings: Embeddings = None,
    method: Annotated[
        Literal["average", "communities"],
        Option(
            "What makes a group: average merges while the mean cosine of all pairs reaches the "
            "threshold; communities are dense parts of the graph of similar pairs."
        ),
    ] = "average",
    threshold: Annotated[
        float | None,
        Option("The cosine. Left out: the model's own threshold.", metavar="T"),
    ] = None,
    decision: DecisionFile = None,
    resolution: Annotated[
        float | None,
        Option("Of communities: the higher, the denser and smaller they are.  [default: 0.5]", metavar="R"),
    ] = None,
    min_size: Annotated[int, Option("Texts of smaller groups are listed as single.", metavar="N")] = 2,
    where: WhereOption = None,
    gold: Annotated[
        str | None,
        Option(
            "Known groups, a column of TEXTS or a field of the metadata: the agreement with them.",
            metavar="COLUMN|FIELD",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Option("File to write, .tsv, .csv, .jsonl or .parquet: one row a text.", metavar="FILE"),
    ] = None,
    layout: TextLayout,
    seed: Seed = 0,
    unknown: UnknownTokens = "withhold",
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Put texts into groups that say nearly the same, and name them.

    Each group is called by its central text, the one most similar to all of
    it. FILE has a row for each text: id, group, is_central, similarity to the
    central text, text. Of a collection the stored vectors are taken. The same
    texts give the same groups in any order.
    """
    from textkin.base.errors import UsageError
    from textkin.vectors.groups.communities import DENSITY
    from textkin.verbs.cluster.cluster import ClusterOptions
    from textkin.verbs.cluster.cluster_file import cluster_path

    if resolution is not None and method != "communities":
        raise UsageError(f"--resolution with --method {method}", fix="it is of --method communities")
    fetch(model, download=download)
    options = ClusterOptions(
        method=method,
        threshold=threshold,
        decision=decision,
        min_size=min_size,
        where=where,
        seed=seed,
        unknown=unknown,
        resolution=DENSITY if resolution is None else resolution,
    )
    found = cluster_path(
        data,
        model=model,
        embeddings=embeddings,
        options=options,
        gold=gold,
        out=out,
        reading=None if layout == TextLayout() else layout.reading(),
    )
    note_truncation(found.truncation, "only what was read of them counts")
    emit_json(_object(found, out)) if as_json else _print(found, out)


def _object(found: Clusters, out: Path | None) -> dict[str, object]:
    return {
        "out": out,
        "texts": len(found.texts),
        "singles": found.singles,
        "method": found.options.method,
        "threshold": found.threshold,
        "chosen": found.chosen,
        "vectors": found.vectors,
        "pairs": found.pairs,
        "groups": found.groups,
        "gold": found.gold,
        "seconds": found.seconds,
    }


def _print(found: Clusters, out: Path | None) -> None:
    from textkin.report.figure_words import count

    texts = f"{count(len(found.texts), 'text')}; vectors: {found.vectors}"
    emit_text(f"{texts}; {count(found.pairs, 'similar pair')} of different ones")
    emit_text(f"threshold {found.threshold:.6g}: {found.chosen}")
    grouped = len(found.texts) - found.singles
    emit_text(
        f"{count(len(found.groups), 'group')} of {count(grouped, 'text')} by {found.options.method}, "
        f"{count(found.singles)} single"
    )
    if found.groups:
        rows = [
            (str(one.number), count(one.size), _shortened(one.central_text), ", ".join(one.words))
            for one in found.groups[:_SHOWN]
        ]
        emit_table(("group", "texts", "central text", "words"), rows)
    if (more := len(found.groups) - _SHOWN) > 0:
        emit_text(f"... and {count(more, 'more group')}")
    if found.gold is not None:
        gold = found.gold
        unknown = f", {count(gold.unknown)} without one" if gold.unknown else ""
        title = f"Against {count(gold.known, 'known group')} of {count(gold.texts, 'text')}{unknown}"
        emit_table(("", *gold.systems), list(gold.table()), title=title)
    emit_text(f"{found.seconds:.1f} s" + ("" if out is None else f"; written to {shown_output(out)}"))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 2] + " …"
