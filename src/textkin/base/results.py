"""Base classes of the verbs' results: printing as tables, also in notebooks, and data frames."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from difflib import get_close_matches
from html import escape
from itertools import chain, islice
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.counts import count
from textkin.base.errors import UsageError
from textkin.base.extras import imported
from textkin.base.rows import Row
from textkin.base.text_table import Cell, cells_of, columns_of, text_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

ResultRow = dict[str, Any]
Table = tuple[Sequence[str], Sequence[Sequence[Cell]]]

_SHOWN = 20
_FACTS = 4  # of a summary, in its name


class Printed(ABC):
    """Output of a command: lines, a long table of tab-separated values, or a JSON object."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """The lines that the command prints."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """The object that the command prints as JSON; its values may be dataclasses and arrays."""

    def as_lines(self) -> tuple[Sequence[str], Iterator[Sequence[object]]] | None:
        """Header and rows that the command prints as tab-separated values in place of :meth:`text`."""
        return None

    def printed_notes(self) -> Sequence[str]:
        """Yield the notes that a command prints beside such rows."""
        return ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command that made it."""
        return 0


TELLING: ContextVar[Callable[[Printed], None]] = ContextVar("telling")
"""The command's way to print a result."""


def tell(found: Printed) -> None:
    """Print what a verb has found while it runs on."""
    show = TELLING.get(None)
    if show is not None:
        show(found)
    else:
        sys.stdout.write(f"{found.text()}\n")
        sys.stdout.flush()


class Result(Printed):
    """A result of a verb. Subclasses provide the rows, this class their display.

    Example:
        >>> import textkin as tk
        >>> pairs = tk.as_pairs([("one", "two", 1)])
        >>> print(pairs)
        a     b     label
        ─────────────────
        one   two       1
        >>> pairs.rows()
        [{'a': 'one', 'b': 'two', 'label': 1.0}]
    """

    __slots__ = ()

    @abstractmethod
    def _rows(self) -> Iterator[ResultRow]:
        """Yield the rows."""

    def _columns(self) -> Sequence[str]:
        """The names in each row, of results that may have no rows."""
        return list(next(self._rows(), {}))

    def _count(self) -> int:
        """The number of rows."""
        return sum(1 for _ in self._rows())

    def __len__(self) -> int:
        return self._count()

    def __bool__(self) -> bool:
        """Return True even without rows; data with a length of their own are true if not empty."""
        return type(self).__len__ is Result.__len__ or len(self) > 0

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows."""
        return map(Row, self._rows())

    def __getitem__(self, place: int | slice) -> Any:
        """The row at a place, or those of a slice in a list.

        Raises:
            IndexError: there is no such row.
            TypeError: the place is neither a whole number nor a slice.
        """
        if isinstance(place, slice):
            return list(self)[place]
        try:
            place, count = index(place), self._count()
        except TypeError:
            raise TypeError(f"rows have numbers, not {place!r}; for columns use to_pandas()") from None
        if not -count <= place < count:
            raise IndexError(f"no row {place}: there are {count:,}")
        return next(islice(iter(self), place % count, None))

    if not TYPE_CHECKING:  # so that checkers of types still find misspelt names

        def __getattr__(self, name: str) -> Any:
            """Raise an error that names what there is.

            Raises:
                AttributeError: always.
            """
            known = [one for one in dir(type(self)) if not one.startswith("_")]
            near = get_close_matches(name, known, n=1)
            fix = f"did you mean {near[0]!r}?" if near else "see rows() and to_pandas()"
            raise AttributeError(f"a {type(self).__name__} has no {name!r}; {fix}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Refuse to be an array; results that are a column are one.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"a {type(self).__name__} is a table and no column",
            fix="take one of its fields, .rows() or .to_pandas()",
        )

    def _fields(self, *names: str) -> ResultRow:
        """Selected fields of a dataclass, or all, as a row; counts by reason become words."""
        return {
            name: counted(value) if isinstance(value, Mapping) else value
            for name in names or getattr(self, "__dataclass_fields__", ())
            for value in [getattr(self, name)]
        }

    def _values(self, *names: str, but: str = "") -> dict[str, Any]:
        """Selected attributes, or all fields but one, by name."""
        known = names or getattr(self, "__dataclass_fields__", ())
        return {name: getattr(self, name) for name in known if name != but}

    def rows(self) -> list[Row]:
        """One dict a row, all with the same keys."""
        return [Row(row) for row in self._rows()]

    def text(self) -> str:
        """The lines that the command prints."""
        return str(self)

    def as_dict(self) -> dict[str, Any]:
        """The object that the command prints as JSON; its values may be dataclasses and arrays."""
        return {"rows": self.rows()}

    def _said(self) -> Sequence[str]:
        """The lines below the table."""
        return ()

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        rows, index = self.rows(), self._index()
        return imported("pandas", extra="pandas").DataFrame(
            rows, index, columns=None if rows else self._columns()
        )

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``.

        Raises:
            MissingExtraError: polars is not installed.
        """
        names = dict.fromkeys(name for row in self._rows() for name in row) or self._columns()
        columns = {name: [_as_cell(row.get(name)) for row in self._rows()] for name in names}
        return imported("polars", extra="polars").DataFrame(columns, strict=False)

    def to_numpy(self) -> NDArray[Any]:
        """The values of a result that is a column, such as a new column of a frame.

        Raises:
            UsageError: the result is a table.
        """
        return self.__array__()

    def save(self, path: Path | str) -> Path:
        """Write the result to a file, which ``open_result`` opens again, and return its path.

        Raises:
            UsageError: it holds an object that no file can keep, such as a model.
            OutputError: the file can't be written.
        """
        from textkin.base.saved_results import save_result

        return save_result(self, path)

    def _index(self) -> Any:
        """The index of a frame of the rows: that of the given frame of pandas, or their places in a list.

        None where the rows are in the order of the list.
        """
        return None

    def __str__(self) -> str:
        header, rows = self._table()
        return "\n".join([text_table(header, rows), *self._below()])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._summary()}>"

    def _summary(self) -> str:
        """A few words on it."""
        return count(self._count(), "row")

    def _repr_html_(self) -> str:
        """A table for notebooks; everything from the data is escaped."""
        header, rows = self._table()
        drawn = list(self._drawings()) or [""] * len(rows)
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        body = "".join(
            f"<tr>{told}{f'<td>{one}</td>' if one else ''}</tr>"
            for told, one in zip(cells, drawn, strict=True)
        )
        lines = "".join(f"<p>{escape(line)}</p>" for line in self._below())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{lines}"

    def _table(self) -> Table:
        """Header and cells of the first rows, as printed."""
        shown = list(islice(self._rows(), _SHOWN))
        rows = [[_as_name(name, value) for name, value in row.items()] for row in shown]
        return list(shown[0]) if shown else ["no rows"], columns_of(rows)

    def _drawings(self) -> Sequence[str]:
        """SVG beside each shown row in notebooks; none without."""
        return ()

    def _below(self) -> list[str]:
        """The lines below the table."""
        more = self._count() - len(self._table()[1])
        left_out = [f"... and {count(more, 'more row')}"] if more > 0 else []
        return [*left_out, *self._said()]


Sequence.register(Result)  # type: ignore[type-abstract] # so that pandas and polars make frames of its rows


class HitLists(Result):
    """A list of hits for each query; of a single query its hits.

    Attributes:
        one_query: True if a single query was given.
    """

    __slots__ = ()
    one_query: bool

    @abstractmethod
    def _asked(self) -> int:
        """The number of queries."""

    @abstractmethod
    def _each(self) -> Iterator[Iterator[ResultRow]]:
        """Yield the hits of each query."""

    def __len__(self) -> int:
        return sum(1 for _ in next(self._each())) if self.one_query else self._asked()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the hits of a single query, or over a list of hits for each query."""
        found = [list(map(Row, rows)) for rows in self._each()]
        return iter(found[0] if self.one_query else found)

    def __getitem__(self, place: int | slice) -> Any:
        """The hit at a place, or the hits of the query at that place."""
        return list(self)[place]

    def _rows(self) -> Iterator[ResultRow]:
        return chain.from_iterable(self._each())


class Summary(Result):
    """A result of one row, a dataclass, printed vertically without what is None."""

    __slots__ = ()

    def _rows(self) -> Iterator[ResultRow]:
        """All fields."""
        yield self._fields()

    def as_dict(self) -> dict[str, Any]:
        """All fields."""
        return self._values()

    def _table(self) -> Table:
        known = [item for row in self._rows() for item in row.items() if item[1] is not None]
        return ["what", "found"], [[name, *cells_of([value])] for name, value in known]

    def _summary(self) -> str:
        """The first facts."""
        return ", ".join(f"{name} {cell}" for name, cell in self._table()[1][:_FACTS] if cell)


def _as_cell(value: Any) -> Any:
    """A value; a path as a text, as columns of polars hold none that can be written or filtered."""
    return str(value) if isinstance(value, Path) else value


def _as_name(column: str, value: Any) -> Any:
    """A value; an id, such as a number from a frame's index, as a word."""
    is_id = column == "id" or column.startswith("id_") or column.endswith("_id")
    return str(value) if is_id and value is not None else value


def with_interval(name: str, figure: Any) -> ResultRow:
    """A metric and the bounds of its interval as three columns, empty if there is none."""
    ends = {name: "value", f"{name} low": "low", f"{name} high": "high"}
    return {key: getattr(figure, end, None) for key, end in ends.items()}


def counted(counts: Mapping[str, int]) -> str:
    """Counts by reason, in one cell."""
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items() if count)
