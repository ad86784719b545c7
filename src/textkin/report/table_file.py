"""Tables of systems as files: Markdown, LaTeX with booktabs, CSV, TSV, JSON lines, Parquet, Arrow.

Formats for people have metrics rounded as in reports, with their intervals; formats for programs have every
digit and a column for each bound.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import required, unknown_choice
from textkin.base.files import write_text
from textkin.base.printable import visible_line
from textkin.base.progress import note
from textkin.base.results import ResultRow
from textkin.base.table_writer import check_ending, ending_of, written_table
from textkin.report.content import Systems
from textkin.report.markdown import plain_text
from textkin.report.markdown import table as pipe_table
from textkin.report.tables import (
    Grid,
    best_names,
    differences_caption,
    sorted_rows,
    system_rows,
    systems_caption,
    systems_grid,
)

_READ = (".md", ".tex")
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPED)))
_INTERVAL = re.compile(r"(\S+) \((\S+) to (\S+)\)")
MAIN = "measure"
"""The column of the main measure, whatever its name."""
_MARKS = " The highest value of each measure is bold; brackets hold 95 % intervals."
PAPER = ("system", MAIN, "against", "p")
"""Columns that fit a column of a paper."""
_NEGATIVE = re.compile(r"(?<![\w.-])-(?=\d)")


@dataclass(frozen=True, slots=True)
class TitledSystems:
    """Systems measured on one data set.

    Attributes:
        title: the data set.
        measure: the main measure.
        systems: the table.
        reference: the reference of the comparisons.
    """

    title: str
    measure: str
    systems: Systems
    reference: str

    def caption(self) -> str:
        """The table's caption for readers, in one line."""
        title = f"{self.title}: " if self.title else ""
        return visible_line(
            f"{title}{systems_caption(self.systems, self.measure)} {differences_caption(self.reference)}"
        )

    def short_caption(self) -> str:
        """The caption in a list of tables."""
        return visible_line(f"{self.measure}, {self.title}" if self.title else self.measure)


@dataclass(frozen=True, slots=True)
class WantedTable:
    """A file for a table, and its columns.

    Args:
        path: its name ends in ``.md``, ``.tex`` (needs booktabs and adjustbox), or as a format of
            ``table_writer``; None for no file.
        columns: names of columns in their order; "against" and "p" mean those of every reference. Empty for
            those of :data:`PAPER` in LaTeX, and for all elsewhere.

    Raises:
        UsageError: the file's name has another ending, or columns are named for no file.
        MissingExtraError: it is for Parquet or Arrow, and pyarrow isn't installed.
    """

    path: Path | None = None
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.path is None:
            if self.columns:
                raise required(
                    "table", by="`table_columns`", fix="give a file, for example `table=paper.tex`"
                )
        elif ending_of(self.path) not in _READ:
            check_ending(self.path, also=_READ, param="table")

    def write(self, tables: Sequence[TitledSystems]) -> None:
        """Write tables into the file, and say so; nothing without a file.

        Raises:
            UsageError: a column is unknown.
            OutputError: the file can't be written.
        """
        if self.path is not None:
            write_tables(self.path, tables, self.columns)
            note(f"table: {self.path}")


class HasTable(ABC):
    """A result with a table of systems."""

    __slots__ = ()

    @abstractmethod
    def titled(self) -> TitledSystems:
        """The table of systems with its title, as written to files."""

    def save_table(self, path: Path | str, columns: Sequence[str] = ()) -> None:
        """Write the table for a paper or a spreadsheet.

        Args:
            path: ends in ``.md``, ``.tex`` (needs booktabs and adjustbox), ``.csv``, ``.tsv`` or ``.jsonl``.
            columns: names of columns; without any, in LaTeX those that fit a column of a paper, else all.

        Raises:
            UsageError: the file's name ends in another way, or a column is unknown.
            OutputError: it can't be written.
        """
        wanted = WantedTable(Path(path), tuple(columns))
        write_tables(Path(path), [self.titled()], wanted.columns)


def write_tables(path: Path, tables: Sequence[TitledSystems], columns: Sequence[str] = ()) -> None:
    """Write tables into one file, in the format of its ending.

    Args:
        path: as :class:`WantedTable` takes it.
        tables: at least one; with several, rows for programs begin with a column ``data``.
        columns: as :class:`WantedTable` takes them.

    Raises:
        UsageError: a column is unknown.
        OutputError: the file can't be written.
    """
    if ending_of(path) == ".md":
        write_text(path, "\n".join(_markdown(one, columns) for one in tables))
    elif ending_of(path) == ".tex":
        labels = _labels(path, len(tables))
        shown = columns or PAPER
        written = (_latex(one, label, shown) for one, label in zip(tables, labels, strict=True))
        write_text(path, "\n".join(written))
    else:
        rows = list(_numbers(tables, columns))
        names = list(dict.fromkeys(name for row in rows for name in row))
        with written_table(path, names) as writer:
            writer.write([row.get(name, "") for name in names] for row in rows)


def _numbers(tables: Sequence[TitledSystems], columns: Sequence[str]) -> Iterator[ResultRow]:
    for one in tables:
        named = {"data": one.title} if len(tables) > 1 else {}
        shown = _chosen(one, columns).header
        for row in system_rows(one.systems, one.measure):
            yield {**named, **{key: value for key, value in row.items() if not columns or _of(key, shown)}}


def _of(key: str, columns: Sequence[str]) -> bool:
    """True if a number belongs to one of the columns: itself, its interval, or its p."""
    name = key.removesuffix(" low").removesuffix(" high")
    other = {"seconds": "training"}.get(name, name)
    return other in columns or (name.startswith("p against ") and "p" in columns)


def _chosen(one: TitledSystems, columns: Sequence[str]) -> Grid:
    """The table with some of its columns.

    Raises:
        UsageError: a column is unknown.
    """
    grid = systems_grid(one.systems, one.measure)
    if not columns:
        return grid
    short = [name.split(" ", 1)[0] if name.startswith("against ") else name for name in grid.header]
    places: list[int] = []
    for wanted in columns:
        name = one.measure if wanted == MAIN else wanted
        found = [place for place, known in enumerate(zip(grid.header, short, strict=True)) if name in known]
        if not found and columns is not PAPER:
            raise unknown_choice("table_columns", wanted, list(dict.fromkeys(short)))
        places += [place for place in found if place not in places]
    return Grid(
        tuple(grid.header[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in grid.rows),
    )


def _markdown(one: TitledSystems, columns: Sequence[str]) -> str:
    return f"{pipe_table(_chosen(one, columns))}\n\n{plain_text(one.caption())}\n"


def _labels(path: Path, tables: int) -> list[str]:
    """A label for each table, by the file's name."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", path.stem).strip("-").lower() or "systems"
    return [f"tab:{stem}"] if tables == 1 else [f"tab:{stem}-{number}" for number in range(1, tables + 1)]


def _latex(one: TitledSystems, label: str, columns: Sequence[str]) -> str:
    """A table as wide as a column at most, the best of each measure in bold."""
    grid = _chosen(one, columns)
    best = {name: best_names(one.systems, name) for name in grid.header}
    names = [row.name for row in sorted_rows(one.systems, one.measure)]
    lines = [
        r"\begin{table}  % \usepackage{booktabs,adjustbox}",
        r"  \centering",
        r"  \footnotesize",
        r"  \setlength{\tabcolsep}{4pt}",
        f"  \\caption[{{{_escaped(one.short_caption())}}}]{{{_escaped(one.caption() + _MARKS)}}}",
        f"  \\label{{{label}}}",
        r"  \begin{adjustbox}{max width=\columnwidth}",
        f"  \\begin{{tabular}}{{{_alignment(grid)}}}",
        r"    \toprule",
        _line(map(_escaped, grid.header)),
        r"    \midrule",
        *(
            _line(_figure(cell, bold=name in best[head]) for cell, head in zip(row, grid.header, strict=True))
            for name, row in zip(names, grid.rows, strict=True)
        ),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"  \end{adjustbox}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _figure(cell: str, *, bold: bool) -> str:
    """A cell in LaTeX, its interval in smaller print."""
    value, low, high = found.groups() if (found := _INTERVAL.fullmatch(cell)) else (cell, "", "")
    shown = f"\\textbf{{{_escaped(value)}}}" if bold else _escaped(value)
    return f"{shown} {{\\tiny [{_escaped(low)}, {_escaped(high)}]}}" if low else shown


def _alignment(grid: Grid) -> str:
    """Names left-aligned, numbers right-aligned."""
    words = ("system", "kind")
    return "".join("l" if name in words else "r" for name in grid.header)


def _line(cells: Iterable[str]) -> str:
    return f"    {' & '.join(cells)} \\\\"


def _escaped(text: str) -> str:
    """A text in LaTeX: special characters are escaped, minus signs are typeset as such."""
    safe = _SPECIAL.sub(lambda found: _ESCAPED[found[0]], visible_line(text))
    return _NEGATIVE.sub("$-$", safe)
