"""Lint files of pairs: what is odd within each, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textkin.errors import UsageError
from textkin.readers import load_pairs
from textkin.readers.report import ReadReport
from textkin.splits.findings import Example, Finding, Kind, LintReport, Place, Severity
from textkin.splits.lint import lint
from textkin.tasks.split import table_of


def lint_files(paths: Sequence[Path | str], **reading: Any) -> LintReport:
    """Lint one file or several together; findings name files and lines.

    Args:
        paths: files of pairs.
        **reading: ``columns``, ``format``, ``quoting``, ``labels`` for ``readers.load_pairs``.

    Raises:
        UsageError: no file, or one given twice.
        DataError: a file can't be read.
    """
    places = [Path(path) for path in paths]
    if len({place.resolve() for place in places}) < len(places):
        raise UsageError("a file is given twice, it would share everything with itself", fix="give it once")
    loaded = [load_pairs(place, **reading) for place in places]
    report = lint(
        [replace(item.data, name=str(place)) for item, place in zip(loaded, places, strict=True)],
        lines=[
            {row.row: row.line for row in table_of(place, item.format, reading).rows()}
            for item, place in zip(loaded, places, strict=True)
        ],
    )
    skipped = [_skipped(item.report) for item in loaded if item.report.skipped]
    return replace(report, findings=(*skipped, *report.findings))


def _skipped(read: ReadReport) -> Finding:
    """Rows that no other check sees, since the reader left them out."""
    return Finding(
        Kind.SKIPPED_ROW,
        Severity.WARNING,
        (read.path,),
        sum(read.skipped.values()),
        f"{read.sentence()}. Repair these rows, or go on without them.",
        tuple(Example((Place(read.path, -1, skip.line),), skip.reason) for skip in read.examples),
    )
