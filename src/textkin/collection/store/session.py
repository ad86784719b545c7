"""A collection's open database and view, and their lock."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from textkin.base.errors import UsageError
from textkin.collection.store import database as db
from textkin.collection.store.database import Database
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import UnusableSegment
from textkin.collection.store.view import View
from textkin.text.baselines.analysers import PLAIN, Analyser, analyser_of


class Session:
    """The open parts of a collection. Threads take turns.

    Attributes:
        database: the collection's database.
        view: the searchable state.
    """

    def __init__(self, database: Database, view: View) -> None:
        self.database = database
        self.view = view
        self._lock = threading.RLock()
        self._dim = 0
        self._analyser: Analyser | None = None
        self._windowed = False
        self._is_ready = False  # the view, for the transaction that has begun
        self._is_closed = False

    def close(self) -> None:
        """Release open resources."""
        with self._lock:
            self.database.close()
            self.view = View(None)
            self._is_closed = True

    @contextmanager
    def reading(self, *, searching: bool = False) -> Iterator[None]:
        """Read and search one snapshot. A context manager.

        Args:
            searching: prepare searches at once. Cache files that a writer is just replacing then cost
                nothing: the snapshot is a later one.

        Raises:
            DataError: the database is damaged.
            OutputError: the collection was deleted or replaced since it was opened.
        """
        with self._lock, self.database.errors():
            self._require_open()
            if self.database.in_transaction:
                yield
                return
            self.database.require_place()
            try:
                self.database.begin(writes=False)
                if searching:
                    self._get_ready()
                yield
            finally:
                self._is_ready = False
                db.leave(self.database)

    @contextmanager
    def writing(self, wait: float | None, *, alone: bool = True) -> Iterator[None]:
        """Lock for writing; nestable. A context manager.

        Args:
            wait: seconds to wait for another writer; 30 if None.
            alone: exclude other writers; a database in a file has one writer at a time anyway.

        Raises:
            UsageError: something is being read here, or the collection was closed.
            OutputError: another process is writing, or the collection was deleted or replaced.
        """
        with self._lock, self.database.errors():
            self._require_open()
            if self.database.in_transaction:
                raise UsageError("a collection is changed while it is read", fix="leave the loop first")
            with self.database.locked(wait, alone=alone):
                yield

    def _require_open(self) -> None:
        if self._is_closed:
            place = db.collection_of(self.database.place)
            raise UsageError(f"the collection {place} is closed", fix="open it again")

    def source(self) -> RowSource | None:
        """The source of rows; None if there have never been any.

        Raises:
            DataError: the note on their vectors is corrupt.
        """
        self._dim = self._dim or self._noted_dim()
        if self._analyser is None:
            self._analyser = analyser_of(db.fact(self.database, "analyser") or PLAIN)
            self._windowed = bool(db.fact(self.database, db.WINDOWS))
        if not self._dim:
            return None
        return RowSource(self.database, self._dim, self._analyser, self._windowed)

    def _noted_dim(self) -> int:
        """The dimension of vectors, if it matches the stored ones; 0 if there have never been any."""
        dim = db.fact(self.database, "dim")
        first = self.database.execute("SELECT length(vector) FROM vectors LIMIT 1").fetchone()
        if first is not None and (dim is None or first[0] % (4 * dim)):
            raise db.unreadable(self.database, "dim")
        return int(dim or 0)

    def _get_ready(self) -> None:
        """Update the view to this transaction, or to a later one if a file was replaced meanwhile."""
        source = self.source()
        if source is not None:
            try:
                self.view.refresh(source)
                self._is_ready = True
            except UnusableSegment:
                db.leave(self.database)
                self.database.begin(writes=False)

    def refreshed(self) -> RowSource | None:
        """The source of the view, as of this transaction; None if there have never been rows."""
        source = self.source()
        if source is not None and not self._is_ready:
            self.view.refresh(source, again=True)
            self._is_ready = True
        return source
