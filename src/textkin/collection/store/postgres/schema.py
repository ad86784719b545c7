"""The tables of a collection in PostgreSQL.

Each collection has a schema of its own, ``textkin_NAME``. The tables are those of SQLite's format, without
files of a cache. Ids may be longer than an index of sorted keys takes, so theirs is one of hashes.
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
    # Vectors are numbers without a pattern: to try to compress them takes time alone.
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
        address: of the collection.
        create: the facts of a new one, which is made if there is none; None to make none.
        wait: seconds to wait for another process that makes it.

    Raises:
        UsageError: there is none, or no analyser of that name.
        MissingExtraError: the extra ``postgres`` is not installed.
        DataError: it is damaged, or of another version.
        OutputError: the server can't be reached, or doesn't let one in, or make it.
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
    """Make the tables of a new collection, all or none, unless somebody else was faster.

    Raises:
        UsageError: there is no analyser of that name.
        OutputError: somebody else is making them, or one may not.
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
        UsageError: there is none.
        DataError: it is of another version.
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
