"""The rule for the text of a group to keep, as a user gives it, and the numbers that it compares."""

from contextlib import suppress
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.counts import count
from textkin.base.errors import DataError, unknown_choice
from textkin.base.frames import column_names, known_column, require_order
from textkin.base.progress import note_once
from textkin.base.python_inputs import path_of
from textkin.data.readers import TextReading
from textkin.data.readers.labels import is_missing_cell, number
from textkin.data.readers.texts import TextSource, open_texts
from textkin.vectors.groups.linkage import KeepRule
from textkin.verbs.inputs import given_numbers

_RULES = tuple(rule.value for rule in KeepRule if rule is not KeepRule.HIGHEST)


def parse_keep(keep: Any) -> tuple[KeepRule, Any]:
    """A rule and its values: a column's name, or numbers; None for other rules."""
    if isinstance(keep, str):
        with suppress(ValueError):
            if (rule := KeepRule(keep)) is not KeepRule.HIGHEST:
                return rule, None
    return KeepRule.HIGHEST, str(keep) if isinstance(keep, int) else keep


def values_in_memory(texts: Any, highest: Any, reading: TextReading) -> Floats | None:
    """The numbers of which the highest is kept, one a text; None where no rule compares any.

    Args:
        texts: the given texts: a file, a data frame, or a sequence.
        highest: a column's name, or the numbers, as :func:`parse_keep` gives them.
        reading: the reading options of a file.

    Raises:
        UsageError: there is no such column, or they are no numbers.
        DataError: a file's column holds no number.
    """
    if highest is None:
        return None
    if not isinstance(highest, str):
        require_order(texts, highest, "keep")
        return given_numbers(highest, "keep")
    columns = column_names(texts)
    if columns is not None and highest in map(str, columns):
        return given_numbers(texts[known_column(columns, highest, "keep")], "keep")
    if columns is None and (path := path_of(texts)) is not None:
        return column_values(open_texts(path, reading=reading), highest)
    raise unknown_choice("keep", highest, [*_RULES, *map(str, columns or ())])


def column_values(source: TextSource, column: str) -> Floats:
    """The numbers of a file's column, NaN where there is none; cells with something else are reported.

    Raises:
        DataError: there is no number.
    """
    cells = list(source.cells(column, param="keep"))
    found = [number(cell) for cell in cells]
    values = np.array([np.nan if value is None else value for value in found])
    if np.isnan(values).all():
        raise DataError(
            f"the column {column!r} holds no number",
            path=source.path,
            fix="give `keep` as longest, first, central, or a column of numbers",
        )
    pairs = zip(cells, found, strict=True)
    odd = [cell.strip() for cell, value in pairs if value is None and not is_missing_cell(cell)]
    if odd:
        note_once(
            f"{source.path}: {count(len(odd), 'text')} without a number in the column {column!r}, such as "
            f"{odd[0][:40]!r}: of a group, texts with a number stay"
        )
    return values
