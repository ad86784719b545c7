"""Metrics of systems on a data set: the result of ``compare``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textkin.base.results import Result, ResultRow, Table
from textkin.base.text_table import text_table
from textkin.data.readers.read_report import ReadReport
from textkin.report import tables
from textkin.report.content import ByClass, Systems
from textkin.report.figure_words import outcome
from textkin.report.fixed_threshold import FixedDecisions, fixed_lines
from textkin.report.no_answer_plots import Abstention
from textkin.report.notebook_plots import Plot, figure_plot
from textkin.report.systems_table import interval_bars, systems_part
from textkin.report.table_file import HasTable, TitledSystems
from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage


class SystemTable(Result, HasTable):
    """Systems with their figures, and their differences from one of them.

    Attributes:
        measure: the main measure: differences and tests are of it.
        systems: the table.
        reference: the reference that the others are compared with.
    """

    __slots__ = ()

    measure: str
    systems: Systems
    reference: str

    def _rows(self) -> Iterator[ResultRow]:
        yield from tables.system_rows(self.systems, self.measure)

    @property
    def title(self) -> str:
        """The name of the measured data; "" without one."""
        return ""

    def titled(self) -> TitledSystems:
        """The table with the name of its data, as written to files."""
        return TitledSystems(self.title, self.measure, self.systems, self.reference)

    def plot(self) -> Plot:
        """The report's table, with intervals drawn beside each other, for notebooks and files."""
        return figure_plot(self._summary(), *systems_part(self.systems, self.measure))

    def _drawings(self) -> Sequence[str]:
        return interval_bars(self.systems, self.measure)

    def text(self) -> str:
        """The table below its title, and how to read it."""
        return "\n".join([text_table(*self._table(), title=self.title), "", *self._tested()])

    def as_dict(self) -> dict[str, Any]:
        """All fields."""
        return self._values()

    def _table(self) -> Table:
        grid = tables.systems_grid(self.systems, self.measure)
        return grid.header, grid.rows

    def _tested(self) -> tuple[str, ...]:
        """Sentences on what was measured and tested."""
        said = outcome(self.systems, self.measure)
        return (
            tables.systems_caption(self.systems, self.measure),
            tables.differences_caption(self.reference),
            *([said] if said else []),
        )

    def _summary(self) -> str:
        count = len(self.systems.rows)
        return f"{self.title + ', ' if self.title else ''}{count} systems, {self.measure}"


@dataclass(frozen=True, slots=True, repr=False)
class Measured(SystemTable):
    """Metrics of systems on a data set.

    Attributes:
        data: the name of the data, with its question set where it has several.
        kind: "pairs", "candidates", "collection", "spans" or "choices".
        measure: the main one: differences and tests are of it.
        systems: the table.
        reference: the reference that the others are compared with.
        fitted_on: the source of the baselines' word frequencies or classes.
        read: the rows that the reader skipped.
        notes: notes for the reader of the table.
        by_class: for classes, the decisions of each model that was asked for, class by class.
        truncations: number of truncated texts of the data, by model with a known maximum.
        abstentions: for SQuAD 2.0, how good each model's probability of "no answer" is.
        coverages: the fraction of these texts that each model knows, where it reports that.
        decisions: the model's decisions at a fixed threshold; None where none was given.
        suggestion: the reason for this reference, and how to name another; "" where it was named.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.compare(samples.pairs("travel"), "default", resamples=100, rounds=100)
        >>> sorted(found.rows()[0])[:3]
        ['AP', 'AP high', 'AP low']
    """

    data: str
    kind: str
    measure: str
    systems: Systems
    reference: str
    fitted_on: str
    read: ReadReport
    notes: tuple[str, ...] = ()
    by_class: tuple[ByClass, ...] = ()
    truncations: tuple[Truncation, ...] = ()
    abstentions: tuple[Abstention, ...] = ()
    coverages: tuple[Coverage, ...] = ()
    decisions: FixedDecisions | None = None
    suggestion: str = ""

    @property
    def title(self) -> str:
        """The name of the data."""
        return self.data

    def text(self) -> str:
        """The table, how to read it, and the decisions class by class."""
        lines = [SystemTable.text(self)]
        for one in self.by_class:
            lines += ["", tables.by_class_caption(one)]
            for part in tables.by_class_grids(one):
                lines += ["", text_table(part.header, part.rows)]
        return "\n".join(lines)

    def _tested(self) -> tuple[str, ...]:
        return (
            *SystemTable._tested(self),
            *([self.suggestion] if self.suggestion else []),
            f"Baselines are fitted on {self.fitted_on}.",
            *self.notes,
            *(() if self.decisions is None else fixed_lines(self.decisions)),
        )

    def _said(self) -> tuple[str, ...]:
        return (self.data, *self._tested())
