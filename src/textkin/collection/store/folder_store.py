"""A collection in a folder: an authoritative SQLite file, and cache files next to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, final

from textkin.base.errors import OutputError
from textkin.base.progress import note
from textkin.collection.store.approximate_search import ApproximateSearch
from textkin.collection.store.cache_files import FOLDER, WORTH_A_FILE, refresh_caches
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.open_folder import opened
from textkin.collection.store.session import Session
from textkin.collection.store.sqlite import DATABASE, SqliteDatabase
from textkin.collection.store.view import View


@final
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
