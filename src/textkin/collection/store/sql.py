"""Back ends in SQL, of which SQLite and PostgreSQL understand the same.

Vectors have a table of their own, so that filters read texts only.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from textkin.collection.store.back_end import BackEnd, Change, State, Which
from textkin.collection.store.filter_sql import FilterSql, condition

_MOST_VALUES = 30_000

_COLUMNS = {
    "entry_id": "id",
    "metadata": "metadata",
    "text": "text",
    "checksum": "texts.checksum",
    "text_key": "text_key",
    "vectors": "vector",
    "vector_checksum": "vectors.checksum",
    "size": "length(vector)",
    "spans": "spans",
    "spans_checksum": "windows.checksum",
}
_OF_TEXTS = frozenset(("entry_id", "metadata", "text", "checksum", "text_key"))
_OF_WINDOWS = frozenset(("spans", "spans_checksum"))
_LARGE = frozenset(("text", "vectors"))

_FACT = "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_STATE = "UPDATE state SET counter = ?, live = ?, forgotten = ?"


class SqlRows(Protocol):
    """The rows of a statement."""

    def fetchone(self) -> Any:
        """The next row; None at the end."""

    def fetchall(self) -> list[Any]:
        """All remaining rows."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows."""


class SqlBackEnd(BackEnd):
    """A back end in tables. Statements have question marks for values.

    Attributes:
        filters: its comparisons of metadata.
    """

    filters: FilterSql

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """True inside a transaction."""

    @abstractmethod
    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Execute a statement."""

    @abstractmethod
    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Execute a statement for each row of values."""

    @abstractmethod
    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """Stream the rows of a statement, in a transaction, with few in memory at a time."""

    @abstractmethod
    def begin(self, *, writes: bool = False) -> None:
        """Begin a transaction. Only one writes at a time; the others see a snapshot."""

    @abstractmethod
    def commit(self) -> None:
        """Commit a transaction; its changes are then durable.

        Raises:
            OutputError: the collection was deleted or replaced since it was opened.
        """

    def end(self) -> None:
        """End a transaction, if any, that wrote nothing or is rolled back."""
        if self.in_transaction:
            self.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block atomically, as the only writer. A context manager."""
        try:
            self.begin(writes=True)  # may fail after it began, such as for lack of a lock
            yield
            self.commit()
        finally:
            self.end()

    def state(self) -> State | None:
        """See the base class."""
        found = self.execute("SELECT counter, live, forgotten FROM state").fetchone()
        return None if found is None else State(*found)

    def facts(self, name: str | None = None) -> Mapping[str, str]:
        """See the base class."""
        if name is None:
            return dict(self.execute("SELECT name, value FROM facts ORDER BY name").fetchall())
        return dict(self.execute("SELECT name, value FROM facts WHERE name = ?", (name,)).fetchall())

    def removed(self, change: int, high: int) -> list[int]:
        """See the base class."""
        rows = self.execute("SELECT number FROM gone WHERE change > ? AND number <= ?", (change, high))
        return [row[0] for row in rows]

    def rows(self, which: Which, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """See the base class."""
        selected = ", ".join(_COLUMNS.get(one, "number") for one in columns)
        if which.listed is None:
            statement, values = self._selecting(selected, which, columns)
            is_large = which.limit is None and not _LARGE.isdisjoint(columns)
            yield from self.streamed(statement, values) if is_large else self.execute(statement, values)
        else:
            for some in self._parts(which.listed[1]):
                yield from self.execute(*self._selecting(selected, which, columns, some))

    def count(self, which: Which) -> int:
        """See the base class."""
        columns = ("spans",) if which.several else ("number",)
        statement, values = self._selecting("count(*)", which, columns, ordered="")
        return int(self.execute(statement, values).fetchone()[0])

    def write(self, change: Change) -> bool:
        """See the base class."""
        with self.transaction():
            state = self.state()
            if state is None or state.counter != change.before:
                return False
            self._remove(change)
            self._add(change)
            if change.retold:
                self.executemany(
                    "UPDATE texts SET metadata = ?, checksum = ? WHERE number = ?",
                    ((one.metadata, one.checksum, one.number) for one in change.retold),
                )
            for fact in change.facts.items():
                self.execute(_FACT, fact)
            after = change.state
            if after.forgotten > state.forgotten:
                self.execute("DELETE FROM gone WHERE change <= ?", (after.forgotten,))
            if after != state:
                self.execute(_STATE, (after.counter, after.live, after.forgotten))
        return True

    def check(self) -> Iterator[str]:
        """Rows that one table has and another one lacks."""
        apart = "SELECT count(*) FROM {} WHERE number NOT IN (SELECT number FROM {})"
        for one, other in (("texts", "vectors"), ("vectors", "texts"), ("windows", "vectors")):
            if missing := self.execute(apart.format(one, other)).fetchone()[0]:
                yield f"{missing:,} rows of {one} are not in {other}"

    def _remove(self, change: Change) -> None:
        for numbers in self._parts(change.removed):
            for table in ("texts", "vectors", "windows"):
                self.execute(f"DELETE FROM {table} WHERE number IN ({_marks(numbers)})", tuple(numbers))
        if change.removed:
            self.executemany("INSERT INTO gone VALUES (?, ?)", change.journal)

    def _add(self, change: Change) -> None:
        if change.added:
            self.executemany(
                "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (one.number, one.entry_id, one.checksum, one.text_key, one.metadata, one.text)
                    for one in change.added
                ),
            )
            self.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?)",
                ((one.number, one.vector_checksum, one.vectors) for one in change.added),
            )
        if several := [one for one in change.added if one.spans is not None]:
            self.executemany(
                "INSERT INTO windows VALUES (?, ?, ?)",
                ((one.number, one.spans_checksum, one.spans) for one in several),
            )

    def _parts(self, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Values in lists that a statement takes, without those that no row has."""
        if not self.holds_nul:
            values = [one for one in values if not isinstance(one, str) or "\0" not in one]
        return (values[start : start + _MOST_VALUES] for start in range(0, len(values), _MOST_VALUES))

    def _selecting(
        self,
        selected: str,
        which: Which,
        columns: Sequence[str],
        listed: Sequence[Any] = (),
        *,
        ordered: str = " ORDER BY number",
    ) -> tuple[str, tuple[Any, ...]]:
        """The statement for some columns of some rows, and its values."""
        conditions, values = [], list[Any]()
        if which.low:
            conditions, values = ["number > ?"], [which.low]
        if which.high is not None:
            conditions, values = [*conditions, "number <= ?"], [*values, which.high]
        if which.listed is not None:
            name = _COLUMNS.get(which.listed[0], "number")
            conditions, values = [*conditions, f"{name} IN ({_marks(listed)})"], [*values, *listed]
            ordered = ""
        if which.where is not None:
            sql, more = condition(which.where, self.filters)
            conditions, values = [*conditions, sql], [*values, *more]
        if which.several:
            conditions = [*conditions, "spans IS NOT NULL"]
        needed = frozenset(columns)
        from_texts = which.where is not None or (which.listed is not None and which.listed[0] != "number")
        tables = ["texts"] if from_texts or needed & _OF_TEXTS or needed <= {"number"} else []
        tables += ["vectors"] if needed - _OF_TEXTS - {"number"} else []
        tables += ["windows"] if needed & _OF_WINDOWS else []
        joined = " LEFT JOIN ".join([tables[0], *(f"{one} USING (number)" for one in tables[1:])])
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        limit = "" if which.limit is None else f" LIMIT {which.limit:d}"
        return f"SELECT {selected} FROM {joined}{where}{ordered}{limit}", tuple(values)


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
