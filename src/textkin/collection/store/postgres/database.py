"""A collection in PostgreSQL, shared by several machines: tables, transactions, locks, errors."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import count, islice
from typing import Any

import numpy as np

from textkin.base.errors import DataError, OutputError, TextkinError, either
from textkin.base.extras import imported
from textkin.collection.store.address import Address
from textkin.collection.store.back_end import Change, VectorIndex
from textkin.collection.store.facts import fact
from textkin.collection.store.filter_sql import PostgresFilters
from textkin.collection.store.sql import SqlBackEnd

_SECONDS = 10  # to connect, unless the address says otherwise
_PATIENCE = "30s"  # that a statement waits for a lock
_PAUSE = 0.05
_AT_ONCE = 1024  # rows fetched at a time by a stream
_POINTS_AT_ONCE = 4096  # vectors added to the index per statement
_LOCKED = "SELECT pg_try_advisory_lock{}(?)"
_UNLOCKED = "SELECT pg_advisory_unlock{}(?)"


_TABLES = ("texts", "vectors", "windows", "gone", "facts", "state")
_STATEMENTS = (
    """CREATE TABLE facts (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)""",
    """CREATE TABLE state (
        one integer PRIMARY KEY CHECK (one = 1), counter bigint NOT NULL, live bigint NOT NULL,
        forgotten bigint NOT NULL)""",
    """CREATE TABLE texts (
        number bigint PRIMARY KEY, id text COLLATE "C" NOT NULL, checksum bigint NOT NULL,
        text_key bigint NOT NULL, metadata text NOT NULL, text text NOT NULL,
        EXCLUDE USING hash (id WITH =))""",
    "CREATE INDEX texts_by_key ON texts (text_key)",
    "CREATE TABLE vectors (number bigint PRIMARY KEY, checksum bigint NOT NULL, vector bytea NOT NULL)",
    # Vectors don't compress; trying only takes time.
    "ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL",
    "CREATE TABLE windows (number bigint PRIMARY KEY, checksum bigint NOT NULL, spans bytea NOT NULL)",
    "CREATE TABLE gone (change bigint PRIMARY KEY, number bigint NOT NULL)",
    "INSERT INTO state VALUES (1, 0, 0, 0)",
)


class PostgresBackEnd(SqlBackEnd):
    """A collection in a database schema. Several processes add at once; each change is atomic.

    A lost connection is reopened for the next transaction, but never while a lock was held. The start of a
    transaction is sent with its first statement, since a round trip to a busy server takes longer than the
    query.

    Args:
        address: the collection's address, ``postgresql://USER@HOST/DATABASE?collection=NAME``.
        index: makes its index of vectors.

    Attributes:
        schema: the schema of its tables.

    Raises:
        MissingExtraError: the extra ``postgres`` is not installed.
        OutputError: the server can't be reached, or refuses the connection.
    """

    place: Address
    filters = PostgresFilters()
    many_write = True
    holds_nul = False

    def __init__(self, address: Address, index: Callable[[PostgresBackEnd], VectorIndex]) -> None:
        self.index = index(self)
        self.schema = f"textkin_{address.name}"
        self.place = address
        self._psycopg = imported("psycopg", extra="postgres")
        if not logging.getLogger("psycopg").hasHandlers():
            logging.getLogger("psycopg").addHandler(logging.NullHandler())  # errors repeat its warnings
        self._connection: Any = None
        self._names = count()
        self._locks = 0
        self._unsent: list[tuple[str, Sequence[Any]]] = []
        self._knows_vectors = False
        self._key = int.from_bytes(blake2b(self.schema.encode(), digest_size=8).digest(), signed=True)
        self._reconnect()

    @property
    def in_transaction(self) -> bool:
        """True inside a transaction."""
        return bool(self._unsent) or self._has_begun

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Any:
        """Execute a statement."""
        if not self._unsent:
            return self._done(((statement, values),))
        statements, self._unsent = [*self._unsent, (statement, values)], []
        return self._done(statements) if self._has_begun else self._first(statements)

    def with_next(self, statement: str, values: Sequence[Any] = (), /) -> None:
        """Send a statement together with the next one, in a transaction or to begin one."""
        self._unsent.append((statement, values))

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Execute a statement for each row of values."""
        self._send()
        with self.errors(), self._connection.cursor() as cursor:
            cursor.executemany(_translated(statement), rows)

    def streamed(self, statement: str, values: Sequence[Any] = (), /) -> Iterator[tuple[Any, ...]]:
        """Stream the rows of a statement, in a transaction, fetched some at a time."""
        self._send()
        with self.errors(), self._connection.cursor(name=f"rows{next(self._names)}") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(_translated(statement), values, binary=True)
            yield from cursor

    def begin(self, *, writes: bool = False) -> None:
        """Begin a transaction, either waiting for other writers or reading a snapshot."""
        self.with_next("BEGIN" if writes else "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if writes:
            self.execute("SELECT one FROM state FOR UPDATE")

    def commit(self) -> None:
        """End a transaction."""
        self.execute("COMMIT")

    def create(self, change: Change, wait: float) -> None:
        """Create the tables of a new collection atomically, unless somebody else was faster.

        Raises:
            OutputError: somebody else is creating them, or permission is missing.
        """
        with self.locked(wait, alone=True):
            if self.is_created():
                return
            try:
                self.execute("BEGIN")
                self.execute(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"')
                for statement in _STATEMENTS:
                    self.execute(statement)
                self.executemany("INSERT INTO facts VALUES (?, ?)", change.facts.items())
                self.execute("COMMIT")
            finally:
                self.end()

    def compact(self) -> None:
        """Vacuum the space of removed rows."""
        for table in _TABLES:
            self.execute(f"VACUUM ANALYZE {table}")

    def size(self) -> int:
        """The bytes of the tables with their indexes."""
        statement = (
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
            " WHERE c.relkind = 'r' AND c.relnamespace = ?::regnamespace"
        )
        return int(self.execute(statement, (f'"{self.schema}"',)).fetchone()[0])

    @contextmanager
    def locked(self, wait: float, *, alone: bool) -> Iterator[None]:
        """Lock for writing, shared or exclusive. A context manager."""
        self._take_lock(wait, alone=alone)
        self._locks += 1
        try:
            yield
        finally:
            self._locks -= 1
            with suppress(OutputError):  # a lost connection holds no lock
                self.execute(_UNLOCKED.format("" if alone else "_shared"), (self._key,))

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Translate PostgreSQL's errors into textkin's. A context manager."""
        try:
            yield
        except self._psycopg.Error as error:
            raise told(self.place, error) from error

    def copy(self, statement: str, rows: Iterable[Sequence[Any]], types: Sequence[str]) -> None:
        """Write rows by COPY, in PostgreSQL's binary form."""
        self._send()
        with self.errors(), self._connection.cursor() as cursor, cursor.copy(statement) as copying:
            copying.set_types(types)
            for row in rows:
                copying.write_row(row)

    def know_vectors(self) -> None:
        """Register pgvector's type, which the server has."""
        if not self._knows_vectors:
            with self.errors():
                imported("pgvector.psycopg", extra="postgres").register_vector(self._connection)
            self._knows_vectors = True

    def is_created(self) -> bool:
        """True if the tables exist."""
        found = self.execute("SELECT to_regclass(?)", (f"{self.schema}.state",)).fetchone()
        return found[0] is not None

    def _add(self, change: Change) -> None:
        """Add rows, also to the index of approximate searches, if there is one."""
        super()._add(change)
        if not change.added or not self.has_points():
            return
        self.know_vectors()
        dim = int(fact(self, "dim"))
        rows = (
            (one.number, vector)
            for one in change.added
            for vector in np.frombuffer(one.vectors, dtype="<f4").reshape(-1, dim)
        )
        while part := list(islice(rows, _POINTS_AT_ONCE)):
            self.executemany("INSERT INTO points VALUES (?, ?)", part)

    def has_points(self) -> bool:
        """True if there is an index of vectors."""
        return self.execute("SELECT to_regclass(?)", (f"{self.schema}.points",)).fetchone()[0] is not None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    @property
    def _has_begun(self) -> bool:
        status = self._psycopg.pq.TransactionStatus
        return self._connection.info.transaction_status in (status.INTRANS, status.INERROR, status.ACTIVE)

    def _first(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> Any:
        """Execute the first statements of a transaction, with a new connection if it was lost."""
        try:
            return self._done(statements)
        except OutputError:
            if not self._connection.closed or self._locks:
                raise
            self._reconnect()
            return self._done(statements)

    def _done(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> Any:
        """Execute statements in one round trip; return the rows of the last."""
        together = len(statements) > 1 and self._psycopg.Pipeline.is_supported()
        with self.errors(), self._connection.pipeline() if together else nullcontext():
            for statement, values in statements:
                found = self._connection.execute(_translated(statement), values, binary=True)
        return found

    def _send(self) -> None:
        """Send the statements that wait for the next one."""
        if self._unsent:
            self.execute("SELECT 1")

    def _reconnect(self) -> None:
        """Connect, with commits durable when they return."""
        self.close()
        problem: TextkinError | None = None
        try:
            given = self._psycopg.conninfo.conninfo_to_dict(self.place.secret)
            self._connection = self._psycopg.connect(
                **{"connect_timeout": _SECONDS, "application_name": "textkin"} | given, autocommit=True
            )
        except self._psycopg.Error as error:
            problem = refused(self.place, error)
        if problem is not None:  # raised here, since the library's error may quote the address
            raise problem
        numbers = imported("psycopg.types.numeric", extra="postgres")
        self._connection.adapters.register_dumper(int, numbers.Int8Dumper)
        self._knows_vectors = False
        self._set_path()
        self.execute(f"SET lock_timeout TO '{_PATIENCE}'")
        if self.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            self.execute("SET synchronous_commit TO on")

    def _set_path(self) -> None:
        """Set the search path to the collection's schema, and to that of pgvector."""
        found = "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        extension = self.execute(f"{found} WHERE e.extname = 'vector'").fetchone()
        path = ", ".join(f'"{one}"' for one in (self.schema, *(extension or ("public",))))
        self.execute("SELECT set_config('search_path', ?, FALSE)", (path,))

    def _take_lock(self, patience: float, *, alone: bool) -> None:
        end = time.monotonic() + patience
        while True:
            asked = (_LOCKED.format("" if alone else "_shared"), (self._key,))
            if self._first([asked]).fetchone()[0]:
                return
            if time.monotonic() >= end:
                raise OutputError(
                    f"another textkin is writing {self.place}",
                    fix=either("try again", "with a longer `wait`"),
                )
            time.sleep(_PAUSE)


@lru_cache(maxsize=512)
def _translated(statement: str) -> str:
    """A statement with psycopg's placeholders."""
    return statement.replace("%", "%%").replace("?", "%s")


_STATES = {
    "42501": ("doesn't let you do that", "ask its owner for rights; to make a collection takes CREATE"),
    "25006": ("takes no changes, as a standby or a read-only server", "name the server that writes"),
    "53100": ("has no room left", "free some space there; what was acknowledged is safe, go on then"),
    "53300": ("has too many connections", "close some, or raise max_connections there"),
    "55P03": ("is in use", "try again"),
    "40P01": ("is in use", "try again"),
    "57014": ("stopped the statement", "try again, or raise statement_timeout"),
}
"""Problem and fix by SQLSTATE."""

_CONNECTING = (
    ("password authentication failed", "refused the password", "check it, or keep it in PGPASSWORD"),
    ("no password supplied", "wants a password", "give one in PGPASSWORD or in ~/.pgpass"),
    ("no pg_hba.conf entry", "doesn't let you in", "ask its owner for access"),
    ("authentication failed", "doesn't let you in", "name another user: postgresql://USER@HOST/DATABASE"),
    ("role ", "doesn't know the user", "name another one: postgresql://USER@HOST/DATABASE"),
    ("database ", "has no such database", "make it: createdb DATABASE"),
    ("too many clients", "has too many connections", "close some, or raise max_connections there"),
    ("the database system is", "isn't ready", "try again in a moment"),
    ("invalid URI", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
    ("invalid connection option", "has an unknown option", "leave it out"),
    ("invalid percent", "can't be understood as an address", "write % as %25 in it"),
    ("extra key/value", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
    ("missing key/value", "can't be understood as an address", "write postgresql://USER@HOST:PORT/DATABASE"),
)
"""Problem and fix of a refused connection by its words, as there is no SQLSTATE."""

_UNREACHABLE = "see that the server runs, and that host and port are right"


def told(address: Address, error: Any) -> TextkinError:
    """The error of a statement.

    Args:
        address: the collection's address.
        error: psycopg's error.
    """
    state, message = error.sqlstate, _first_line(error)
    if state in _STATES:
        problem, fix = _STATES[state]
        return OutputError(f"{address} {problem}: {message}", fix=fix)
    if state is None or state[:2] in ("08", "57"):
        return OutputError(
            f"lost the connection to {address}: {message}",
            fix="resume when the server is back; acknowledged entries are safe",
        )
    return DataError(
        f"damaged, or no collection: {message}",
        path=str(address),
        fix="look at it by `check_collection()`",
    )


def refused(address: Address, error: Any) -> TextkinError:
    """The error of a refused connection."""
    message = str(error).replace("\n", " ")
    for part, problem, fix in _CONNECTING:
        if part in message:
            return OutputError(f"{address} {problem}", fix=fix)
    return OutputError(f"can't reach {address}: {_reason(message)}", fix=_UNREACHABLE)


def _reason(message: str) -> str:
    """The reason for a failed connection, from a message that may name its parameters."""
    for reason in (
        "Connection refused",
        "No such file or directory",
        "timeout expired",
        "could not translate host name",
        "Name or service not known",
        "failed to resolve host",
        "No route to host",
        "Network is unreachable",
        "SSL",
        "Permission denied",
        "server closed the connection",
    ):
        if reason.lower() in message.lower():
            return reason[0].lower() + reason[1:] if reason != "SSL" else "SSL can't be agreed on"
    return "the connection failed"


def _first_line(error: Any) -> str:
    """The first line of the server's message; rows and values are in later lines."""
    primary = getattr(getattr(error, "diag", None), "message_primary", None)
    return str(primary or str(error).partition("\n")[0] or type(error).__name__)
