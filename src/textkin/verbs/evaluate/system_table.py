"""What results have in common that are a table of systems, compared with one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from textkin.base.results import Result, ResultRow, Table
from textkin.report.content import Systems
from textkin.report.table_file import TitledSystems, write_tables
from textkin.report.tables import system_rows, systems_grid


class SystemTable(Result):
    """Systems with their figures, and their differences from one of them.

    Attributes:
        measure: the main measure: differences and tests are of it.
        systems: the table.
        rival: what the others are compared with.
    """

    __slots__ = ()

    measure: str
    systems: Systems
    rival: str

    def _rows(self) -> Iterator[ResultRow]:
        yield from system_rows(self.systems, self.measure)

    @property
    def title(self) -> str:
        """On what they were measured; "" where it has no name."""
        return ""

    def titled(self) -> TitledSystems:
        """The table with what it was measured on, as it is written to files."""
        return TitledSystems(self.title, self.measure, self.systems, self.rival)

    def save_table(self, path: Path | str) -> None:
        """Write the table for a paper or a spreadsheet.

        Args:
            path: ends in ``.md``, ``.tex`` (needs the package booktabs), ``.csv``, ``.tsv`` or ``.jsonl``.

        Raises:
            UsageError: the file's name ends in another way.
            OutputError: it can't be written.
        """
        write_tables(Path(path), [self.titled()])

    def _table(self) -> Table:
        grid = systems_grid(self.systems, self.measure)
        return grid.header, grid.rows
