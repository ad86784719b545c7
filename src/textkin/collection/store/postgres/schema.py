"""The tables of a collection in PostgreSQL.

Each collection has its own schema, ``textkin_NAME``. The tables are those of the SQLite format, without cache
files. Ids may exceed the key size of a B-tree index, so they have a hash index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from textkin.base.errors import UsageError
from textkin.collection.store.address import DatabaseAddress
from textkin.collection.store.database import FORMAT, fact, leave, require_format, set_fact
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.text.baselines.analysers import PLAIN, analyser_of

_TABLES = (
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
            for statement in _TABLES:
                database.execute(statement)
            for name, value in {"format": FORMAT, "analyser": PLAIN, **facts}.items():
                set_fact(database, name, value)


def _require(database: PostgresDatabase) -> None:
    """Check that there is a collection of this version.

    Raises:
        UsageError: it doesn't exist.
        DataError: it has another version.
    """
    address = database.place
    if not database.is_created():
        raise UsageError(f"there is no collection {address}", fix="make one: `add()`", params=("collection",))
    require_format(fact(database, "format"), str(address))


@contextmanager
def _all_or_none(database: PostgresDatabase) -> Iterator[None]:
    """A transaction that needs no tables yet."""
    database.execute("BEGIN")
    try:
        yield
    except BaseException:
        leave(database)
        raise
    database.execute("COMMIT")
