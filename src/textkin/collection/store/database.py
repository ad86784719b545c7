"""What a collection needs of its database, whichever it is: statements, transactions, facts, the state.

Statements are of the SQL that SQLite and PostgreSQL share, with question marks for values. A row keeps its
number until its text changes. Numbers come from the counter of changes, so what came after a moment has a
greater one. Vectors lie apart, so that filters read texts only. The vectors of a text's windows lie in one
row, one after another, so that they are written whole or not at all; where the windows stand is told beside.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, final

from textkin.base.errors import DataError
from textkin.collection.store.address import Place
from textkin.collection.store.filter_sql import FilterSql

FORMAT = 2
"""The version of the tables, which is kept as a fact."""

WINDOWS = "windows"
"""The fact that tells the tokens of a window; 0 or none where each text has one vector."""

PATIENCE = 30.0
"""Seconds to wait for another process that writes; one that adds a file takes its time."""

FIX = "look at it by `inspect()` with `check`, save what is left with `repair`"
_FIX_ADDRESS = "look at it by `inspect()` with `check`, restore the database from a copy"


_WIDEST = 1 << 20

_OWN: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        "format": lambda value: type(value) is int,
        "dim": lambda value: type(value) is int and 0 < value <= _WIDEST,
        "analyser": lambda value: isinstance(value, str),
        WINDOWS: lambda value: type(value) is int and value >= 0,
    }
)
"""What the store's own facts must be; others are checked by those who note them."""


def require_format(version: Any, place: Path | str) -> None:
    """See that this textkin knows a collection's tables.

    Args:
        version: of the tables.
        place: of the collection.

    Raises:
        DataError: it doesn't.
    """
    if version != FORMAT:
        is_newer = isinstance(version, int) and version > FORMAT
        fix = "use a newer textkin" if is_newer else "add the texts to a new one: `add()`"
        raise DataError(f"format {version}, expected {FORMAT}", path=str(place), fix=fix)


class SqlRows(Protocol):
    """The rows of a statement."""

    def fetchone(self) -> Any:
        """The next one; None at the end."""
        ...

    def fetchall(self) -> list[Any]:
        """All that are left."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """One by one."""
        ...


class Database(Protocol):
    """The database of one collection, open. What it raises are textkin's errors within :meth:`errors`."""

    @property
    def place(self) -> Place:
        """Its file or address, which errors name."""
        ...

    @property
    def filters(self) -> FilterSql:
        """How it compares metadata."""
        ...

    @property
    def holds_nul(self) -> bool:
        """Whether texts may hold the character NUL."""
        ...

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction has begun."""
        ...

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> SqlRows:
        """Do a statement."""
        ...

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Do a statement for each of some rows of values."""
        ...

    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, in a transaction, of which few are in memory at a time."""
        ...

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction. Of those that write there is one at a time; the others see one moment."""
        ...

    def commit(self) -> None:
        """End a transaction; what it wrote is on the disk, where the collection is.

        Raises:
            OutputError: the collection was deleted or replaced since it was opened.
        """
        ...

    def acknowledge(self, counter: int, /) -> None:
        """Note the number of a change that is on the disk."""
        ...

    def require_place(self) -> None:
        """See that the collection is where it was when it was opened.

        Raises:
            OutputError: it was deleted or replaced.
        """
        ...

    def locked(self, wait: float | None, *, alone: bool) -> AbstractContextManager[None]:
        """In the block one may write; blocks may lie in one another.

        Args:
            wait: seconds to wait for others; 30 if None.
            alone: nobody else may write, though each batch is whole anyway.

        Raises:
            OutputError: somebody else is writing.
        """
        ...

    def errors(self) -> AbstractContextManager[None]:
        """Turn its errors in the block into textkin's.

        Raises:
            OutputError: it can't be reached or written to.
            DataError: it is damaged, or none.
        """
        ...

    def keep_near(self, vectors: Iterable[tuple[int, bytes]], dim: int, /) -> None:
        """Give new rows to an index of vectors that the database keeps itself, where it has one."""
        ...

    def is_created(self) -> bool:
        """Whether it has the tables of a collection."""
        ...

    def problems(self) -> Iterator[str]:
        """What its engine finds wrong with it."""
        ...

    def close(self) -> None:
        """Give back what is open."""
        ...


@final
@dataclass(frozen=True, slots=True)
class State:
    """How far a collection has come.

    Attributes:
        counter: the number of the last change.
        live: how many rows there are.
        forgotten: removals up to this change are no longer listed.
    """

    counter: int
    live: int
    forgotten: int


def fact(database: Database, name: str) -> Any:
    """What was noted under a name; None if nothing was.

    Raises:
        DataError: it is not what was written.
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
    """The error about what was noted under a name and can't be read."""
    return damaged(database.place, f"what is noted as {name!r} is not what was written")


def set_fact(database: Database, name: str, value: Any) -> None:
    """Note a JSON value under a name."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    statement = "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    database.execute(statement, (name, text))


def state_of(database: Database) -> State:
    """How far the collection has come, as this transaction sees it.

    Raises:
        DataError: this is not what was written.
    """
    found = database.execute("SELECT counter, live, forgotten FROM state").fetchone()
    if found is None or not all(type(one) is int and one >= 0 for one in found):
        raise damaged(database.place, "the counter of its changes is not what was written")
    return State(*found)


def rows_since(database: Database, change: int) -> int:
    """How many rows have come since a change."""
    statement = "SELECT count(*) FROM texts WHERE number > ?"
    return int(database.execute(statement, (change,)).fetchone()[0])


def leave(database: Database) -> None:
    """End a transaction, if there is one, in which nothing was written or all is taken back."""
    if database.in_transaction:
        database.execute("ROLLBACK")


@contextmanager
def transaction(database: Database, *, writes: bool = True) -> Iterator[None]:
    """All that is done in the block, or nothing; what is read is of one moment."""
    try:
        database.begin(writes=writes)  # may fail after it began, such as for want of a lock
        yield
        database.commit()
    except BaseException:
        leave(database)
        raise


def forget(database: Database, change: int) -> None:
    """List removals up to a change no longer: who has seen less begins anew."""
    database.execute("DELETE FROM gone WHERE change <= ?", (change,))
    database.execute("UPDATE state SET forgotten = ? WHERE forgotten < ?", (change, change))


def damaged(place: Place, what: str) -> DataError:
    """The error about a database that holds what it can't."""
    fix = FIX if isinstance(place, Path) else _FIX_ADDRESS
    return DataError(f"damaged: {what}", path=place if isinstance(place, Path) else str(place), fix=fix)


def collection_of(place: Place) -> Place:
    """What a user calls the collection of a database: its folder or address."""
    return place.parent if isinstance(place, Path) else place
