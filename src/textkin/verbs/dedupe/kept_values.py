"""The rule for the text of a group to keep, as a user gives it, and the values that it compares."""

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from textkin.base.counts import count
from textkin.base.errors import DataError, invalid, unknown_choice
from textkin.base.frames import column_names, known_column, require_order
from textkin.base.progress import note_once
from textkin.base.python_inputs import cells_of, path_of
from textkin.base.python_values import date_text
from textkin.data.readers import TextReading
from textkin.data.readers.labels import is_missing_cell, number
from textkin.data.readers.texts import TextSource, open_texts
from textkin.vectors.groups.linkage import ColumnValues, KeepRule

_RULES = tuple(rule.value for rule in KeepRule if rule is not KeepRule.HIGHEST)
_WANTED = "a number or a date"


def parse_keep(keep: Any) -> tuple[KeepRule, Any]:
    """A rule and its values: a column's name, or the values; None for other rules."""
    if isinstance(keep, str):
        with suppress(ValueError):
            if (rule := KeepRule(keep)) is not KeepRule.HIGHEST:
                return rule, None
    return KeepRule.HIGHEST, str(keep) if isinstance(keep, int) else keep


def values_in_memory(texts: Any, highest: Any, reading: TextReading) -> ColumnValues | None:
    """The values of which the highest is kept, one a text; None where no rule compares any.

    Args:
        texts: the given texts: a file, a data frame, or a sequence.
        highest: a column's name, or the values, as :func:`parse_keep` gives them.
        reading: the reading options of a file.

    Raises:
        UsageError: there is no such column, or they are neither numbers nor dates.
        DataError: a file's column holds neither.
    """
    if highest is None:
        return None
    if not isinstance(highest, str):
        require_order(texts, highest, "keep")
        return given_values(highest)
    columns = column_names(texts)
    if columns is not None and highest in map(str, columns):
        return given_values(texts[known_column(columns, highest, "keep")])
    if columns is None and (path := path_of(texts)) is not None:
        return column_values(open_texts(path, reading=reading), highest)
    raise unknown_choice("keep", highest, [*_RULES, *map(str, columns or ())])


def given_values(values: Any) -> ColumnValues:
    """The values of a column or a list: numbers of any size, or dates, also as texts like 2026-01-31.

    Raises:
        UsageError: one is neither, or another is of the other kind.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":  # its list would have whole numbers
        values = [None if one == "NaT" else one for one in np.datetime_as_string(values).tolist()]
    if isinstance(values, str | Mapping | AbstractSet) or not isinstance(values, Iterable):
        raise invalid("keep", values, expected="a list with one number or date per text")
    cells = cells_of(values, "keep")
    comparable = [None if cell is None else _comparable(cell) for cell in cells]
    kinds = {isinstance(one, datetime) for one in comparable if one is not None}
    for place, (cell, one) in enumerate(zip(cells, comparable, strict=True)):
        if cell is not None and (one is None or (len(kinds) > 1 and isinstance(one, datetime))):
            wanted = _WANTED if one is None else "a number, as others are"
            raise invalid(f"keep[{place}]", cell, expected=wanted, fix="write dates as 2026-01-31")
    return ColumnValues.of(comparable, list(map(_word, cells)))


def column_values(source: TextSource, column: str) -> ColumnValues:
    """The numbers or dates of a file's column; cells with something else have none, and are reported.

    Raises:
        DataError: there is no number and no date.
    """
    cells = list(source.cells(column, param="keep"))
    numbers = list(map(_number_in, cells))
    dates = [
        None if value is not None else _date_in(cell) for cell, value in zip(cells, numbers, strict=True)
    ]
    by_date = sum(one is not None for one in dates) > sum(one is not None for one in numbers)
    found = dates if by_date else numbers
    if all(value is None for value in found):
        raise DataError(
            f"the column {column!r} holds no number and no date",
            path=source.path,
            fix="give `keep` as longest, first, central, or a column of numbers or of dates like 2026-01-31",
        )
    pairs = zip(cells, found, strict=True)
    odd = [cell.strip() for cell, value in pairs if value is None and not is_missing_cell(cell)]
    if odd:
        kind = "date" if by_date else "number"
        note_once(
            f"{source.path}: {count(len(odd), 'text')} without a {kind} in the column {column!r}, such as "
            f"{odd[0][:40]!r}: of a group, texts with a {kind} stay"
        )
    return ColumnValues.of(found, [cell.strip() for cell in cells])


def _comparable(value: Any) -> Any:
    """A number or a date so that it compares with others, exactly; None if it is neither."""
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else float(value)
    if isinstance(value, bool | int | float | Fraction):
        return value
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    return _date_in(value) if isinstance(value, str) else None


def _date_in(cell: str) -> datetime | None:
    """The date, or date and time, in a cell as of ISO 8601; UTC without a zone."""
    try:
        found = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _number_in(cell: str) -> int | float | None:
    """The number in a cell, a whole one with all its digits."""
    if number(cell) is None:
        return None
    try:
        return int(cell)
    except ValueError:
        return float(cell)


def _word(value: Any) -> str:
    """A value as CSV files have it."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.15g}"
    return date_text(str(value)) if isinstance(value, date) else str(value)
