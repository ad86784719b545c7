"""The interface to a collection's database: statements, transactions, facts, state.

Statements use the SQL shared by SQLite and PostgreSQL, with question marks for values. A row keeps its number
until its text changes. Numbers come from the change counter, so later rows have greater ones. Vectors have a
separate table, so that filters read texts only. The vectors of a text's windows share one row, so that they
are written whole or not at all; a separate column holds the window positions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from textkin.base.errors import DataError
from textkin.collection.store.address import Place
from textkin.collection.store.filter_sql import FilterSql

FORMAT = 2
"""The version of the tables, stored as a fact."""

WINDOWS = "windows"
"""The fact that holds the tokens per window; 0 or none if each text has one vector."""

PATIENCE = 30.0
"""Seconds to wait for another writer; adding a file takes a while."""

FIX = "look at it by `check_collection()`, save what is left by `repair_collection()`"
_FIX_ADDRESS = "look at it by `check_collection()`, restore the database from a backup"


_WIDEST = 1 << 20

_OWN: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "format": lambda value: type(value) is int,
        "dim": lambda value: type(value) is int and 0 < value <= _WIDEST,
        "analyser": lambda value: isinstance(value, str),
        WINDOWS: lambda value: type(value) is int and value >= 0,
    }
)
"""Types of the store's own facts; other facts are checked by their writers."""


def require_format(version: Any, place: Path | str) -> None:
    """Check that this textkin supports a collection's tables.

    Args:
        version: the version of the tables.
        place: the collection's location.

    Raises:
        DataError: it doesn't support them.
    """
    if version != FORMAT:
        is_newer = isinstance(version, int) and version > FORMAT
        fix = "use a newer textkin" if is_newer else "add the texts to a new one: `add()`"
        raise DataError(f"format {version}, expected {FORMAT}", path=str(place), fix=fix)


class SqlRows(Protocol):
    """The rows of a statement."""

    def fetchone(self) -> Any:
        """The next row; None at the end."""

    def fetchall(self) -> list[Any]:
        """All remaining rows."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows."""


class Database(Protocol):
    """An open database of one collection. Within :meth:`errors` it raises textkin's errors.

    Attributes:
        place: its file or address, for error messages.
        filters: its comparisons of metadata.
        holds_nul: True if texts may contain the character NUL.
    """

    place: Place
    filters: FilterSql
    holds_nul: bool

    @property
    def in_transaction(self) -> bool:
        """True inside a transaction."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Execute a statement."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Execute a statement for each row of values."""

    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """Stream the rows of a statement, in a transaction, with few in memory at a time."""

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction. Only one writes at a time; the others see a snapshot."""

    def commit(self) -> None:
        """Commit a transaction; its changes are then durable.

        Raises:
            OutputError: the collection was deleted or replaced since it was opened.
        """

    def acknowledge(self, counter: int, /) -> None:
        """Record the number of a durable change."""

    def require_place(self) -> None:
        """Check that the collection is still where it was opened.

        Raises:
            OutputError: it was deleted or replaced.
        """

    def locked(self, wait: float | None, *, alone: bool) -> AbstractContextManager[None]:
        """Lock for writing; nestable. A context manager.

        Args:
            wait: seconds to wait for others; 30 if None.
            alone: exclude other writers, although each batch is atomic anyway.

        Raises:
            OutputError: somebody else is writing.
        """

    def errors(self) -> AbstractContextManager[None]:
        """Translate its errors into textkin's. A context manager.

        Raises:
            OutputError: it can't be reached or isn't writable.
            DataError: it is damaged, or isn't a database.
        """

    def keep_near(self, vectors: Iterable[tuple[int, bytes]], dim: int, /) -> None:
        """Add new rows to the database's own vector index, if it has one."""

    def is_created(self) -> bool:
        """True if it has the tables of a collection."""

    def problems(self) -> Iterator[str]:
        """Problems reported by its engine."""

    def close(self) -> None:
        """Release open resources."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a collection.

    Attributes:
        counter: the number of the last change.
        live: the number of rows.
        forgotten: removals up to this change are no longer listed.
    """

    counter: int
    live: int
    forgotten: int


def fact(database: Database, name: str) -> Any:
    """The value noted under a name; None without.

    Raises:
        DataError: it is corrupt.
    """
    found = database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    if found is None:
        return None
    try:
        value = json.loads(found[0])
    except (TypeError, ValueError, RecursionError):
        raise unreadable(database, name) from None
    if name in _OWN and not _OWN[name](value):
        raise unreadable(database, name)
    return value


def unreadable(database: Database, name: str) -> DataError:
    """The error about an unreadable fact."""
    return damaged(database.place, f"what is noted as {name!r} is not what was written")


def set_fact(database: Database, name: str, value: Any) -> None:
    """Note a JSON value under a name."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    statement = "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    database.execute(statement, (name, text))


def state_of(database: Database) -> State:
    """The collection's state, as seen by this transaction.

    Raises:
        DataError: this is corrupt.
    """
    found = database.execute("SELECT counter, live, forgotten FROM state").fetchone()
    if found is None or not all(type(one) is int and one >= 0 for one in found):
        raise damaged(database.place, "the counter of its changes is not what was written")
    return State(*found)


def rows_since(database: Database, change: int, last: int | None = None) -> int:
    """The number of rows that have come since a change, up to another if given."""
    statement = "SELECT count(*) FROM texts WHERE number > ? AND number <= ?"
    return int(database.execute(statement, (change, 2**62 if last is None else last)).fetchone()[0])


def leave(database: Database) -> None:
    """End a transaction, if any, that wrote nothing or is rolled back."""
    if database.in_transaction:
        database.execute("ROLLBACK")


@contextmanager
def transaction(database: Database, *, writes: bool = True) -> Iterator[None]:
    """Run the block atomically, on one snapshot. A context manager."""
    try:
        database.begin(writes=writes)  # may fail after it began, such as for lack of a lock
        yield
        database.commit()
    except BaseException:
        leave(database)
        raise


def forget(database: Database, change: int) -> None:
    """Delete the list of removals up to a change; older readers reload everything."""
    database.execute("DELETE FROM gone WHERE change <= ?", (change,))
    database.execute("UPDATE state SET forgotten = ? WHERE forgotten < ?", (change, change))


def damaged(place: Place, what: str) -> DataError:
    """The error about a database with invalid contents."""
    fix = FIX if isinstance(place, Path) else _FIX_ADDRESS
    return DataError(f"damaged: {what}", path=place if isinstance(place, Path) else str(place), fix=fix)


def collection_of(place: Place) -> Place:
    """The user's name for a database's collection: its folder or address."""
    return place.parent if isinstance(place, Path) else place
