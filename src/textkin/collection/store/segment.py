"""A searchable part of a collection, in memory or mapped from a cache file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.collection.store.address import Place
from textkin.collection.store.back_end import BackEnd, Which
from textkin.collection.store.facts import damaged
from textkin.collection.store.rows import texts_between, vectors_between
from textkin.text.baselines.analysers import Analyser
from textkin.vectors.index.bm25_postings import Postings, PostingsBuilder
from textkin.vectors.index.byte_codes import ByteCodes, byte_codes
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.join.prepared_rows import Rows, by_cosine

_SOME = 16  # queries in one call for which products are faster
_REPAY = 1_500  # queries that repay the preparation
_LARGEST = 1 << 29  # bytes of vectors


@dataclass(slots=True, eq=False)
class Segment:
    """The rows between two row numbers, ordered by id descending.

    So among equal scores, the first row is the one that the tie rule of ``ranking`` puts first.

    Attributes:
        low: row numbers are above this.
        high: row numbers are at most this.
        numbers: the row numbers, in order. Shape [rows].
        vectors: one per row or per window, those of a row together. Shape [vectors, dim].
        codes: the vectors with one byte per number.
        words_of: gives the words of the rows.
        file: the mapped file; None in memory.
        doubt: checks whether the vectors in the file are intact; None if known.
        alive: a mask of the rows that haven't been removed; None if all exist. Shape [rows].
        starts: the start of each row's vectors, and the end of the last; None if each row has one. Shape
            [rows + 1].
    """

    low: int
    high: int
    numbers: Ints
    vectors: Rows
    codes: ByteCodes
    words_of: Callable[[], Postings]
    file: Path | None = None
    doubt: Callable[[], bool] | None = None
    alive: Bools | None = None
    starts: Ints | None = None
    _by_number: Ints | None = field(default=None, repr=False)
    _postings: Postings | None = field(default=None, repr=False)
    _words: int | None = field(default=None, repr=False)
    _removed: Ints | None = field(default=None, repr=False)
    _searcher: Searcher | None = field(default=None, repr=False)
    _asked: int = field(default=0, repr=False)

    def __len__(self) -> int:
        return len(self.numbers)

    def searcher(self, queries: int) -> Searcher | None:
        """The search by matrix products for some queries; None if one after the other takes less time.

        Its preparation takes as long as searching for a thousand queries, so it waits for that many. Short
        rows of the vectors are then kept in memory, in at most half a gigabyte.
        """
        if queries < _SOME or self.starts is not None or self.vectors.values.nbytes > _LARGEST:
            return None
        self._asked += queries
        if self._searcher is None and self._asked >= _REPAY:
            self._searcher = Searcher(self.vectors, cosine=True)
        return self._searcher

    @property
    def postings(self) -> Postings:
        """The words of the rows."""
        if self._postings is None:
            self._postings = self.words_of()
        return self._postings

    @property
    def live(self) -> int:
        """The number of existing rows."""
        return len(self) if self.alive is None else int(np.count_nonzero(self.alive))

    @property
    def words(self) -> int:
        """The number of words in the existing rows, repeated ones included."""
        if self._words is None:
            lengths = self.postings.lengths
            self._words = int((lengths if self.alive is None else lengths[self.alive]).sum(dtype=np.int64))
        return self._words

    @property
    def removed(self) -> Ints:
        """The positions of removed rows, ascending."""
        if self._removed is None:
            gone = () if self.alive is None else np.flatnonzero(~self.alive)
            self._removed = np.asarray(gone, dtype=np.int64)
        return self._removed

    def places(self, numbers: Ints) -> Ints:
        """The positions of the given row numbers that are here."""
        if self._by_number is None:
            self._by_number = np.argsort(self.numbers)
        order = self._by_number
        if not len(order):
            return order
        at = np.minimum(np.searchsorted(self.numbers, numbers, sorter=order), len(order) - 1)
        return order[at][self.numbers[order[at]] == numbers]

    def remove(self, numbers: Ints) -> None:
        """Remove the given rows that are here."""
        inside = numbers[(numbers > self.low) & (numbers <= self.high)]
        places = self.places(inside)
        if len(places):
            alive = np.ones(len(self), dtype=np.bool_) if self.alive is None else self.alive.copy()
            alive[places] = False
            self.alive, self._words, self._removed = alive, None, None

    def allowed(self, numbers: Ints | None) -> Bools | None:
        """A mask of the rows allowed by a set of row numbers; None for all."""
        if numbers is None:
            return self.alive
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[self.places(numbers)] = True
        return mask if self.alive is None else mask & self.alive


@dataclass(frozen=True, slots=True)
class RowSource:
    """The source of segments.

    Attributes:
        back_end: the back end, which reads one moment.
        dim: the dimension of vectors; 0 without.
        analyser: the analyser of words.
        windowed: True if texts may have several vectors.
    """

    back_end: BackEnd
    dim: int
    analyser: Analyser
    windowed: bool = False

    @property
    def path(self) -> Place:
        """The location, for error messages."""
        return self.back_end.place

    def built(self, low: int, high: int) -> Segment:
        """A segment of some rows, in memory.

        Raises:
            DataError: a row is corrupt.
        """
        order = self.ordered(low, high)
        vectors = np.empty((order.vectors, self.dim), dtype=np.float32)
        self.fill(vectors, order, low, high)
        rows = by_cosine(vectors)
        words_of = self._words_of(order, low, high)
        return Segment(low, high, order.numbers, rows, byte_codes(rows), words_of, starts=order.starts)

    def ordered(self, low: int, high: int) -> IdOrder:
        """The order of the rows by id, the greatest first."""
        rows = list(self.back_end.rows(Which(low=low, high=high), ("number", "entry_id")))
        order = IdOrder.of([row[0] for row in rows], [str(row[1]) for row in rows])
        return order.with_counts(self.path, self._sizes(low, high)) if self.windowed else order

    def fill(self, vectors: Floats32, order: IdOrder, low: int, high: int) -> None:
        """Write the rows' vectors into an array, in segment order. Shape [vectors, dim]."""
        done, windowed = 0, self.windowed
        for numbers, part in vectors_between(self.back_end, low, high, self.dim, windowed=windowed):
            order.require(self.path, numbers, done)
            vectors[order.targets(done, len(numbers))] = part
            done += len(numbers)
        order.require_end(self.path, done)

    def _sizes(self, low: int, high: int) -> Ints:
        """The number of vectors of each row, by row number, without reading them."""
        rows = self.back_end.rows(Which(low=low, high=high), ("size",))
        return np.array([row[0] for row in rows], dtype=np.int64) // (4 * self.dim)

    def postings(self, order: IdOrder, low: int, high: int) -> Postings:
        """The words of the rows."""
        return self._counted(self._texts(order, low, high), order)

    def _words_of(self, order: IdOrder, low: int, high: int) -> Callable[[], Postings]:
        """The words of the rows; of texts in memory, they are counted when first asked for."""
        if self.back_end.in_memory:
            return partial(self._counted, list(self._texts(order, low, high)), order)
        postings = self.postings(order, low, high)
        return lambda: postings

    def _counted(self, parts: Iterable[list[str]], order: IdOrder) -> Postings:
        builder = PostingsBuilder(self.analyser)
        for texts in parts:
            builder.add(texts)
        return builder.built(order.places)

    def _texts(self, order: IdOrder, low: int, high: int) -> Iterator[list[str]]:
        """The texts of the rows, some thousands at a time."""
        done = 0
        for rows in texts_between(self.back_end, low, high):
            order.require(self.path, [row.number for row in rows], done)
            yield [row.text for row in rows]
            done += len(rows)
        order.require_end(self.path, done)


@dataclass(frozen=True, slots=True, eq=False)
class IdOrder:
    """Rows in segment order.

    Attributes:
        numbers: row numbers by id descending. Shape [rows].
        places: the positions of the rows in this order, by ascending number. Shape [rows].
        starts: as in :class:`Segment`.
    """

    numbers: Ints
    places: Ints
    starts: Ints | None = None

    @classmethod
    def of(cls, numbers: list[int], ids: list[str]) -> Self:
        """The order of rows with ascending numbers."""
        keys = [one.encode() for one in ids]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__, reverse=True), dtype=np.int64)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        return cls(np.array(numbers, dtype=np.int64)[order], places)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def vectors(self) -> int:
        """The number of vectors of all rows."""
        return len(self) if self.starts is None else int(self.starts[-1])

    def with_counts(self, path: Place, counts: Ints) -> IdOrder:
        """The same with each row's vector count, by ascending number. Shape [rows].

        Raises:
            DataError: the counts belong to other rows.
        """
        if len(counts) != len(self):
            raise _unequal(path)
        sizes = np.zeros(len(self) + 1, dtype=np.int64)
        sizes[self.places + 1] = counts
        return IdOrder(self.numbers, self.places, np.cumsum(sizes))

    def targets(self, done: int, count: int) -> Ints:
        """The positions of the next rows' vectors, by ascending number. Shape [vectors]."""
        places = self.places[done : done + count]
        if self.starts is None:
            return places
        sizes = self.starts[places + 1] - self.starts[places]
        first = np.repeat(self.starts[places] - (np.cumsum(sizes) - sizes), sizes)
        return first + np.arange(len(first))

    def require(self, path: Place, numbers: list[int], done: int) -> None:
        """Check that a table has the same rows as the others.

        Raises:
            DataError: it doesn't.
        """
        places = self.places[done : done + len(numbers)]
        if len(places) != len(numbers) or (self.numbers[places] != numbers).any():
            raise _unequal(path)

    def require_end(self, path: Place, done: int) -> None:
        """Check that no row is missing at the end."""
        if done != len(self):
            raise _unequal(path)


def _unequal(path: Place) -> Exception:
    return damaged(path, "texts and vectors are not of the same rows")
