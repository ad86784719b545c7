"""A collection in PostgreSQL, shared by several machines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, final

from textkin.base.errors import invalid
from textkin.collection.store.address import DatabaseAddress, Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.database import forget, state_of, transaction
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.collection.store.postgres.hnsw import HnswSearch
from textkin.collection.store.postgres.schema import opened
from textkin.collection.store.session import Session
from textkin.collection.store.view import View

_TABLES = ("texts", "vectors", "windows", "gone", "facts", "state")


@final
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
            with transaction(self._database):
                forget(self._database, state_of(self._database).counter)
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
    database = PostgresDatabase.connect(address)
    try:
        return database.is_created()
    finally:
        database.close()


def _address(given: Place | str) -> DatabaseAddress:
    place = place_of(given)
    if not isinstance(place, DatabaseAddress):
        raise invalid("collection", str(place), expected="an address such as postgresql://USER@HOST/DATABASE")
    return place
