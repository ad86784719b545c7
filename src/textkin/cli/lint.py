"""``textkin lint``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from textkin.base.options import Option
from textkin.base.text_equality import Equal
from textkin.cli.output import emit_json, emit_table, emit_text
from textkin.cli.shared_options import AsJson, Download, EqualTexts, FileLayout, fetch

if TYPE_CHECKING:
    from textkin.data.splits.findings import LintReport

EXAMPLES = """
textkin lint pairs.csv
textkin lint texts.txt --model default
textkin lint exam.tsv corpus.tsv
textkin lint train.tsv test.tsv --columns a=question1,b=question2,label=is_duplicate
"""


def command(
    files: Annotated[
        list[Path],
        Option(
            "Files of pairs, triplets, questions with candidates or choices, or SQuAD; BEIR folders.",
            metavar="FILE...",
        ),
    ],
    /,
    *,
    model: Annotated[
        str | None,
        Option(
            "Find the texts that this model would cut or doesn't know enough of, too; FILE may then "
            "hold single texts.",
            metavar="MODEL",
        ),
    ] = None,
    layout: FileLayout,
    equal: EqualTexts = Equal.LETTERS,
    download: Download = False,
    as_json: AsJson = False,
) -> None:
    """Say what is odd in files of pairs, and what they share.

    Finds repeated, mirrored and contradictory pairs, equal texts under different ids, outliers, and texts
    that leak from one file into another; of questions with choices those that can't be used, and repeated
    choices. Leaves with exit code 1 if something must be repaired.
    """
    from textkin.verbs.data.lint import lint_files

    fetch(model, download=download)
    report = lint_files(files, reading=layout.reading(), model=model, equal=equal)
    if as_json:
        emit_json(report)
    else:
        _print(report)
    if report.has_errors:
        raise SystemExit(1)


def _print(report: LintReport) -> None:
    if report.pairs:
        emit_table(("file", "rows"), [(file, f"{pairs:,}") for file, pairs in report.pairs])
    if not report.findings:
        emit_text("\nNothing odd was found.")
        return
    emit_text()
    emit_table(
        ("", "finding", "cases", "where"),
        [(one.severity, one.kind, f"{one.count:,}", ", ".join(one.files)) for one in report.findings],
    )
    for finding in report.findings:
        emit_text(f"\n{finding.severity}: {finding.message}")
        for example in finding.examples:
            emit_text(f"  {', '.join(map(str, example.places))}: {example.text}")
