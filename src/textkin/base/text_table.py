"""Tables as plain text, for the terminal and for printed results."""

import csv
import math
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from textkin.base.printable import visible_line

Cell = str

_WIDEST = 60
_DIGITS = 4  # behind the point, beside numbers that are no small fractions
_RULE = 100
UNFOLDED = 1_000_000


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], *, title: str = "", width: int | None = UNFOLDED
) -> str:
    """An aligned table; columns of numbers are right-aligned, the rule has at most 100 characters.

    Args:
        header: names of the columns.
        rows: cells of the rows.
        title: a line above the table.
        width: maximum width of a line, beyond which long cells are wrapped; None for the terminal's width, if
            there is a terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(visible_line(title)) if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for column, name in enumerate(header):
        numbers = all(_is_number(row[column]) for row in rows)
        table.add_column(Text(visible_line(name)), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    console = Console(width=UNFOLDED if width is None and not sys.stdout.isatty() else width)
    with console.capture() as capture:
        console.print(table)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    return "\n".join(line if line.strip("─") else line[:_RULE] for line in lines)


def tsv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Tab-separated values; cells with tabs, quotes or line breaks are quoted."""
    stream = StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().removesuffix("\n")


def cells_of(values: Iterable[Any]) -> list[Cell]:
    """Values as one-line cells: numbers with a readable precision, long texts truncated."""
    return [_cell(value) for value in values]


def columns_of(rows: Sequence[Sequence[Any]]) -> list[list[Cell]]:
    """Rows of values as cells; the numbers of a column have as many digits behind the point.

    Example:
        >>> columns_of([["one", 1.0], ["two", 0.9464]])
        [['one', '1.0000'], ['two', '0.9464']]
    """
    columns = [_aligned(column) for column in zip(*rows, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _aligned(column: Sequence[Any]) -> list[Cell]:
    cells = cells_of(column)
    floats = [type(value) is float and math.isfinite(value) for value in column]
    shown = [cell for cell, is_float in zip(cells, floats, strict=True) if is_float]
    if any("e" in cell or "," in cell for cell in shown):
        return cells
    digits = max((len(cell.partition(".")[2]) for cell in shown), default=0)
    if any(abs(value) >= 0.1 for value, is_float in zip(column, floats, strict=True) if is_float):
        digits = min(digits, _DIGITS)
    return [
        f"{value:.{digits}f}" if is_float else cell
        for value, cell, is_float in zip(column, cells, floats, strict=True)
    ]


def _cell(value: Any) -> Cell:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"
    words = " ".join(str(value).split())
    words = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)
    if isinstance(value, Path) or len(words) <= _WIDEST:
        return words
    return words[: _WIDEST - 3].rstrip() + "..."


def _is_number(cell: str) -> bool:
    """True if a cell starts like a number, or stands for a missing one."""
    return cell in {"", "-"} or cell.lstrip("+-.< ")[:1].isdigit()
