"""A collection in a folder: an authoritative SQLite file, and cache files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import OutputError, UsageError
from textkin.base.files import as_output
from textkin.base.locks import lock_folder
from textkin.base.progress import note, remark
from textkin.collection.store.approximate_search import ApproximateSearch
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.database import PATIENCE, damaged, fact, require_format
from textkin.collection.store.replaced_folder import acknowledged, write_first
from textkin.collection.store.segment_file import FOLDER, WORTH_A_FILE, refresh_caches
from textkin.collection.store.session import Session
from textkin.collection.store.sqlite import DATABASE, SqliteDatabase
from textkin.collection.store.view import View
from textkin.data.entry_records import Entry, Window
from textkin.text.baselines.analysers import PLAIN, analyser_of


class LocalStore(CollectionStore):
    """A collection on disk; obtained from :meth:`open`. Only one process writes at a time.

    Attributes:
        folder: its location.
    """

    def __init__(self, folder: Path, database: SqliteDatabase) -> None:
        super().__init__(Session(database, View(folder / FOLDER)))
        self.folder = folder
        self._database = database
        self._cells = ApproximateSearch(self._session, folder / FOLDER)

    @classmethod
    def open(
        cls, folder: Path | str, *, create: Mapping[str, Any] | None = None, wait: float | None = None
    ) -> Self:
        """Open a collection.

        Args:
            folder: its location.
            create: create it if it doesn't exist, with these facts, JSON values: ``analyser``, a name of
                ``text.baselines.analysers`` (default: plain), ``windows``, the tokens per window (default: 0,
                one vector per text), and any further facts.
            wait: seconds to wait for another process that creates it.

        Raises:
            UsageError: it doesn't exist, or there is no such analyser.
            DataError: it is damaged, or from a newer textkin.
            OutputError: it can't be opened or created.
        """
        return cls(Path(folder), opened(Path(folder), create, wait))

    @property
    def cells(self) -> ApproximateSearch:
        """The cells of approximate searches."""
        return self._cells

    def compact(self, *, wait: float | None = None) -> None:
        """Compact the files: one cache file, and no space of removed rows.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(wait):
            self._refresh_caches(whole=True)
            self._database.shrink()

    def catch_up(self) -> None:
        """Build missing caches, if permitted, so that the next process needn't."""
        with self.reading(searching=True):
            source = self._session.refreshed()
        if source is not None and self._session.view.fresh >= WORTH_A_FILE:
            try:
                with self._session.writing(0.0):
                    self._refresh_caches()
            except OutputError:
                return  # somebody else is writing, or the folder is read-only: search without

    def sizes(self) -> tuple[int, int]:
        """The bytes of the database and its log, and of the cache."""
        return _size(self.folder, f"{DATABASE}*"), _size(self.folder, f"{FOLDER}/*")

    def _keep_up(self) -> None:
        """Update the cache; a full disk doesn't affect acknowledged changes."""
        try:
            with self._database.errors():
                self._refresh_caches()
        except OutputError as error:
            note(f"searches will take longer: {error}")

    def _refresh_caches(self, *, whole: bool = False) -> None:
        source = self._session.source()
        if source is not None:
            refresh_caches(source, self.folder / FOLDER, whole=whole)


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


_NEITHER = "make one: `add()`"
_PAUSE = 0.02  # seconds between two looks whether another process is done


def is_in_folder(folder: Path) -> bool:
    """True if a folder contains a collection."""
    path = folder / DATABASE
    return path.is_file() and path.stat().st_size > 0


def opened(folder: Path, create: Mapping[str, Any] | None, wait: float | None) -> SqliteDatabase:
    """The database of a collection.

    Args:
        folder: its location.
        create: the facts of a new one, which is created if missing; None to create none.
        wait: seconds to wait for another process that creates it.

    Raises:
        UsageError: it doesn't exist, or there is no such analyser.
        DataError: it is damaged, or from a newer textkin.
        OutputError: it can't be opened or created.
    """
    path = folder / DATABASE
    if create is not None:
        _create(folder, path, create, wait)
    elif not is_in_folder(folder):
        what = f"{folder} holds no collection yet" if path.is_file() else f"there is no collection {folder}"
        raise UsageError(what, fix=_NEITHER, params=("collection",), value=folder)
    database = SqliteDatabase.connect(path)
    try:
        with database.errors():
            _require(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _create(folder: Path, path: Path, facts: Mapping[str, Any], wait: float | None) -> None:
    """Create an empty collection atomically, unless another process has done so.

    The creating process may write to it at once, and nobody waits for that.
    """
    analyser_of(facts.get("analyser") or PLAIN)
    ends = time.monotonic() + (PATIENCE if wait is None else wait)
    while not _is_created(path):
        with as_output(folder):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                held = lock_folder(folder.resolve(), target=folder, patience=0)
            except OutputError:
                if time.monotonic() >= ends:
                    raise
                time.sleep(_PAUSE)
                continue
        try:
            _make(folder, path, facts)
        finally:
            os.close(held)


def _is_created(path: Path) -> bool:
    """True if a database has its tables."""
    if not is_in_folder(path.parent):
        return False
    with closing(SqliteDatabase.connect(path)) as database, database.errors():
        return database.is_created()


def _make(folder: Path, path: Path, facts: Mapping[str, Any]) -> None:
    """Create the tables; the folder's lock must be held."""
    if not is_in_folder(folder):
        if told := acknowledged(path):
            raise damaged(path, f"it is gone, and {told:,} changes were acknowledged")
        with as_output(folder):
            write_first(path)
    with closing(SqliteDatabase.connect(path)) as database, database.errors():
        if not database.is_created():
            database.create({"analyser": PLAIN} | dict(facts))


def _require(database: SqliteDatabase, path: Path) -> None:
    """Check that a database belongs to a collection, and has all acknowledged changes."""
    if not database.is_created():
        raise UsageError(
            f"{path.parent} holds no collection yet", fix=_NEITHER, params=("collection",), value=path.parent
        )
    require_format(fact(database, "format"), path)
    database.require_told()


_TEXTS = ("where can I park", "when do you open", "how do I park my car", "what is open")
_DIM = 8
_WINDOW = 4  # tokens; any number above 0


def rehearse_searches() -> None:
    """Run all searches of collections in folders and in databases.

    Without a folder for temporary files, the first searches wait for that, and a remark says so.
    """
    try:
        with TemporaryDirectory(prefix="textkin-") as folder:
            for window, where in product((0, _WINDOW), (None, "number >= 1")):
                place = Path(folder) / f"windows-{window}"
                for store in _stages(place, window):
                    store.nearest(_vectors(_TEXTS), 2, where=where)
                    store.words(_TEXTS, 2, where=where)
    except (OSError, OutputError) as error:
        remark(f"the first searches will take longer, as no temporary collection can be made: {error}")


def _stages(place: Path, window: int) -> Iterator[LocalStore]:
    """The collection with its rows in memory, then in a file."""
    entries = [Entry(text, text, {"number": number}) for number, text in enumerate(_TEXTS)]
    with LocalStore.open(place, create={"windows": window}) as store:
        for _ in store.add(entries, _vectors, windows_of=_halves if window else None):
            pass
        store.remove([_TEXTS[-1]])
        yield store
        store.compact()
    with LocalStore.open(place) as store:
        yield store


def _vectors(texts: Sequence[str]) -> Floats32:
    return np.random.default_rng(0).standard_normal((len(texts), _DIM), dtype=np.float32)


def _halves(texts: Sequence[str]) -> list[list[Window]]:
    return [[(0, len(text) // 2), (len(text) // 2, len(text))] for text in texts]
