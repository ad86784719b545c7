"""A collection in PostgreSQL, which several machines read and write."""

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

    Exact searches are those of a collection in a folder: rows are read into memory once, then those that
    have changed since. Several processes add at once; each batch is whole.

    Args:
        database: of the collection.
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
            wait: seconds to wait for another process that makes it.

        Raises:
            UsageError: there is none, or no analyser of that name, or the address can't be understood.
            MissingExtraError: the extra ``postgres`` is not installed.
            DataError: it is damaged, or of a newer textkin.
            OutputError: the server can't be reached, or doesn't let one in, or make it.
        """
        return cls(opened(_address(given), create, wait))

    @property
    def cells(self) -> HnswSearch:
        """Approximate searches."""
        return self._cells

    def compact(self, *, wait: float | None = None) -> None:
        """Give back the room of removed rows, as PostgreSQL does it, and list them no longer.

        Who has read the collection before reads it anew.

        Raises:
            OutputError: another process is writing, or one may not.
        """
        with self._session.writing(wait):
            with transaction(self._database):
                forget(self._database, state_of(self._database).counter)
            for table in _TABLES:
                self._database.execute(f"VACUUM ANALYZE {table}")

    def catch_up(self) -> None:
        """There is no cache: what is read stays in memory."""

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
        """There is no cache."""


def is_in_database(address: DatabaseAddress) -> bool:
    """Whether a database holds a collection.

    Raises:
        MissingExtraError: the extra ``postgres`` is not installed.
        OutputError: the server can't be reached, or doesn't let one in.
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
