"""The columns of a text: one, or several that are read as one text."""

from __future__ import annotations

from collections.abc import Sequence

from textkin.base.errors import UsageError
from textkin.data.readers.columns import find_column


def named_columns(column: str | None) -> tuple[str, ...]:
    """The names that a user's word for the columns of a text has, one or with commas several."""
    return () if column is None else tuple(part.strip() for part in column.split(","))


def find_text_columns(header: Sequence[str] | None, width: int, column: str) -> tuple[int, ...]:
    """The 0-based places of columns by names or 1-based numbers, such as ``subject,body``.

    A name that itself holds a comma is one name.

    Raises:
        UsageError: there is no such column, or one is named twice.
    """
    try:
        return (find_column(header, width, column),)
    except UsageError:
        if "," not in column:
            raise
    places = tuple(find_column(header, width, name) for name in named_columns(column))
    if len(set(places)) < len(places):
        raise UsageError(f"the columns {column!r} name one column twice", fix="name each once")
    return places
