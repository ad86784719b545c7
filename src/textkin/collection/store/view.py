"""A snapshot of a collection: segments from the cache, newer rows, and hits in both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.progress import note
from textkin.base.threads import cores, side_by_side
from textkin.collection.store.back_end import BackEnd, State, Which
from textkin.collection.store.facts import damaged, state_of
from textkin.collection.store.filters import parse_where
from textkin.collection.store.segment import RowSource, Segment
from textkin.collection.store.segment_file import KnownSegment, UnusableSegment, known_segments, open_segment
from textkin.data.ranking import best_first
from textkin.data.records import Hit
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters
from textkin.vectors.index.bm25_loop_arguments import Gathered
from textkin.vectors.index.bm25_postings import Statistics, WordQueries, loops_search_words, room_for
from textkin.vectors.index.vector_scan import scanned
from textkin.vectors.join.prepared_rows import by_cosine

Numbers = Ints
Within = Callable[[Segment], Bools]
"""Selects the rows of a segment to search. Shape [rows]."""

_MOST_PARTS = 8  # in memory, besides those of the cache
_QUERIES_EACH = 32  # by words, for each thread
_MOST_ROWS = 16_384  # vectors in memory before the cache is checked for them
_GROWTH = 2  # a part in memory is merged with newer ones until it is this many times larger


@dataclass(frozen=True, slots=True)
class Found:
    """Row numbers found by a search, with scores, including all ties that may be first."""

    numbers: Numbers
    scores: Floats32


class View:
    """All rows of a collection, ready for search.

    Rows up to some number are in segments with cache files, the rest in memory. A missing or corrupt file
    only costs time: its rows are read from the database.

    Args:
        folder: the cache folder; None without.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._files: list[KnownSegment] = []
        self._filed: list[Segment] = []
        self._fresh: list[Segment] = []
        self._state = State()
        self._rooms: list[Gathered] = []

    def refresh(self, source: RowSource, *, again: bool = False) -> None:
        """Apply the latest changes.

        Args:
            source: the rows, in a transaction; vectors have a dimension.
            again: read the rows of missing files from the database. Otherwise a missing file is an error, as
                a writer may have replaced it, so that the next transaction names others.

        Raises:
            DataError: the database is damaged.
            UnusableSegment: a file is missing.
        """
        state = state_of(source.back_end)
        if state == self._state:
            return
        before = self._state.counter
        self._state = State()  # whatever stops this, the next call starts over
        if before == 0 or state.forgotten > before or state.counter < before:
            self._open(source, state, again)
        else:
            self._follow(source, state, before)
            if self._is_scattered():
                if self._known(source) != self._files:
                    self._open(source, state, again)
                elif len(self._fresh) > _MOST_PARTS:
                    self._merge(source, state.counter)
        if (live := sum(one.live for one in self._segments)) != state.live:
            raise damaged(source.path, f"{live:,} rows are found, {state.live:,} were written")
        self._state = state

    @property
    def fresh(self) -> int:
        """The number of vectors in no cache file."""
        filed = sum(len(one.vectors) for one in self._filed if one.file is None)
        return sum(len(one.vectors) for one in self._fresh) + filed

    @property
    def _segments(self) -> list[Segment]:
        return [*self._filed, *self._fresh]

    @property
    def _end(self) -> int:
        return self._filed[-1].high if self._filed else 0

    def nearest(
        self,
        source: RowSource,
        queries: Floats32,
        depth: int,
        only: Numbers | None,
        *,
        within: Within | None = None,
    ) -> list[Found]:
        """The rows with the vectors most similar to each query; none for a zero vector.

        Args:
            source: the rows, in the transaction of the last refresh.
            queries: shape [queries, dim].
            depth: at least 1.
            only: numbers of the rows that may be found; all if None.
            within: selects the rows of a segment to search; all if None.
        """
        self._settle_doubts(source)
        rows = by_cosine(queries)
        floor = np.where(rows.squares > 0, -np.inf, np.inf).astype(np.float32)
        parts = []
        for segment, allowed in self._searched(only, within):
            most, together = min(depth, len(segment)), segment.searcher(len(rows))
            if together is not None and allowed is None:
                best = together.nearest(queries, most, floor=floor)
            else:
                sides = rows, segment.vectors, segment.codes
                best = scanned(*sides, most, floor=floor, allowed=allowed, starts=segment.starts)
            parts.append((segment, best))
        found = []
        for query in range(len(rows)):
            hits = [
                Found(segment.numbers[best.documents[query][kept]], best.scores[query][kept])
                for segment, best in parts
                for kept in [best.documents[query] >= 0]
            ]
            found.append(_joined(hits))
        return found

    def words(
        self, queries: WordQueries, depth: int, only: Numbers | None, bm25: Bm25Parameters = BM25
    ) -> list[Found]:
        """The best rows by BM25 for each query, of those that share a word."""
        terms = {segment: segment.postings.terms(queries.keys) for segment in self._segments}
        statistics = self._statistics(terms, len(queries.keys), bm25)
        searched = list(self._searched(only))
        by_loops = loops_search_words(
            sum(one.postings.work(terms[one][queries.places]) for one, _ in searched)
        )
        if by_loops:
            for segment, _ in searched:
                segment.postings.ceilings(statistics)  # before threads share it
        largest = max((len(segment) for segment, _ in searched), default=0)

        def piece(part: WordQueries) -> list[Found]:
            room = self._taken_room(largest) if by_loops else None
            hits = []
            for segment, allowed in searched:
                places, scores = segment.postings.best(part, terms[segment], statistics, depth, room, allowed)
                hits.append((segment.numbers, places, scores))
            if room is not None:
                self._rooms.append(room)
            return [_joined([_found(*one, query) for one in hits]) for query in range(len(part))]

        workers = max(min(cores(), len(queries) // _QUERIES_EACH), 1)
        each = max(-(-len(queries) // workers), 1)
        parts = [queries.part(start, start + each) for start in range(0, len(queries), each)]
        return [found for done in side_by_side(piece, parts, workers=workers) for found in done]

    def _taken_room(self, documents: int) -> Gathered:
        """A buffer for a word search, reused from an earlier one if large enough."""
        with suppress(IndexError):  # shared with other threads
            room = self._rooms.pop()
            if len(room.worth) >= documents:
                return room
        return room_for(documents)

    def statistics(self, keys: NDArray[np.uint64], bm25: Bm25Parameters = BM25) -> Statistics:
        """BM25 statistics of all rows, for words by their keys. Shape [asked]."""
        terms = {one: one.postings.terms(keys) for one in self._segments}
        return self._statistics(terms, len(keys), bm25)

    def _statistics(self, terms: Mapping[Segment, Numbers], asked: int, bm25: Bm25Parameters) -> Statistics:
        holders = np.zeros(asked, dtype=np.int64)
        for segment, numbers in terms.items():
            holders += segment.postings.holders(numbers, segment.removed)
        return Statistics(self._state.live, sum(one.words for one in terms), holders, bm25)

    def parts(self) -> list[Segment]:
        """All segments."""
        return self._segments

    def _searched(
        self, only: Numbers | None, within: Within | None = None
    ) -> Iterator[tuple[Segment, Bools | None]]:
        for segment in self._segments:
            allowed = segment.allowed(only)
            if within is not None and len(segment):
                allowed = within(segment) if allowed is None else within(segment) & allowed
            if len(segment) and (allowed is None or allowed.any()):
                yield segment, allowed

    def _follow(self, source: RowSource, state: State, before: int) -> None:
        """Add new rows, and drop rows removed since."""
        removed = removed_since(source, before, before)
        for segment in self._segments:
            segment.remove(removed)
        self._fresh.append(source.built(before, state.counter))

    def _known(self, source: RowSource) -> list[KnownSegment]:
        """The known cache files."""
        return [] if self._folder is None else known_segments(source.back_end)

    def _open(self, source: RowSource, state: State, again: bool) -> None:
        """Map the usable cache files, and read the other rows into memory."""
        self._files = self._known(source)
        self._filed, self._fresh = [], []
        if self._folder is not None:
            self._open_files(self._folder, source, again)
        newer = source.built(self._end, state.counter)
        self._fresh = [newer] if len(newer) else []

    def _open_files(self, folder: Path, source: RowSource, again: bool) -> None:
        for known in self._files:
            if known.low > self._end:
                self._filed.append(source.built(self._end, known.low))
            try:
                segment = open_segment(folder, known, source.dim)
                segment.remove(removed_since(source, known.high, known.high))
            except UnusableSegment as error:
                if isinstance(error.__cause__, FileNotFoundError):
                    if not again:
                        raise
                else:
                    note(f"{error}; its rows are read from the database")
                segment = source.built(known.low, known.high)
            self._filed.append(segment)

    def _merge(self, source: RowSource, counter: int) -> None:
        """Merge the newest parts in memory, so that each row is read only a few times."""
        rows, low = 0, counter
        while self._fresh and (low == counter or len(self._fresh[-1]) <= _GROWTH * rows):
            last = self._fresh.pop()
            rows, low = rows + last.live, last.low
        self._fresh.append(source.built(low, counter))

    def _is_scattered(self) -> bool:
        return len(self._fresh) > _MOST_PARTS or (
            len(self._fresh) > 1 and sum(len(one.vectors) for one in self._fresh) > _MOST_ROWS
        )

    def _settle_doubts(self, source: RowSource) -> None:
        """Check that all vectors are intact; read damaged ones from the database."""
        for place, segment in enumerate(self._filed):
            if segment.doubt is not None and not segment.doubt():
                note(f"{segment.file}: vectors are not what was written; they are read from the database")
                self._filed[place] = source.built(segment.low, segment.high)
            segment.doubt = None


def removed_since(source: RowSource, change: int, high: int) -> Numbers:
    """The numbers up to ``high`` of rows removed after a change."""
    return np.array(source.back_end.removed(change, high), dtype=np.int64)


def _found(numbers: Numbers, places: Numbers, scores: Floats32, query: int) -> Found:
    kept = places[query] >= 0
    return Found(numbers[places[query][kept]], scores[query][kept])


def _joined(parts: Sequence[Found]) -> Found:
    if not parts:
        return Found(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    return Found(
        np.concatenate([one.numbers for one in parts]), np.concatenate([one.scores for one in parts])
    )


def numbers_where(back_end: BackEnd, where: str | None, among: Sequence[str] | None = None) -> Ints | None:
    """The row numbers matching a filter, of all or some ids; None without either.

    Raises:
        UsageError: it can't be parsed.
    """
    if where is None and among is None:
        return None
    which = Which(ids=among, where=None if where is None else parse_where(where))
    return np.array(sorted(row[0] for row in back_end.rows(which, ("number",))), dtype=np.int64)


def hits_of(
    ids_of: Callable[[Sequence[int]], Mapping[int, str]], found: Sequence[Found], k: int
) -> list[list[Hit]]:
    """The best hits of all segments for each query; ``ids_of`` gives the ids of rows by their numbers."""
    best = [_best(one, k) for one in found]
    ids = ids_of(sorted({number for one in best for number in one.numbers.tolist()}))
    return [
        best_first([Hit(ids[number], score) for number, score in zip(*pairs, strict=True)])[:k]
        for one in best
        for pairs in [(one.numbers.tolist(), one.scores.tolist())]
    ]


def _best(found: Found, k: int) -> Found:
    """The ``k`` best, and those tied with the last."""
    numbers, scores = found.numbers, found.scores
    if len(scores) <= k:
        return found
    kept = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
    return Found(numbers[kept], scores[kept])
