"""A collection in a folder: a SQLite file that has the truth, and cache files beside it."""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, OutputError
from textkin.base.files import as_output
from textkin.base.locks import lock_folder
from textkin.base.paths import is_file
from textkin.base.progress import note
from textkin.collection.store.back_end import Change
from textkin.collection.store.facts import FIX, FORMAT, damaged, fact, state_of
from textkin.collection.store.filter_sql import SqliteFilters, add_functions
from textkin.collection.store.replaced_folder import HeldFolder, acknowledged, write_first
from textkin.collection.store.sql import SqlBackEnd

DATABASE = "collection.sqlite"
CACHE = "cache"
"""The folder of cache files."""

_PAUSE = 0.02  # seconds between two looks whether another process is done

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
    "INSERT INTO state VALUES (1, 0, 0, 0)",
)


class SqliteBackEnd(SqlBackEnd):
    """A collection in a folder. Only one process writes at a time.

    Args:
        folder: the folder, which may not exist yet.
        writes: False to open it for reading only.

    Raises:
        DataError: the file isn't a database.
        OutputError: the folder was replaced meanwhile.
    """

    place: Path
    filters = SqliteFilters()

    def __init__(self, folder: Path, *, writes: bool = True) -> None:
        self.place = folder / DATABASE
        self.cache = folder / CACHE
        self._may_write = writes
        self._opened: tuple[sqlite3.Connection, HeldFolder] | None = None
        if is_in_folder(folder):
            self._connect()

    @property
    def in_transaction(self) -> bool:
        """True inside a transaction."""
        return self._opened is not None and self._connection.in_transaction

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> sqlite3.Cursor:
        """Execute a statement."""
        return self._connection.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Execute a statement for each row of values."""
        return self._connection.executemany(statement, rows)

    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, as they are read."""
        return self._connection.execute(statement, values)

    def begin(self, *, writes: bool = False) -> None:
        """Begin a transaction."""
        self._connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    def commit(self) -> None:
        """Commit a transaction, checking the files before and after."""
        self._held.require()
        self._connection.execute("COMMIT")
        self._held.require()

    def write(self, change: Change) -> bool:
        """Make a change, and record the number of the last one next to the database."""
        if not super().write(change):
            return False
        if change.state.counter != change.before:
            self._held.acknowledge(change.state.counter)
        return True

    def require_place(self) -> None:
        """Check that the collection's name still leads here."""
        self._held.require()

    def require_whole(self) -> None:
        """Check that it has all changes acknowledged before it was opened.

        Raises:
            DataError: it doesn't, or the record is missing.
        """
        self._held.require_told(state_of(self).counter)

    @contextmanager
    def locked(self, wait: float, *, alone: bool) -> Iterator[None]:
        """Exclude other writing processes. A context manager."""
        folder = self.place.parent
        self._held.require()  # or a deleted folder would be created again
        with as_output(folder):
            held = _locked(self._held.path.resolve(), folder, wait)
        try:
            yield
        finally:
            os.close(held)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Translate SQLite's errors into textkin's. A context manager."""
        with sqlite_errors(self.place):
            yield

    def is_created(self) -> bool:
        """True if the tables exist."""
        if self._opened is None:
            return False
        found = self.execute("SELECT count(*) FROM sqlite_master WHERE name = 'state'").fetchone()
        return bool(found[0])

    def create(self, change: Change, wait: float) -> None:
        """Create a collection atomically, unless another process has done so.

        The creating process may write to it at once, and nobody waits for that.
        """
        folder, ends = self.place.parent, time.monotonic() + wait
        while not self._is_created_now():
            with as_output(folder):
                folder.mkdir(parents=True, exist_ok=True)
                try:
                    held = lock_folder(folder.resolve(), target=folder, patience=0)
                except OutputError:
                    if time.monotonic() >= ends:
                        raise
                    time.sleep(_PAUSE)
                    continue
            try:
                self._make(change)
            finally:
                os.close(held)

    def check(self) -> Iterator[str]:
        """Problems found by SQLite, rows that are apart, and acknowledged changes that are missing."""
        found = [str(row[0]) for row in self.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})")]
        yield from () if found == ["ok"] else found
        if self.is_created():
            if (version := fact(self, "format")) != FORMAT:
                yield f"format {version}, expected {FORMAT}"
            try:
                self.require_whole()
            except DataError as error:
                yield error.message
            yield from super().check()

    def compact(self) -> None:
        """Release the space of removed rows, and merge the log as far as readers allow, without waiting."""
        self.execute("VACUUM")
        self.execute("PRAGMA busy_timeout = 0")
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE)}")

    def size(self) -> int:
        """The bytes of the database and its log."""
        files = self.place.parent.glob(f"{DATABASE}*")
        return sum(path.stat().st_size for path in files if path.is_file())

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            self._connection.close()
            self._held.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._open[0]

    @property
    def _held(self) -> HeldFolder:
        return self._open[1]

    @property
    def _open(self) -> tuple[sqlite3.Connection, HeldFolder]:
        if self._opened is None:
            raise DataError("no database", path=self.place, fix=FIX)
        return self._opened

    def _connect(self) -> None:
        """Open the file. Transactions are explicit; a commit is durable when it returns."""
        folder = HeldFolder(self.place)
        try:
            self._opened = _connected(self.place, folder, writes=self._may_write), folder
        except BaseException:
            folder.close()
            raise

    def _is_created_now(self) -> bool:
        if self._opened is None and is_in_folder(self.place.parent):
            self._connect()
        return self.is_created()

    def _make(self, change: Change) -> None:
        """Create the tables; the folder's lock must be held."""
        if not is_in_folder(self.place.parent):
            if told := acknowledged(self.place):
                raise damaged(self.place, f"it is gone, and {told:,} changes were acknowledged")
            with as_output(self.place.parent):
                write_first(self.place)
        if self._opened is None:
            self._connect()
        if not self.is_created():
            with self.transaction():
                for statement in _TABLES:
                    self.execute(statement)
                for one in change.facts.items():
                    self.execute("INSERT INTO facts VALUES (?, ?)", one)


def is_in_folder(folder: Path) -> bool:
    """True if a folder contains a collection."""
    path = folder / DATABASE
    return is_file(path) and path.stat().st_size > 0


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
            f"can't write {path}: {error}", fix="free some space, then resume; acknowledged entries are safe"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return OutputError(
            f"can't open {path}: {error}", fix="check permissions; a collection's readers need to write, too"
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return OutputError(f"{path} is in use: {error}", fix="try again")
    return DataError(f"damaged, or no collection: {error}", path=path, fix=FIX)
