"""The result of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textkin.base.results import Result, ResultRow, Table
from textkin.report.content import StudyReport, Systems
from textkin.report.figure_words import sentence
from textkin.report.notebook_plots import Plot, figure_plot
from textkin.report.study_page import figures
from textkin.report.systems_table import interval_bars
from textkin.report.table_file import HasTable, TitledSystems
from textkin.report.tables import system_rows, terminal_rows
from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.experiments.study_lines import study_lines


@dataclass(frozen=True, slots=True, repr=False)
class StudyResult(Result, HasTable):
    """The folder of a study and its report.

    Attributes:
        folder: the run directory.
        report: everything that was found.
        page: the HTML report.
        model: the directory of the model to use; None of a study of given sides.
        failures: models that could not be trained or measured, and why.
        truncations: number of truncated texts of what was measured, by trained model.
        coverages: the fraction of these texts that it knows.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> pairs = samples.pairs("support-desk")
        >>> found = tk.study(pairs, out="study", models="static", seeds=1, resamples=100, rounds=100)
        >>> tk.load_encoder(found.model).name
        'static'
    """

    folder: Path
    report: StudyReport
    page: Path
    model: Path | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    truncations: tuple[Truncation, ...] = ()
    coverages: tuple[Coverage, ...] = ()

    def plot(self) -> Plot:
        """The report's figures, for notebooks and files."""
        return figure_plot(self.report.title, *figures(self.report))

    def _drawings(self) -> Sequence[str]:
        systems = self.report.systems
        return () if systems is None else interval_bars(systems, self.report.measure)

    def titled(self) -> TitledSystems:
        """The table of systems with its title, as written to files."""
        report = self.report
        systems = Systems(rows=()) if report.systems is None else report.systems
        return TitledSystems(report.title, report.measure, systems, ", ".join(systems.references))

    def text(self) -> str:
        """The table, the threshold, the verdict, and where things are."""
        model = () if self.model is None else (f"model:  {self.model}",)
        # Of given sides the notes tell what was left out, and what they share.
        lines = study_lines(self.report, with_notes=self.model is None)
        return "\n".join([*lines, f"\nreport: {self.page}", *model])

    def as_dict(self) -> dict[str, Any]:
        """The report, the paths, and notes on truncated texts."""
        others = self._values("page", "model", "failures", "truncations", "coverages")
        return {"report": self.report.to_dict(), **others}

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
