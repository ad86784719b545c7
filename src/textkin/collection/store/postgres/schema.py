"""The tables of a collection in PostgreSQL, made and brought up to date version by version.

Each collection has a schema of its own, ``textkin_NAME``. The tables are those of SQLite's format, without
files of a cache. Ids may be longer than an index of sorted keys takes, so theirs is one of hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from textkin.base.errors import DataError, UsageError
from textkin.collection.store.address import DatabaseAddress
from textkin.collection.store.database import fact, leave, set_fact
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.text.baselines.analysers import PLAIN, analyser_of

VERSION = "format"
"""The fact that tells the version of the tables."""

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
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
        "CREATE TABLE windows (number bigint PRIMARY KEY, checksum bigint NOT NULL, spans bytea NOT NULL)",
        "CREATE TABLE gone (change bigint PRIMARY KEY, number bigint NOT NULL)",
        "INSERT INTO state VALUES (1, 0, 0, 0)",
    ),
    # Vectors are numbers without a pattern: to try to compress them takes time alone.
    ("ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL",),
)
"""What brings the tables to version 1, 2, and so on."""

NEWEST = len(_MIGRATIONS)


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
        DataError: it is damaged, or of a newer textkin.
        OutputError: the server can't be reached, or doesn't let one in, or make it.
    """
    database = PostgresDatabase.connect(address)
    try:
        with database.errors():
            if create is not None and not database.is_created():
                _create(database, create, wait)
            _require(database, wait)
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
            _migrate(database, 0)
            for name, value in ({"analyser": PLAIN} | dict(facts)).items():
                set_fact(database, name, value)


def _require(database: PostgresDatabase, wait: float | None) -> None:
    """See that there is a collection of this version; an older one is brought up to date.

    Raises:
        UsageError: there is none.
        DataError: it is of a newer textkin.
        OutputError: it is of an older one, and one may not change its tables.
    """
    address = database.place
    if not database.is_created():
        raise UsageError(f"there is no collection {address}", fix="make one with textkin add")
    if (version := _version(database, address)) == NEWEST:
        return
    with database.locked(wait, alone=True), _all_or_none(database):
        version = _version(database, address)  # somebody else may have been faster
        _migrate(database, version)


def _version(database: PostgresDatabase, address: DatabaseAddress) -> int:
    version = fact(database, VERSION)
    if not isinstance(version, int) or not 1 <= version <= NEWEST:
        told = f"format {version}, expected {NEWEST}"
        raise DataError(told, path=str(address), fix="use a newer textkin")
    return version


def _migrate(database: PostgresDatabase, version: int) -> None:
    for statements in _MIGRATIONS[version:]:
        for statement in statements:
            database.execute(statement)
    set_fact(database, VERSION, NEWEST)


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
