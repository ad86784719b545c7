"""The texts of a data frame, in the columns that a reader of files would take."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import date
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names, taken
from textkin.base.progress import note
from textkin.base.python_inputs import cells_of, listed, texts_of
from textkin.base.python_values import date_text, have_times, is_missing
from textkin.data.readers.column_report import texts_taken
from textkin.data.readers.columns import find_id_column, find_text_column, find_text_columns
from textkin.data.readers.table import SAMPLE


def text_columns_of(frame: Any, wanted: str | None, name: str, *, but: Container[Any] = ()) -> list[Any]:
    """The columns of texts: those that are named, or the one that a file's reader would take.

    A column that is taken for its cells, or for a name other than ``text``, is reported.

    Args:
        frame: the frame.
        wanted: a name, or several separated by commas; None if the user named none.
        name: the frame's name in errors.
        but: columns of something else.

    Raises:
        UsageError: there is no such column.
        DataError: several could be meant, or the frame is empty.
    """
    columns = column_names(frame) or []
    header = list(map(str, columns))
    if wanted is not None:
        return [columns[place] for place in find_text_columns(header, len(header), wanted)]
    columns = [one for one in columns if one not in but]
    if "text" in columns or len(columns) == 1:
        return ["text"] if "text" in columns else columns
    header = list(map(str, columns))
    head = [taken(listed(frame[one], name), range(min(SAMPLE, len(frame)))) for one in columns]
    sample = [["" if is_missing(cell) else str(cell) for cell in row] for row in zip(*head, strict=True)]
    place = find_text_column(header, sample, name)
    note(texts_taken(header, sample, [place]))
    return [columns[place]]


def id_column_of(frame: Any, wanted: str | None) -> Any:
    """The column of ids: the one that is named, or one with a known name; None without one.

    Raises:
        UsageError: there is no such column.
    """
    columns = column_names(frame) or []
    place = find_id_column(list(map(str, columns)), len(columns), wanted)
    return None if place is None else columns[place]


def frame_texts(frame: Any, columns: Sequence[Any], name: str) -> list[str]:
    """The texts of each row: of one column, or of several joined by spaces, without blank ones.

    Raises:
        UsageError: a text is something else, or missing.
    """
    if len(columns) == 1:
        return texts_of(frame[columns[0]], name=f"{name}[{columns[0]!r}]")
    rows = zip(*(_as_in_a_file(frame[one], f"{name}[{one!r}]") for one in columns), strict=True)
    some = ([cell for cell in row if cell is not None] for row in rows)
    found = [" ".join(cell for cell in row if cell.strip()) if row else None for row in some]
    return texts_of(found, name=f"{name}[{columns!r}]")


def _as_in_a_file(column: Any, name: str) -> list[str | None]:
    """The cells of a column as a file has them; None for missing ones.

    Raises:
        UsageError: one is neither a text nor a number nor a date.
    """
    cells = cells_of(column, name)
    has_times = have_times(cells)
    found: list[str | None] = []
    for place, cell in enumerate(cells):
        if isinstance(cell, bytes | bytearray | list | tuple | Mapping):
            raise invalid(f"{name}[{place}]", cell, expected="a text, a number or a date")
        told = None if cell is None else str(cell)
        found.append(date_text(told, has_times=has_times) if told and isinstance(cell, date) else told)
    return found
