"""Base of the results of studies and contests: their report."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator
from pathlib import Path

from textkin.base.results import Result, ResultRow, Table
from textkin.report.content import StudyReport
from textkin.report.figure_words import sentence
from textkin.report.tables import system_rows, terminal_rows


class ReportedResult(Result, ABC):
    """A result that is printed as its report's table and verdict.

    Attributes:
        report: the measured figures.
        page: the report as HTML.
    """

    __slots__ = ()

    report: StudyReport
    page: Path

    def _rows(self) -> Iterator[ResultRow]:
        """One row a system, as in the report."""
        if self.report.systems is not None:
            yield from system_rows(self.report.systems, self.report.measure)

    def _table(self) -> Table:
        return terminal_rows(self.report)

    def _said(self) -> tuple[str, ...]:
        verdict = self.report.verdict
        said = () if verdict is None else (sentence(verdict),)
        return (*said, f"report: {self.page}")
