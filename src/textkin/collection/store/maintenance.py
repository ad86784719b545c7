"""Check and repair a damaged collection."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, OutputError, TextkinError, UsageError, inapplicable
from textkin.base.files import as_output
from textkin.base.locks import lock_folder
from textkin.collection.store.address import DatabaseAddress, Place, place_of
from textkin.collection.store.check import CollectionHealth, check, facts_of
from textkin.collection.store.database import WINDOWS, Database, fact
from textkin.collection.store.folder_store import LocalStore
from textkin.collection.store.repair import KnownVectors, Repaired, salvage, swap
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import FOLDER
from textkin.collection.store.sqlite import DATABASE, SqliteDatabase
from textkin.collection.store.writing import VectorsOf
from textkin.data.entry_records import Added, WindowsOf
from textkin.text.baselines.analysers import PLAIN, analyser_of

_FRESH = ".repaired"


def check_collection(given: Place | str) -> CollectionHealth:
    """Check a whole collection, in a folder or a database.

    Raises:
        UsageError: it doesn't exist.
        OutputError: the database can't be reached.
    """
    if isinstance(place := place_of(given), DatabaseAddress):
        from textkin.collection.store.postgres.store import opened

        return _checked(opened(place, None, None), None)
    path = _database(place)
    try:
        database = SqliteDatabase.connect(path, writes=False)
    except DataError as error:
        return CollectionHealth(0, (error.message,))
    return _checked(database, path.parent / FOLDER)


def facts_left(given: Place | str) -> dict[str, Any]:
    """The readable facts in a folder whose collection may be damaged."""
    if isinstance(place := place_of(given), DatabaseAddress):
        return {}
    try:
        with closing(SqliteDatabase.connect(_database(place), writes=False)) as database:
            return facts_of(database)
    except (DataError, OutputError):
        return {}


def repair_collection(
    given: Place | str,
    encode: VectorsOf | None = None,
    *,
    windows_of: WindowsOf | None = None,
    wait: float | None = None,
) -> Repaired:
    """Rebuild the cache; recover the rows of a damaged database into a new one.

    Args:
        given: the collection's folder.
        encode: encodes texts that have lost their vectors, or their windows; None if unavailable.
        windows_of: splits these texts into windows.
        wait: seconds to wait for another process that writes.

    Raises:
        UsageError: there is no collection, or it is in a database.
        DataError: nothing can be read, or vectors are lost and can't be recomputed.
        OutputError: another process is writing, or the disk is full.
    """
    if isinstance(place := place_of(given), DatabaseAddress):
        raise inapplicable(
            "repair",
            to=f"{place}, which PostgreSQL keeps",
            fix="restore the database from a copy; `check` says which rows are wrong",
        )
    path = _database(place)
    folder = path.parent
    sound = not check_collection(folder).database
    if sound:
        shutil.rmtree(folder / FOLDER, ignore_errors=True)
        with LocalStore.open(folder) as store:
            store.compact(wait=wait)
            repaired = Repaired(len(store))
        _make_cells(folder)
        return repaired
    with as_output(folder):
        held = lock_folder(folder.resolve(), target=folder, patience=wait)
    try:
        repaired = _saved(folder, path, encode, windows_of)
    finally:
        os.close(held)
    _make_cells(folder)
    return repaired


def _saved(folder: Path, path: Path, encode: VectorsOf | None, windows_of: WindowsOf | None) -> Repaired:
    found = salvage(path)
    fresh = folder / _FRESH
    shutil.rmtree(fresh, ignore_errors=True)
    known = KnownVectors(found, encode, windows_of)
    parts = known.windows_of if found.windowed else None
    facts = {name: value for name, value in found.facts.items() if name not in ("format", "dim")}
    try:
        with LocalStore.open(fresh, create=facts) as store:
            sum(store.add(found.entries(), known.vectors_of, windows_of=parts), Added())
    except TextkinError:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    kept = swap(folder, fresh)
    return found.account(known.lost, kept)


def _make_cells(folder: Path) -> None:
    """Rebuild the cells of approximate searches, if there were any."""
    with LocalStore.open(folder) as store:
        try:
            if store.cells.known() is not None:
                store.cells.prepare()
        except (DataError, UsageError):  # the note of them is unreadable, or too few rows are left
            store.cells.drop()


def _database(folder: Path) -> Path:
    path = folder / DATABASE
    if not path.is_file():
        raise UsageError(
            f"there is no collection {folder}", fix="make one: `add()`", params=("collection",), value=folder
        )
    return path


def _checked(database: Database, folder: Path | None) -> CollectionHealth:
    with closing(database):
        database.begin(writes=False)
        return check(database, _source(database), folder)


def _source(database: Database) -> RowSource | None:
    try:
        dim = fact(database, "dim")
        analyser = analyser_of(fact(database, "analyser") or PLAIN)
        windowed = bool(fact(database, WINDOWS))
    except (sqlite3.Error, ValueError, UsageError, DataError):
        return None
    return RowSource(database, int(dim), analyser, windowed) if dim else None
