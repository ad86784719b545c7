"""Open a collection, in a folder, in PostgreSQL, in memory, or in a user's own back end."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError, invalid
from textkin.collection.store.address import MEMORY, POSTGRES, Place, place_of, require_lasting
from textkin.collection.store.back_end import BackEnd, Change, State
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.facts import FORMAT, PATIENCE, fact_texts, require_format
from textkin.text.baselines.analysers import PLAIN, analyser_of


def is_there(given: Place | str) -> bool:
    """True if a collection is at a place.

    Raises:
        UsageError: the address can't be parsed.
        MissingExtraError: it is a database, and the extra ``postgres`` isn't installed.
        OutputError: the database can't be reached.
    """
    place = place_of(given)
    if isinstance(place, Path):
        from textkin.collection.store.sqlite import is_in_folder

        return is_in_folder(place)
    with closing(back_end_of(place)) as back_end, back_end.errors():
        return back_end.is_created()


def open_store(
    given: Place | str, *, create: Mapping[str, Any] | None = None, wait: float | None = None
) -> CollectionStore:
    """Open a collection.

    Args:
        given: a folder, or an address, such as ``postgresql://USER@HOST/DATABASE?collection=NAME``.
        create: create it if it doesn't exist, with these facts, JSON values: ``analyser``, a name of
            ``text.baselines.analysers`` (default: plain), ``windows``, the tokens per window (default: 0, one
            vector per text), and any further facts.
        wait: seconds to wait for another process that creates it.

    Raises:
        UsageError: it doesn't exist, there is no such analyser, or the address can't be parsed.
        MissingExtraError: the extra ``postgres`` is not installed.
        DataError: it is damaged, or from a newer textkin.
        OutputError: it can't be reached, opened or created.
    """
    return CollectionStore(opened(place_of(given), create=create, wait=wait))


def opened(place: Place, *, create: Mapping[str, Any] | None = None, wait: float | None = None) -> BackEnd:
    """The back end of a collection; arguments and errors are those of :func:`open_store`."""
    back_end = back_end_of(place)
    try:
        with back_end.errors():
            if create is not None and not back_end.is_created():
                analyser_of(create.get("analyser") or PLAIN)
                facts = fact_texts({"format": FORMAT, "analyser": PLAIN, **create})
                back_end.create(Change(0, State(), facts=facts), PATIENCE if wait is None else wait)
                if not back_end.is_created():
                    raise invalid(
                        "collection", place, expected="a back end that has a collection once it was created"
                    )
            if not back_end.is_created():
                require_lasting(place)
                raise UsageError(
                    f"there is no collection {place}",
                    fix="make one: `add()`",
                    params=("collection",),
                    value=place,
                )
            require_format(back_end)
            back_end.require_whole()
    except BaseException:
        back_end.close()
        raise
    return back_end


def back_end_of(place: Place, *, writes: bool = True) -> BackEnd:
    """The back end at a place, which may have no collection yet.

    Args:
        place: the place.
        writes: False to open a file for reading only.

    Raises:
        UsageError: there is no such back end.
        MissingExtraError: the extra ``postgres`` isn't installed.
        DataError: it is damaged.
        OutputError: it can't be reached or opened.
    """
    if isinstance(place, Path):
        from textkin.collection.store.sqlite import SqliteBackEnd

        return SqliteBackEnd(place, writes=writes)
    if place.scheme == POSTGRES:
        from textkin.collection.store.postgres.database import PostgresBackEnd
        from textkin.collection.store.postgres.hnsw import HnswIndex

        return PostgresBackEnd(place, HnswIndex)
    if place.scheme == MEMORY:
        from textkin.collection.store.memory import MemoryBackEnd

        return MemoryBackEnd(place)
    from textkin.collection.store.own import own_back_end

    return own_back_end(place)
