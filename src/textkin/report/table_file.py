"""Tables of systems as files: Markdown, LaTeX with booktabs, CSV, TSV, JSON lines, Parquet, Arrow.

Formats for people have metrics rounded as in reports, with their intervals; formats for programs have every
digit and a column for each bound.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from textkin.base.files import write_text
from textkin.base.printable import visible_line
from textkin.base.results import ResultRow
from textkin.base.table_writer import check_ending, ending_of, written_table
from textkin.report.content import Systems
from textkin.report.markdown import plain_text
from textkin.report.markdown import table as pipe_table
from textkin.report.tables import Grid, differences_caption, system_rows, systems_caption, systems_grid

_READ = (".md", ".tex")
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPED)))
_NEGATIVE = re.compile(r"(?<![\w.-])-(?=\d)")


@dataclass(frozen=True, slots=True)
class TitledSystems:
    """Systems measured on one data set.

    Attributes:
        title: the data set.
        measure: the main measure.
        systems: the table.
        rival: the reference of the comparisons.
    """

    title: str
    measure: str
    systems: Systems
    rival: str

    def caption(self) -> str:
        """The table's caption for readers, in one line."""
        title = f"{self.title}: " if self.title else ""
        return visible_line(
            f"{title}{systems_caption(self.systems, self.measure)} {differences_caption(self.rival)}"
        )


def check_table_file(path: Path) -> None:
    """Reject a file that no table can be written to.

    Raises:
        UsageError: its name has another ending.
        MissingExtraError: it is for Parquet or Arrow, and pyarrow isn't installed.
    """
    if ending_of(path) not in _READ:
        check_ending(path, also=_READ, param="table")


def write_tables(path: Path, tables: Sequence[TitledSystems]) -> None:
    """Write tables into one file, in the format of its ending.

    Args:
        path: ``.md``, ``.tex`` (needs the package booktabs), or a format of ``table_writer``.
        tables: at least one; with several, rows for programs begin with a column ``data``.

    Raises:
        UsageError: the file's name has another ending.
        OutputError: it can't be written.
    """
    check_table_file(path)
    if ending_of(path) in _READ:
        said = _latex if path.suffix == ".tex" else _markdown
        write_text(path, "\n".join(map(said, tables)))
        return
    rows = list(_numbers(tables))
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with written_table(path, columns) as writer:
        writer.write([row.get(name, "") for name in columns] for row in rows)


def _numbers(tables: Sequence[TitledSystems]) -> Iterator[ResultRow]:
    for one in tables:
        named = {"data": one.title} if len(tables) > 1 else {}
        for row in system_rows(one.systems, one.measure):
            yield {**named, **row}


def _markdown(one: TitledSystems) -> str:
    return f"{pipe_table(systems_grid(one.systems, one.measure))}\n\n{plain_text(one.caption())}\n"


def _latex(one: TitledSystems) -> str:
    grid = systems_grid(one.systems, one.measure)
    lines = [
        r"\begin{table}  % \usepackage{booktabs}",
        r"  \centering",
        f"  \\caption{{{_escaped(one.caption())}}}",
        f"  \\begin{{tabular}}{{{_alignment(grid)}}}",
        r"    \toprule",
        _line(grid.header),
        r"    \midrule",
        *map(_line, grid.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _alignment(grid: Grid) -> str:
    """Names left-aligned, numbers right-aligned."""
    words = ("system", "kind")
    return "".join("l" if name in words else "r" for name in grid.header)


def _line(cells: Sequence[str]) -> str:
    return f"    {' & '.join(map(_escaped, cells))} \\\\"


def _escaped(text: str) -> str:
    """A text in LaTeX: special characters are escaped, minus signs are typeset as such."""
    safe = _SPECIAL.sub(lambda found: _ESCAPED[found[0]], visible_line(text))
    return _NEGATIVE.sub("$-$", safe)
