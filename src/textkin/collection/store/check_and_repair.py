"""Check and repair a damaged collection."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, TextkinError, UsageError, inapplicable
from textkin.base.files import as_output
from textkin.base.locks import lock_folder
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.back_end import BackEnd, moment
from textkin.collection.store.check import CollectionHealth, check
from textkin.collection.store.facts import WINDOWS, fact
from textkin.collection.store.open_store import back_end_of, open_store, opened
from textkin.collection.store.repair import KnownVectors, Repaired, readable_facts, salvage, swap
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import SEGMENTS
from textkin.collection.store.sqlite import CACHE, DATABASE
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
    if not isinstance(place := place_of(given), Path):
        return _checked(opened(place))
    path = _database(place)
    try:
        return _checked(back_end_of(path.parent, writes=False))
    except DataError as error:
        return CollectionHealth(0, (error.message,))


def facts_left(given: Place | str) -> dict[str, Any]:
    """The readable facts in a folder whose collection may be damaged."""
    if not isinstance(place := place_of(given), Path):
        return {}
    path = _database(place)
    with closing(sqlite3.connect(path)) as connection:
        return readable_facts(connection, path)


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
        UsageError: there is no collection, or it is in no folder.
        DataError: nothing can be read, or vectors are lost and can't be recomputed.
        OutputError: another process is writing, or the disk is full.
    """
    if not isinstance(place := place_of(given), Path):
        raise inapplicable(
            "repair",
            to=f"{place}, which is in no folder",
            fix="restore it from a copy; `check_collection()` says which rows are wrong",
        )
    path = _database(place)
    folder = path.parent
    sound = not check_collection(folder).database
    if sound:
        shutil.rmtree(folder / CACHE, ignore_errors=True)
        with open_store(folder) as store:
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
    facts = {name: value for name, value in found.facts.items() if name not in ("format", "dim", SEGMENTS)}
    try:
        with open_store(fresh, create=facts) as store:
            sum(store.add(found.entries(), known.vectors_of, windows_of=parts), Added())
    except TextkinError:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    kept = swap(folder, fresh)
    return found.account(known.lost, kept)


def _make_cells(folder: Path) -> None:
    """Rebuild the cells of approximate searches, if there were any."""
    with open_store(folder) as store:
        try:
            if store.cells.in_words():
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


def _checked(back_end: BackEnd) -> CollectionHealth:
    with closing(back_end), moment(back_end):
        return check(back_end, _source(back_end))


def _source(back_end: BackEnd) -> RowSource | None:
    try:
        dim = fact(back_end, "dim")
        analyser = analyser_of(fact(back_end, "analyser") or PLAIN)
        windowed = bool(fact(back_end, WINDOWS))
    except (sqlite3.Error, ValueError, UsageError, DataError):
        return None
    return RowSource(back_end, int(dim), analyser, windowed) if dim else None
