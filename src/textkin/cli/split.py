"""``textkin split``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option
from textkin.base.text_equality import Equal
from textkin.cli.output import emit_json, emit_table, emit_text
from textkin.cli.shared_options import AsJson, EqualTexts, FileLayout, Seed

if TYPE_CHECKING:
    from textkin.data.splits.partition import Shares
    from textkin.verbs.data.split import SplitReport

EXAMPLES = """
textkin split pairs.csv --out split
textkin split pairs.csv --out split --shares 0.8,0.1,0.1 --near 0.9
textkin split train-v1.1.json --out by-article --scheme articles --dev-articles 40 --test-articles 40
textkin split train-v2.0.json --out by-article-2 --scheme articles --like by-article
textkin split quora_duplicate_questions.tsv --out quora-ir --scheme quora-ir
"""


def command(
    pairs: Annotated[Path, Option("File of text pairs; for articles, SQuAD's JSON.", metavar="PAIRS")],
    /,
    *,
    out: Annotated[Path, Option("Folder for the files.", metavar="DIR")],
    seed: Seed = 42,
    scheme: Annotated[
        Literal["components", "quora-ir", "articles"],
        Option(
            "components, the rules of the sentence-transformers split of Quora's pairs, or for SQuAD "
            "whole articles."
        ),
    ] = "components",
    dev: Annotated[
        int | None,
        Option("How many articles go to dev.", flag="--dev-articles", metavar="N", low=0),
    ] = None,
    test: Annotated[
        int | None,
        Option("How many articles go to test.", flag="--test-articles", metavar="N", low=0),
    ] = None,
    like: Annotated[
        Path | None,
        Option("For articles: put each on the side that it has in this split.", metavar="DIR"),
    ] = None,
    shares: Annotated[
        str | None,
        Option("Shares of the pairs; 0.7,0.15,0.15 if left out.", metavar="TRAIN,DEV,TEST"),
    ] = None,
    near: Annotated[
        float | None,
        Option("Also keep texts together that are this similar, such as 0.9.", metavar="SIMILARITY"),
    ] = None,
    equal: EqualTexts = Equal.LETTERS,
    rule: Annotated[
        Literal["auto", "whole", "cut"],
        Option(
            "whole keeps every pair; cut takes huge components apart at pairs that are known to differ; "
            "auto cuts only where it must.",
            flag="--components",
        ),
    ] = "auto",
    layout: FileLayout,
    as_json: AsJson = False,
) -> None:
    """Split pairs into train, dev and test files that share no text.

    Texts that are linked by pairs, directly or through others, or that differ in case and punctuation only,
    stay on one side. Writes train.tsv, dev.tsv and test.tsv with the input's columns, or train.parquet and so
    on of such a file, and split.json, which says what was done and proves that the sides share nothing.
    SQuAD's JSON is split by whole articles, with --scheme articles.
    """
    if scheme == "articles":
        if (
            shares is not None
            or near is not None
            or equal is not Equal.LETTERS
            or rule != "auto"
            or layout.columns is not None
        ):
            raise UsageError(
                "--shares, --near, --equal, --components and --columns don't go with the scheme articles",
                fix="leave them out",
            )
        _split_articles(pairs, out, seed=seed, dev=dev, test=test, like=like, as_json=as_json)
        return
    if (dev, test, like) != (None, None, None):
        raise UsageError("--dev, --test and --like are for articles", fix="add --scheme articles")
    from textkin.data.splits.partition import KeptTogether
    from textkin.verbs.data.split import split_file

    asked = near is not None or equal is not Equal.LETTERS

    report = split_file(
        pairs,
        out,
        seed=seed,
        scheme=scheme,
        shares=None if shares is None else _shares(shares),
        rule=rule,
        together=KeptTogether(equal=equal, similarity=near) if asked else None,
        reading=layout.reading(),
    )
    if as_json:
        emit_json(report)
    else:
        _print(report, out)


def _split_articles(
    path: Path,
    out: Path,
    *,
    seed: int,
    dev: int | None,
    test: int | None,
    like: Path | None,
    as_json: bool,
) -> None:
    from textkin.verbs.data.split_articles import split_articles

    report = split_articles(path, out=out, dev=dev, test=test, seed=seed, like=like)
    if as_json:
        emit_json(report)
        return
    emit_text(str(report))
    emit_text(f"written to {out}: {', '.join([*report.files, 'split.json'])}")


def _shares(text: str) -> Shares:
    from textkin.data.splits.partition import Shares

    try:
        train, dev, test = map(float, text.split(","))
    except ValueError:
        raise UsageError(
            f"--shares is {text!r}, expected three numbers", fix="write for example: --shares 0.7,0.15,0.15"
        ) from None
    return Shares(train, dev, test)


def _print(report: SplitReport, out: Path) -> None:
    given = report.input
    emit_text(f"{given.path}: {given.rows:,} rows, {given.format}")
    for reason, count in given.skipped.items():
        emit_text(f"skipped {count:,}: {reason}")
    emit_text()
    rows = []
    for name, side in report.sides.items():
        labels = ", ".join(f"{label}: {share:.3f}" for label, share in side.labels.items())
        components = "-" if side.components is None else f"{side.components:,}"
        rows.append((name, f"{side.pairs:,}", f"{side.share:.1%}", labels or "-", components))
    emit_table(("side", "pairs", "share", "label shares", "components"), rows)
    emit_text()
    for reason, count in report.dropped.items():
        emit_text(f"left out {count:,}: {reason}")
    shared = report.shared
    emit_text(f"shared between sides: {shared.texts:,} texts, {shared.keys:,} but for case and punctuation")
    emit_text(f"written to {out}: {', '.join([*report.files, 'split.json'])}")
