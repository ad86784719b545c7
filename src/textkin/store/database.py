"""The database of a collection: its tables, how it is opened, and what its errors mean."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from textkin.errors import DataError, OutputError

DATABASE = "collection.sqlite"
FORMAT = 2
READABLE = (1, 2)
"""Formats that are opened; the first one has no windows. A collection keeps its format."""

WINDOWS = "windows"
"""The fact that tells the tokens of a window; 0 or none where each text has one vector."""

_PATIENCE = 30.0  # seconds that a statement waits, for the moments in which SQLite locks readers out
_CHECKPOINT = 4000  # pages of the log
_PAGE = 8192  # bytes; several vectors lie in a page
_REPAIR = "look at it with textkin inspect --check, save what is left with --repair"

# A row keeps its number until its text changes. Numbers come from the counter of changes, so what came after
# a moment has a greater one. Vectors lie apart, so that filters read texts only, and metadata come before
# texts, so that they don't read those. The vectors of a text's windows lie in one row, one after another, so
# that they are written whole or not at all; where the windows stand is told beside them.
_TABLES = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE state (
        one INTEGER PRIMARY KEY CHECK (one = 1), counter INTEGER NOT NULL, live INTEGER NOT NULL,
        forgotten INTEGER NOT NULL)""",
    """CREATE TABLE texts (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL,
        text_key INTEGER NOT NULL, metadata TEXT NOT NULL, text TEXT NOT NULL)""",
    "CREATE INDEX texts_by_key ON texts (text_key)",
    "CREATE TABLE vectors (number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, vector BLOB NOT NULL)",
    "CREATE TABLE windows (number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, spans BLOB NOT NULL)",
    "CREATE TABLE gone (change INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    """CREATE TABLE segments (
        high INTEGER PRIMARY KEY, low INTEGER NOT NULL, rows INTEGER NOT NULL, file TEXT NOT NULL,
        checksum INTEGER NOT NULL)""",
    "INSERT INTO state VALUES (1, 0, 0, 0)",
)


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


def connect(path: Path, *, writes: bool = True) -> sqlite3.Connection:
    """Open a database that is there, or make an empty file.

    Transactions begin and end by statements alone; a commit is on the disk when it returns.

    Raises:
        DataError: it is no database.
    """
    with sqlite_errors(path):
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute(f"PRAGMA page_size = {_PAGE}")
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                raise OutputError(
                    f"{path.parent} lies on a file system without shared memory, which a collection needs",
                    fix="use a local disk",
                )
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
            connection.execute("PRAGMA cache_size = -16384")
            connection.execute(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
        except BaseException:
            connection.close()
            raise
    return connection


def create(connection: sqlite3.Connection, facts: dict[str, Any]) -> None:
    """Make the tables of a new collection, all or none."""
    with transaction(connection):
        for statement in _TABLES:
            connection.execute(statement)
        for name, value in ({"format": FORMAT} | facts).items():
            set_fact(connection, name, value)


def is_created(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there."""
    found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'state'").fetchone()
    return bool(found[0])


def fact(connection: sqlite3.Connection, name: str) -> Any:
    """What was noted under a name; None if nothing was.

    Raises:
        DataError: it is not what was written.
    """
    found = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    try:
        return None if found is None else json.loads(found[0])
    except (TypeError, ValueError, RecursionError):
        raise unreadable(connection, name) from None


def unreadable(connection: sqlite3.Connection, name: str) -> DataError:
    """The error about what was noted under a name and can't be read."""
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    return damaged(Path(path), f"what is noted as {name!r} is not what was written")


def set_fact(connection: sqlite3.Connection, name: str, value: Any) -> None:
    """Note a JSON value under a name."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, text))


def state_of(connection: sqlite3.Connection) -> State:
    """How far the collection has come, as this transaction sees it."""
    return State(*connection.execute("SELECT counter, live, forgotten FROM state").fetchone())


def leave(connection: sqlite3.Connection) -> None:
    """End a transaction, if there is one, in which nothing was written or all is taken back."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


@contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool = True) -> Iterator[None]:
    """All that is done in the block, or nothing; what is read is of one moment."""
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
    except BaseException:
        leave(connection)
        raise
    connection.execute("COMMIT")


def empty_log(connection: sqlite3.Connection) -> None:
    """Bring the log into the database, as far as readers let it; without waiting for them."""
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE)}")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors in the block into textkin's.

    Raises:
        OutputError: the disk is full, or can't be written to.
        DataError: the database is damaged, or is none.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _told(path, error) from error


def _told(path: Path, error: sqlite3.Error) -> Exception:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return OutputError(
            f"can't write {path}: {error}", fix="free some space; what was acknowledged is safe, go on then"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return OutputError(
            f"can't open {path}: {error}", fix="check permissions; a collection's readers need to write, too"
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return OutputError(f"{path} is in use: {error}", fix="try again")
    return DataError(f"damaged, or no collection: {error}", path=path, fix=_REPAIR)


def damaged(path: Path, what: str) -> DataError:
    """The error about a database that holds what it can't."""
    return DataError(f"damaged: {what}", path=path, fix=_REPAIR)
