"""Data frames that users give: those of pandas, polars and Arrow, and lists of records, read by columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from textkin.base.errors import invalid, unknown_choice


class Records(list[dict[str, Any]]):
    """Records as dictionaries, which are also read by columns, like a frame.

    Example:
        >>> rows = Records([{"text": "Hello!", "votes": 3}, {"text": "Bye!"}])
        >>> rows.columns, rows["votes"], rows[1]
        (['text', 'votes'], [3, None], {'text': 'Bye!'})
    """

    @property
    def columns(self) -> list[Any]:
        """The keys of all records."""
        return list(dict.fromkeys(key for row in self for key in row))

    def __getitem__(self, place: Any) -> Any:
        """The value of each record for a key, None where it lacks it; or the record at a place."""
        if isinstance(place, str):
            return [row.get(place) for row in self]
        return super().__getitem__(place)


def tabular(data: Any) -> Any:
    """Data as verbs read them.

    Records and named tuples become :class:`Records`, and so does a corpus of BEIR, ``{id: {"text": ...}}``. A
    lazy frame of polars is collected, what a reader loaded gives the data that it holds, and others are
    unchanged.
    """
    data = data.held if hasattr(type(data), "held") else data  # no column of that name
    if type(data) is list and data:
        if all(type(row) is dict for row in data):
            return Records(data)
        if all(isinstance(row, tuple) and hasattr(row, "_asdict") for row in data):
            return Records(row._asdict() for row in data)
    if isinstance(data, Mapping) and data and all(map(_has_text, data.values())):
        return Records({"_id": key, **row} for key, row in data.items())
    is_lazy = hasattr(data, "collect") and hasattr(data, "collect_schema")
    return data.collect() if is_lazy else data


def _has_text(row: Any) -> bool:
    return isinstance(row, Mapping) and isinstance(row.get("text"), str)


def column_names(data: Any) -> list[Any] | None:
    """The columns of a frame of pandas, polars or Arrow, or of records; None of anything else."""
    found = getattr(data, "column_names", None)  # Arrow's columns are arrays
    found = getattr(data, "columns", None) if found is None else found
    return None if found is None or callable(found) else list(found)


def known_column(columns: Sequence[Any], wanted: Any, param: str) -> Any:
    """A column that an option names, by its label or the label's words.

    Raises:
        UsageError: there is no such column.
    """
    if wanted in columns:
        return wanted
    if (found := next((one for one in columns if str(one) == str(wanted)), None)) is None:
        raise unknown_choice(param, wanted, map(str, columns))
    return found


def index_of(data: Any) -> Any:
    """The index of a frame or column of pandas; None of anything else."""
    index = getattr(data, "index", None)
    return None if callable(index) else index


def require_order(data: Any, values: Any, name: str) -> None:
    """Check that a frame or column of pandas has the index of the data in its order, or another index.

    Raises:
        UsageError: it has the same index in another order, so its places would be of other rows.
    """
    index, own = index_of(data), index_of(values)
    if index is None or own is None or len(index) != len(own) or index.equals(own):
        return
    if index.is_unique and own.is_unique and set(index) == set(own):
        raise invalid(
            name,
            "a column with the rows of the data in another order",
            expected="their order",
            fix="give column.loc[data.index]",
        )


def taken(data: Any, places: Sequence[int]) -> Any:
    """Rows of a frame, a mapping of columns, a list or an array by their places, in the same form."""
    if isinstance(data, Mapping):
        return {name: taken(column, places) for name, column in data.items()}
    if hasattr(data, "iloc"):
        return data.iloc[places]
    if hasattr(data, "take"):  # Arrow, NumPy
        import numpy as np

        numbers = np.array(places, dtype=np.int64)  # of an empty list, Arrow doesn't know the type
        return data.take(numbers) if hasattr(data, "column_names") else data.take(numbers, axis=0)
    if hasattr(data, "columns") and not isinstance(data, list):
        return data[places]
    return [data[place] for place in places]
