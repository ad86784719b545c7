"""Open a collection in a folder or in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.collection.store.address import DatabaseAddress, Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.folder_store import LocalStore, is_in_folder


def is_there(given: Place | str) -> bool:
    """True if a folder or a database contains a collection.

    Raises:
        UsageError: the address of a database can't be parsed.
        MissingExtraError: it is a database, and the extra ``postgres`` isn't installed.
        OutputError: the database can't be reached.
    """
    place = place_of(given)
    if isinstance(place, DatabaseAddress):
        from textkin.collection.store.postgres.store import is_in_database

        return is_in_database(place)
    return is_in_folder(place)


def open_store(
    given: Place | str, *, create: Mapping[str, Any] | None = None, wait: float | None = None
) -> CollectionStore:
    """Open a collection in a folder or a database.

    Args:
        given: a folder, or the address of a database, ``postgresql://USER@HOST/DATABASE?collection=NAME``.
        create: as in :meth:`LocalStore.open`.
        wait: seconds to wait for another process that creates it.

    Raises:
        UsageError: it doesn't exist, there is no such analyser, or the address can't be parsed.
        MissingExtraError: the extra ``postgres`` is not installed.
        DataError: it is damaged, or from a newer textkin.
        OutputError: it can't be reached, opened or created.
    """
    place = place_of(given)
    if isinstance(place, Path):
        return LocalStore.open(place, create=create, wait=wait)
    from textkin.collection.store.postgres.store import PostgresStore

    return PostgresStore.open(place, create=create, wait=wait)
