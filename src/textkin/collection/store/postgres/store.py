"""A collection in PostgreSQL, shared by several machines, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Self

from textkin.base.errors import UsageError, invalid
from textkin.collection.store import database as db
from textkin.collection.store.address import DatabaseAddress, Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.collection.store.postgres.hnsw import HnswSearch
from textkin.collection.store.session import Session
from textkin.collection.store.view import View
from textkin.text.baselines.analysers import PLAIN, analyser_of

_TABLES = ("texts", "vectors", "windows", "gone", "facts", "state")


class PostgresStore(CollectionStore):
    """A collection in a database; obtained from :meth:`open`.

    Exact searches work as for a collection in a folder: rows are read into memory once, then only changed
    ones. Several processes add at once; each batch is atomic.

    Args:
        database: the collection's database.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(Session(database, View(None)))
        self._database = database
        self._cells = HnswSearch(self._session, database)

    @classmethod
    def open(
        cls,
        given: DatabaseAddress | str,
        *,
        create: Mapping[str, Any] | None = None,
        wait: float | None = None,
    ) -> Self:
        """Open a collection.

        Args:
            given: its address, ``postgresql://USER@HOST/DATABASE?collection=NAME``.
            create: as in :meth:`LocalStore.open`.
            wait: seconds to wait for another process that creates it.

        Raises:
            UsageError: it doesn't exist, there is no such analyser, or the address can't be parsed.
            MissingExtraError: the extra ``postgres`` is not installed.
            DataError: it is damaged, or from a newer textkin.
            OutputError: the server can't be reached, or refuses the connection or the creation.
        """
        return cls(opened(_address(given), create, wait))

    @property
    def cells(self) -> HnswSearch:
        """Approximate searches."""
        return self._cells

    def compact(self, *, wait: float | None = None) -> None:
        """Vacuum the space of removed rows, and delete their list.

        Earlier readers of the collection reload it.

        Raises:
            OutputError: another process is writing, or permission is missing.
        """
        with self._session.writing(wait):
            with db.transaction(self._database):
                db.forget(self._database, db.state_of(self._database).counter)
            for table in _TABLES:
                self._database.execute(f"VACUUM ANALYZE {table}")

    def catch_up(self) -> None:
        """Nothing to do; there is no cache on disk."""

    def sizes(self) -> tuple[int, int]:
        """The bytes of the tables with their indexes; no cache."""
        with self.reading():
            statement = (
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
                " WHERE c.relkind = 'r' AND c.relnamespace = ?::regnamespace"
            )
            found = self._database.execute(statement, (f'"{self._database.place.schema}"',)).fetchone()
        return int(found[0]), 0

    def _keep_up(self) -> None:
        """Nothing to do; there is no cache."""


def is_in_database(address: DatabaseAddress) -> bool:
    """True if a database contains a collection.

    Raises:
        MissingExtraError: the extra ``postgres`` is not installed.
        OutputError: the server can't be reached, or refuses the connection.
    """
    with closing(PostgresDatabase.connect(address)) as database:
        return database.is_created()


def _address(given: Place | str) -> DatabaseAddress:
    place = place_of(given)
    if not isinstance(place, DatabaseAddress):
        raise invalid("collection", str(place), expected="an address such as postgresql://USER@HOST/DATABASE")
    return place


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


def opened(
    address: DatabaseAddress, create: Mapping[str, Any] | None, wait: float | None
) -> PostgresDatabase:
    """The database of a collection.

    Args:
        address: the collection's address.
        create: the facts of a new one, which is created if missing; None to create none.
        wait: seconds to wait for another process that creates it.

    Raises:
        UsageError: it doesn't exist, or there is no such analyser.
        MissingExtraError: the extra ``postgres`` is not installed.
        DataError: it is damaged, or has another version.
        OutputError: the server can't be reached, or refuses the connection or the creation.
    """
    database = PostgresDatabase.connect(address)
    try:
        with database.errors():
            if create is not None and not database.is_created():
                _create(database, create, wait)
            _require(database)
    except BaseException:
        database.close()
        raise
    return database


def _create(database: PostgresDatabase, facts: Mapping[str, Any], wait: float | None) -> None:
    """Create the tables of a new collection atomically, unless somebody else was faster.

    Raises:
        UsageError: there is no such analyser.
        OutputError: somebody else is creating them, or permission is missing.
    """
    analyser_of(facts.get("analyser") or PLAIN)
    with database.locked(wait, alone=True):
        if database.is_created():
            return
        with _all_or_none(database):
            database.execute(f'CREATE SCHEMA IF NOT EXISTS "{database.place.schema}"')
            for statement in _STATEMENTS:
                database.execute(statement)
            for name, value in {"format": db.FORMAT, "analyser": PLAIN, **facts}.items():
                db.set_fact(database, name, value)


def _require(database: PostgresDatabase) -> None:
    """Check that there is a collection of this version.

    Raises:
        UsageError: it doesn't exist.
        DataError: it has another version.
    """
    address = database.place
    if not database.is_created():
        raise UsageError(f"there is no collection {address}", fix="make one: `add()`", params=("collection",))
    db.require_format(db.fact(database, "format"), str(address))


@contextmanager
def _all_or_none(database: PostgresDatabase) -> Iterator[None]:
    """A transaction that needs no tables yet."""
    database.execute("BEGIN")
    try:
        yield
    except BaseException:
        db.leave(database)
        raise
    database.execute("COMMIT")
