"""Predictions for pairs: a score or a class for each, as a table or a list.

The column is called as the system, or ``score``, ``prediction`` and the like; a file may also have no other.
Rows belong to pairs by both ids, or by both texts; without such columns by their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError
from textkin.data.readers.columns import find_pair_columns, plain_names
from textkin.data.readers.table import open_table

_VALUES = (
    *("score", "prediction", "predicted", "predicted_label", "pred", "probability", "similarity", "sim"),
    *("cosine", "decision", "class", "label", "preference"),
)
FIX = "give a table with a column called score or prediction, with a row for each pair"


@dataclass(frozen=True, slots=True)
class PairPredictions:
    """The columns of a file of predictions.

    Attributes:
        values: the cell of each row, by the name of its column; several columns are those of classes.
        keys: both texts, or both ids, of each row; empty if the order counts.
        are_texts: True if the keys are texts.
        lines: the line of each row.
    """

    values: Mapping[str, Sequence[str]]
    keys: Sequence[tuple[str, str]]
    are_texts: bool
    lines: Sequence[int]


def read_pair_predictions(path: Path, *, name: str, classes: Sequence[str] = ()) -> PairPredictions:
    """Read predictions.

    Args:
        path: the file.
        name: the name of the system, which may be that of its column.
        classes: classes of the data, which may be columns with their probabilities.

    Raises:
        DataError: the file can't be read, or it isn't clear which column holds the predictions.
    """
    table = open_table(path, named=(name,))
    rows, header = list(table.rows()), table.header
    if header is None and set(plain_names(rows[0].fields)) & set(_wanted(name)):
        header, rows = rows[0].fields, rows[1:]
    names, by_class = plain_names(header), plain_names(classes)

    def cells(place: int) -> list[str]:
        return [row.fields[place].strip() for row in rows]

    if classes and set(by_class) <= set(names):
        values = {one: cells(names.index(plain)) for one, plain in zip(classes, by_class, strict=True)}
    else:
        place = value_column(header, name)
        if place is None and table.width != 1:
            listed = ", ".join(header or ()) or f"{table.width} without names"
            raise DataError(f"can't tell which column is the prediction among: {listed}", path=path, fix=FIX)
        values = {name: cells(place or 0)}
    ids, texts = find_pair_columns(header)
    pair = ids or texts
    keys = [] if pair is None else list(zip(cells(pair[0]), cells(pair[1]), strict=True))
    return PairPredictions(values, keys, ids is None, [row.line for row in rows])


def value_column(header: Sequence[str] | None, name: str) -> int | None:
    """The column of a system's predictions: called like the system, or by a usual name; None without one."""
    names = plain_names(header)
    return next((names.index(one) for one in _wanted(name) if one in names), None)


def _wanted(name: str) -> tuple[str, ...]:
    return (*plain_names([name]), *_VALUES)
