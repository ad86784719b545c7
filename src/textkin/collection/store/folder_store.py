"""A collection in a folder: a file of SQLite that is the only truth, and beside it files of a cache."""

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
    """A collection on disk; obtained from :meth:`open`. One process writes at a time.

    Attributes:
        folder: where it lies.
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
            folder: where it lies.
            create: make a new one if there is none, with these facts, JSON values: ``analyser``, a name of
                ``text.baselines.analysers`` (plain if left out), ``windows``, the tokens of a window (0 if
                left out: each text has one vector), and whatever is to be known of it.
            wait: seconds to wait for another process that makes it.

        Raises:
            UsageError: there is none, or an analyser of that name.
            DataError: it is damaged, or of a newer textkin.
            OutputError: it can't be opened or made.
        """
        return cls(Path(folder), opened(Path(folder), create, wait))

    @property
    def cells(self) -> ApproximateSearch:
        """What approximate searches look at."""
        return self._cells

    def compact(self, *, wait: float | None = None) -> None:
        """Make the files as small as they can be: one of the cache, and no room of removed rows.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(wait):
            self._refresh_caches(whole=True)
            self._database.shrink()

    def catch_up(self) -> None:
        """Make caches that are missing, so that the next one who opens the collection needn't, if one may."""
        with self.reading(searching=True):
            source = self._session.refreshed()
        if source is not None and self._session.view.fresh >= WORTH_A_FILE:
            try:
                with self._session.writing(0.0):
                    self._refresh_caches()
            except OutputError:
                return  # somebody else is writing, or one may not: searches go without

    def sizes(self) -> tuple[int, int]:
        """The bytes of the database and its log, and of the cache."""
        return _size(self.folder, f"{DATABASE}*"), _size(self.folder, f"{FOLDER}/*")

    def _keep_up(self) -> None:
        """Bring the cache up to date; where the disk is full, what was told stays told."""
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
