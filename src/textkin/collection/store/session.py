"""A collection's open back end and view, and their lock."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from textkin.base.errors import UsageError
from textkin.collection.store.back_end import BackEnd, Which
from textkin.collection.store.facts import PATIENCE, WINDOWS, collection_of, damaged, fact, unreadable
from textkin.collection.store.rows import StoredText, texts_of
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import UnusableSegment
from textkin.collection.store.view import View
from textkin.text.baselines.analysers import PLAIN, Analyser, analyser_of

_KEPT = 10_000  # texts of one snapshot at most: those of a search's hits, not of thousands of rankings


class Session:
    """The open parts of a collection. Threads take turns.

    Attributes:
        back_end: what keeps the rows.
        view: the searchable state.
    """

    def __init__(self, back_end: BackEnd) -> None:
        self.back_end = back_end
        self.view = View(back_end.cache)
        self._lock = threading.RLock()
        self._dim = 0
        self._analyser: Analyser | None = None
        self._windowed = False
        self._texts: dict[str, StoredText] = {}
        self._is_reading = False
        self._is_alone = False  # among writers
        self._is_ready = False  # the view, for the moment that is read
        self._is_closed = False

    def close(self) -> None:
        """Release open resources."""
        with self._lock:
            self.back_end.close()
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
        with self._lock, self.back_end.errors():
            self._require_open()
            if self._is_reading:
                yield
                return
            self.back_end.require_place()
            try:
                self._is_reading = True
                self.back_end.begin()
                if searching:
                    self._get_ready()
                yield
            finally:
                self._is_reading = self._is_ready = False
                self._texts.clear()
                self.back_end.end()

    @contextmanager
    def writing(self, wait: float | None, *, alone: bool = True) -> Iterator[None]:
        """Lock for writing; nestable. A context manager.

        Args:
            wait: seconds to wait for another writer; 30 if None.
            alone: exclude other writers, as most back ends do anyway.

        Raises:
            UsageError: something is being read here, or the collection was closed.
            OutputError: another process is writing, or the collection was deleted or replaced.
        """
        with self._lock, self.back_end.errors():
            self._require_open()
            if self._is_reading:
                raise UsageError("a collection is changed while it is read", fix="leave the loop first")
            if self._is_alone:
                yield
                return
            alone = alone or not self.back_end.many_write
            with self.back_end.locked(PATIENCE if wait is None else wait, alone=alone):
                try:
                    self._is_alone = alone
                    yield
                finally:
                    self._is_alone = False

    def _require_open(self) -> None:
        if self._is_closed:
            place = collection_of(self.back_end.place)
            raise UsageError(f"the collection {place} is closed", fix="open it again")

    def source(self) -> RowSource | None:
        """The source of rows; None if there have never been any.

        Raises:
            DataError: the note on their vectors is corrupt.
        """
        self._dim = self._dim or self._noted_dim()
        if self._analyser is None:
            self._analyser = analyser_of(fact(self.back_end, "analyser") or PLAIN)
            self._windowed = bool(fact(self.back_end, WINDOWS))
        if not self._dim:
            return None
        return RowSource(self.back_end, self._dim, self._analyser, self._windowed)

    def _noted_dim(self) -> int:
        """The dimension of vectors, if it matches the stored ones; 0 if there have never been any."""
        dim = fact(self.back_end, "dim")
        for (size,) in self.back_end.rows(Which(limit=1), ("size",)):
            if dim is None or size % (4 * dim):
                raise unreadable(self.back_end.place, "dim")
        return int(dim or 0)

    def ids_of(self, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of found rows by their numbers, within :meth:`reading`, which keeps their texts at hand.

        Raises:
            DataError: a row is missing or corrupt.
        """
        ids = {}
        for one in texts_of(self.back_end, Which(numbers=numbers)):
            ids[one.number] = one.entry_id
            if len(self._texts) < _KEPT:
                self._texts[one.entry_id] = one
        if len(ids) != len(numbers):
            raise damaged(self.back_end.place, "rows that were found are not there")
        return ids

    def texts_by_id(self, ids: Sequence[str]) -> dict[str, StoredText]:
        """The rows with the given ids, within :meth:`reading`; missing ones are left out.

        Raises:
            DataError: one is corrupt.
        """
        found = {name: self._texts[name] for name in ids if name in self._texts}
        others = list(dict.fromkeys(name for name in ids if name not in found))
        if others:
            found |= {one.entry_id: one for one in texts_of(self.back_end, Which(ids=others))}
        return found

    def _get_ready(self) -> None:
        """Update the view to this moment, or to a later one if a file was replaced meanwhile."""
        source = self.source()
        if source is not None:
            try:
                self.view.refresh(source)
                self._is_ready = True
            except UnusableSegment:
                self.back_end.end()
                self.back_end.begin()

    def refreshed(self) -> RowSource | None:
        """The source of the view, as of this moment; None if there have never been rows."""
        source = self.source()
        if source is not None and not self._is_ready:
            self.view.refresh(source, again=True)
            self._is_ready = True
        return source
