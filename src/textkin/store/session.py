"""A collection's connection and view, and whose turn it is."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from textkin.errors import UsageError
from textkin.files import as_output
from textkin.locks import lock_folder
from textkin.scorers.analysers import PLAIN, Analyser, analyser_of
from textkin.store import database as db
from textkin.store.caches import FOLDER
from textkin.store.segment import RowSource
from textkin.store.segment_file import UnusableSegment
from textkin.store.view import View


@final
class Session:
    """What is open of a collection. Threads take turns, and so do processes that write.

    Attributes:
        folder: where the collection lies.
        path: the database.
        connection: to it.
        view: what is ready to be searched.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self.path = folder / db.DATABASE
        self.connection = connection
        self.view = View(folder / FOLDER)
        self._lock = threading.RLock()
        self._writers = 0
        self._held = -1  # the descriptor of the writers' lock
        self._dim = 0
        self._analyser: Analyser | None = None
        self._windowed = False
        self._is_closed = False

    def close(self) -> None:
        """Give back what is open."""
        with self._lock:
            self.connection.close()
            self.view = View(self.folder / FOLDER)
            self._is_closed = True

    @contextmanager
    def reading(self, *, searching: bool = False) -> Iterator[None]:
        """In the block all that is read and searched is of one moment.

        Args:
            searching: get ready for searches at once. Then files of the cache that a writer replaces just now
                cost nothing: the moment is a later one.

        Raises:
            DataError: the database is damaged.
        """
        with self._lock, db.sqlite_errors(self.path):
            self._require_open()
            if self.connection.in_transaction:
                yield
                return
            self.connection.execute("BEGIN")
            try:
                if searching:
                    self._get_ready()
                yield
            finally:
                db.leave(self.connection)

    @contextmanager
    def writing(self, wait: float | None) -> Iterator[None]:
        """In the block this process alone writes. Blocks may lie in one another.

        Args:
            wait: seconds to wait for another one; 2 if None.

        Raises:
            UsageError: something is being read here, or the collection was closed.
            OutputError: another process is writing.
        """
        with self._lock, db.sqlite_errors(self.path):
            self._require_open()
            if self.connection.in_transaction:
                raise UsageError("a collection is changed while it is read", fix="leave the loop first")
            if not self._writers:
                with as_output(self.folder):
                    self._held = lock_folder(self.folder.resolve(), target=self.folder, patience=wait)
            self._writers += 1
            try:
                yield
            finally:
                self._writers -= 1
                if not self._writers:
                    os.close(self._held)

    def _require_open(self) -> None:
        if self._is_closed:
            raise UsageError(f"the collection {self.folder} is closed", fix="open it again")

    def source(self) -> RowSource | None:
        """Where rows are read; None while there have been none."""
        self._dim = self._dim or db.fact(self.connection, "dim") or 0
        if self._analyser is None:
            self._analyser = analyser_of(db.fact(self.connection, "analyser") or PLAIN)
            self._windowed = bool(db.fact(self.connection, db.WINDOWS))
        if not self._dim:
            return None
        return RowSource(self.connection, self.path, self._dim, self._analyser, self._windowed)

    def _get_ready(self) -> None:
        """Bring the view up to this transaction, or to a later one if a file was replaced meanwhile."""
        source = self.source()
        if source is not None:
            try:
                self.view.refresh(source)
            except UnusableSegment:
                db.leave(self.connection)
                self.connection.execute("BEGIN")

    def refreshed(self) -> RowSource | None:
        """The source of the view as of this transaction; None while there have been no rows."""
        source = self.source()
        if source is not None:
            self.view.refresh(source, again=True)
        return source
