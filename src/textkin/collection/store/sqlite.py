"""A collection's database as a SQLite file: its tables, opening and errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from textkin.base.errors import DataError, OutputError
from textkin.base.files import as_output
from textkin.base.locks import lock_folder
from textkin.base.progress import note
from textkin.collection.store import database as db
from textkin.collection.store.filter_sql import SqliteFilters, add_functions
from textkin.collection.store.replaced_folder import HeldFolder

DATABASE = "collection.sqlite"

_PATIENCE = 30.0  # seconds that a statement waits while SQLite locks readers out
_UNTOLD = 2.0  # seconds
_CHECKPOINT = 4000  # pages of the log
_PAGE = 8192  # bytes; a page holds several vectors
_MOST_PROBLEMS = 20  # problems reported by an integrity check

# Metadata come before texts, so that filters don't read texts.
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


class SqliteDatabase(db.Database):
    """A database in a file.

    Args:
        path: the path of the file.
        connection: the connection to it.
        folder: its folder.
    """

    place: Path
    filters = SqliteFilters()
    holds_nul = True

    def __init__(self, path: Path, connection: sqlite3.Connection, folder: HeldFolder) -> None:
        self.place = path
        self._connection = connection
        self._folder = folder
        self._writers = 0
        self._held = -1  # the descriptor of the writers' lock

    @classmethod
    def connect(cls, path: Path, *, writes: bool = True) -> Self:
        """Open an existing database, or create an empty file.

        Transactions begin and end with explicit statements; a commit is durable when it returns.

        Raises:
            DataError: it isn't a database.
            OutputError: the folder is gone or was replaced.
        """
        folder = HeldFolder(path)
        try:
            return cls(path, _connected(path, folder, writes=writes), folder)
        except BaseException:
            folder.close()
            raise

    @property
    def in_transaction(self) -> bool:
        """True inside a transaction."""
        return self._connection.in_transaction

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> sqlite3.Cursor:
        """Execute a statement."""
        return self._connection.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Execute a statement for each row of values."""
        return self._connection.executemany(statement, rows)

    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, as they are read."""
        return self._connection.execute(statement, values)

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction."""
        self._connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    def commit(self) -> None:
        """Commit a transaction, checking the files before and after."""
        self._folder.require()
        self._connection.execute("COMMIT")
        self._folder.require()

    def acknowledge(self, counter: int, /) -> None:
        """Record the number of a change next to the database."""
        self._folder.acknowledge(counter)

    def require_place(self) -> None:
        """Check that the collection's name still leads here."""
        self._folder.require()

    def require_told(self) -> None:
        """Check that it has all changes acknowledged before it was opened.

        Raises:
            DataError: it doesn't, or the record is missing.
        """
        self._folder.require_told(db.state_of(self).counter)

    @contextmanager
    def locked(self, wait: float | None, *, alone: bool) -> Iterator[None]:
        """Exclude other writing processes in any case. A context manager."""
        folder = self.place.parent
        if not self._writers:
            self._folder.require()  # or a deleted folder would be created again
            with as_output(folder):
                self._held = _locked(
                    self._folder.path.resolve(), folder, db.PATIENCE if wait is None else wait
                )
        self._writers += 1
        try:
            yield
        finally:
            self._writers -= 1
            if not self._writers:
                os.close(self._held)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Translate SQLite's errors into textkin's. A context manager."""
        with sqlite_errors(self.place):
            yield

    def keep_near(self, vectors: Iterable[tuple[int, bytes]], dim: int, /) -> None:
        """Nothing to do; the vector index is in files next to it."""

    def is_created(self) -> bool:
        """True if the tables exist."""
        found = self.execute("SELECT count(*) FROM sqlite_master WHERE name = 'state'").fetchone()
        return bool(found[0])

    def problems(self) -> Iterator[str]:
        """Problems found by SQLite, and acknowledged changes that are missing."""
        found = [str(row[0]) for row in self.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})")]
        yield from () if found == ["ok"] else found
        if self.is_created():
            if (version := db.fact(self, "format")) != db.FORMAT:
                yield f"format {version}, expected {db.FORMAT}"
            try:
                self.require_told()
            except DataError as error:
                yield error.message

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._folder.close()

    def create(self, facts: dict[str, Any]) -> None:
        """Create the tables of a new collection atomically."""
        with db.transaction(self):
            for statement in _TABLES:
                self.execute(statement)
            for name, value in ({"format": db.FORMAT} | facts).items():
                db.set_fact(self, name, value)

    def shrink(self) -> None:
        """Release the space of removed rows, and merge the log."""
        self.execute("VACUUM")
        self.empty_log()

    def empty_log(self) -> None:
        """Merge the log into the database, as far as readers allow, without waiting for them."""
        self.execute("PRAGMA busy_timeout = 0")
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE)}")


def _connected(path: Path, folder: HeldFolder, *, writes: bool) -> sqlite3.Connection:
    """A connection whose commits are durable when they return."""
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
            add_functions(connection)
            connection.execute(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
            folder.know_file()
        except BaseException:
            connection.close()
            raise
    return connection


def _locked(place: Path, shown: Path, wait: float) -> int:
    """The descriptor of the writers' lock; a longer wait is reported."""
    soon = min(wait, _UNTOLD)
    try:
        return lock_folder(place, target=shown, patience=soon)
    except OutputError:
        if wait <= soon:
            raise
    note(f"waiting for another textkin that writes to {shown}")
    return lock_folder(place, target=shown, patience=wait - soon)


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into textkin's. A context manager.

    Raises:
        OutputError: the disk is full, or isn't writable.
        DataError: the database is damaged, or isn't one.
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
    return DataError(f"damaged, or no collection: {error}", path=path, fix=db.FIX)
