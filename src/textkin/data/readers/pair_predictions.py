"""Predictions for pairs: a score or a class for each, as a table or a list.

The column is called as the system, or ``score``, ``prediction`` and the like; a file may also have no other.
Rows belong to pairs by the ids of both texts, by both texts, or by the id of the pair; without such columns
by their order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from textkin.base.errors import DataError
from textkin.data.readers.columns import find_id_column, find_pair_columns, find_pair_id, plain_names
from textkin.data.readers.labels import number
from textkin.data.readers.table import open_table

_VALUES = (
    *("score", "prediction", "predicted", "predicted_label", "pred", "probability", "similarity", "sim"),
    *("cosine", "decision", "class", "label", "preference"),
)
_NUMBERS = (
    *("row", "row_id", "row_number", "index", "idx", "pair", "pair_id", "line", "number", "no", "nr", "n"),
    *("#", "", "unnamed:_0", "level_0"),  # the last three: of pandas
)
_DISTANCE = "distance"  # lower is more similar, so these are no scores
FIX = "give a table with a column called score or prediction, with a row for each pair"


@dataclass(frozen=True, slots=True)
class PairPredictions:
    """The columns of a table of predictions.

    Attributes:
        values: the cell of each row, by the name of its column; several columns are those of classes.
        ids: both ids of each row; None without such columns.
        texts: both texts of each row; None without such columns.
        lines: the line of each row.
        unread: the name of a column of single ids or row numbers; None without one.
        single_ids: the cells of this column.
    """

    values: Mapping[str, Sequence[str]]
    ids: Sequence[tuple[str, str]] | None
    texts: Sequence[tuple[str, str]] | None
    lines: Sequence[int]
    unread: str | None = None
    single_ids: Sequence[str] = ()

    @classmethod
    def of_columns(
        cls,
        header: Sequence[str] | None,
        columns: Sequence[Sequence[str]],
        lines: Sequence[int],
        *,
        name: str,
        classes: Sequence[str] = (),
        id_name: str = "",
    ) -> Self | None:
        """Sort the columns of a table; None if it isn't clear which one holds the predictions.

        Args:
            header: the names of the columns.
            columns: the cells of each column.
            lines: the line of each row.
            name: the name of the system, which may be that of its column.
            classes: classes of the data, which may be columns with their probabilities.
            id_name: the name of the data's column of ids, "" without one.
        """
        places = find_pair_columns(header)
        ids, texts = (
            None if pair is None else list(zip(columns[pair[0]], columns[pair[1]], strict=True))
            for pair in places
        )
        names, wanted, own = plain_names(header), plain_names(classes), plain_names([name])
        [of_pair] = plain_names([id_name])
        of_id = names.index(of_pair) if of_pair in names else find_id_column(header)
        of_id = find_pair_id(header) if of_id is None else of_id
        if of_id is None:
            named = (names.index(one) for one in _NUMBERS if one in names and one not in own)
            of_id = next((place for place in named if _are_whole(columns[place])), None)
        unread = None if of_id is None or header is None else header[of_id]
        single = () if of_id is None else columns[of_id]
        if classes and set(wanted) <= set(names):
            values = {one: columns[names.index(plain)] for one, plain in zip(classes, wanted, strict=True)}
            return cls(values, ids, texts, lines, unread, single)
        keys = {of_id, *(place for pair in places if pair is not None for place in pair)}
        others = [place for place in range(len(columns)) if place not in keys]
        chosen = _value_column(names, columns, others, name, classes)
        if chosen is None:
            return None
        return cls({name: columns[chosen]}, ids, texts, lines, unread, single)

    def of_pairs(self, own: Sequence[str], name: str) -> bool:
        """True if the single ids are meant for pairs, though some may be missing, and don't number the rows.

        Args:
            own: the ids of the pairs, which join predictions only if each has its own.
            name: the name of their column, "" without one.
        """
        unique, theirs = set(own), set(self.single_ids)
        if plain_names([self.unread or ""]) != plain_names([name]) or len(unique) < len(own):
            return False
        return unique <= theirs or (not unique.isdisjoint(theirs) and not self._count_rows(self._numbers()))

    @property
    def is_shuffled(self) -> bool:
        """True if the single ids number the rows, from 0 or 1, in another order than that of the rows."""
        numbers = self._numbers()
        return not self._count_rows(numbers) and self._count_rows(sorted(numbers))

    def _numbers(self) -> list[float]:
        return [value for value in map(number, self.single_ids) if value is not None]

    def _count_rows(self, numbers: list[float]) -> bool:
        """True if these are the numbers of the rows in order, from 0 or 1."""
        return any(numbers == list(range(start, start + len(self.single_ids))) for start in (0, 1))


def read_pair_predictions(
    path: Path, *, name: str, classes: Sequence[str] = (), id_name: str = ""
) -> PairPredictions:
    """Read predictions; all other arguments as :meth:`PairPredictions.of_columns` takes them.

    Raises:
        DataError: the file can't be read, or it isn't clear which column holds the predictions.
    """
    table = open_table(path, named=(name, id_name) if id_name else (name,))
    rows, header = list(table.rows()), table.header
    if header is None and set(plain_names(rows[0].fields)) & set(_wanted(name)):
        header, rows = rows[0].fields, rows[1:]
    columns = [[row.fields[place].strip() for row in rows] for place in range(table.width)]
    lines = [row.line for row in rows]
    found = PairPredictions.of_columns(header, columns, lines, name=name, classes=classes, id_name=id_name)
    if found is None:
        listed = ", ".join(header or ()) or f"{table.width} without names"
        raise DataError(f"can't tell which column is the prediction among: {listed}", path=path, fix=FIX)
    return found


def _are_whole(cells: Sequence[str]) -> bool:
    """True if all cells are whole numbers."""
    values = list(map(number, cells))
    return all(value is not None and value.is_integer() for value in values)


def _value_column(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    others: Sequence[int],
    name: str,
    classes: Sequence[str],
) -> int | None:
    """The column of predictions among ``others``: of a known name, or alone, or alone with numbers.

    Distances are none, unless the system is called so.

    A label beside another column is the truth, as in a copy of the data with scores; of classes it may be the
    prediction, beside its probability.
    """
    if not classes and len(others) > 1:
        others = [place for place in others if names[place : place + 1] != ["label"]]
    known = [names.index(one) for one in _wanted(name) if one in names]
    if (place := next((one for one in known if one in others), None)) is not None:
        return place
    if len(columns) == 1:
        return 0
    numeric = [place for place in others if all(number(cell) is not None for cell in columns[place])]
    return numeric[0] if names and len(numeric) == 1 and _DISTANCE not in names[numeric[0]] else None


def _wanted(name: str) -> tuple[str, ...]:
    return (*plain_names([name]), *_VALUES)
