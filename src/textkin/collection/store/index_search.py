"""Approximate searches with an index that the back end has itself, and keeps up to date.

The index supplies candidates; their scores are computed here from the stored vectors, as in an exact search.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, invalid
from textkin.collection.store.back_end import VECTORS, BackEnd, VectorIndex, Which
from textkin.collection.store.cells_file import DEPTH, Members, drawn_neighbours
from textkin.collection.store.facts import fact, note_fact, rows_since, state_of, unreadable
from textkin.collection.store.rows import stored_vector
from textkin.collection.store.segment import RowSource
from textkin.collection.store.session import Session
from textkin.collection.store.view import Found, Numbers
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.index.byte_codes import byte_codes
from textkin.vectors.index.recall import MeasuredRecall
from textkin.vectors.index.vector_scan import scanned
from textkin.vectors.join.prepared_rows import by_cosine

FACT = "index"
"""The fact that holds the measured recall of a collection's index."""

_LINKS = 16
_PROBES = (10, 20, 40, 80, 160, 320, 640)
_MAKE = "make it: `index_collection()`"


@dataclass(frozen=True, slots=True)
class MeasuredIndex:
    """The measured recall of an index.

    Attributes:
        size: the size it was made with, such as the links per vector.
        high: the change it was made at.
        there: the number of entries nearest to some stored texts.
        found: the number of these that a search finds, by the number of its candidates.
    """

    size: int
    high: int
    there: Sequence[int]
    found: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, back_end: BackEnd) -> Self | None:
        """The noted recall; None without an index.

        Raises:
            DataError: it is corrupt.
        """
        values: Any = fact(back_end, FACT)
        try:
            return None if values is None else cls(**values)
        except TypeError:
            raise unreadable(back_end.place, FACT) from None

    def probes(self) -> list[int]:
        """The measured numbers of candidates."""
        return sorted(int(one) for one in self.found)

    def recall(self, probe: int, /) -> MeasuredRecall | None:
        """The recall, as measured with no more candidates than these."""
        measured = max((one for one in self.probes() if one <= probe), default=_PROBES[0])
        there, found = np.array(self.there), np.array(self.found[str(measured)])
        hit = np.concatenate([np.arange(of) < some for of, some in zip(there, found, strict=True)])
        text = np.repeat(np.arange(len(there)), there)
        share = clustered_share(hit, text)
        return None if share is None else MeasuredRecall(DEPTH, share, "stored texts")


class IndexSearch:
    """Searches with the index of a collection.

    Args:
        session: the collection's session.
        index: the index.
    """

    def __init__(self, session: Session, index: VectorIndex) -> None:
        self._session = session
        self._back_end = session.back_end
        self._index = index
        self._measured: MeasuredIndex | None = None

    def usual_size(self, entries: int) -> int:
        """The number of links per vector unless another is wanted, however many entries there are."""
        return _LINKS

    def make(self, size: int, *, seed: int = 0) -> MeasuredIndex:
        """Build the index, and measure its recall.

        Args:
            size: how large, such as 16 links per vector.
            seed: the seed for drawing stored texts.

        Raises:
            UsageError: there are no rows, or vectors are too long for an index.
            OutputError: another process is writing, or there can be no index.
        """
        with self._session.writing(None):
            members, dim, high = self._members()
            note_fact(self._back_end, FACT, None)  # the recall of an earlier index
            self._index.make(members, dim, size)
            measured = self._measure(members, size, high, np.random.default_rng(seed))
            note_fact(self._back_end, FACT, asdict(measured))
        self._measured = measured
        return measured

    def drop(self) -> None:
        """Remove the index; searches become exact.

        Raises:
            OutputError: another process is writing.
        """
        with self._session.writing(None):
            note_fact(self._back_end, FACT, None)
            self._index.drop()
        self._measured = None

    def prepare(self) -> MeasuredIndex:
        """Load the measured recall for the following searches.

        Raises:
            UsageError: there is no index.
        """
        with self._session.reading():
            self._measured = MeasuredIndex.of(self._back_end)
            if self._measured is None:
                raise _without()
        return self._measured

    def in_words(self, probe: int | None = None) -> str:
        """A description of the index, or of a search's recall; "" without.

        Raises:
            DataError: the database is damaged.
        """
        with self._session.reading():
            known = MeasuredIndex.of(self._back_end)
            if known is None:
                return ""
            newer = rows_since(self._back_end, known.high)
            live = state_of(self._back_end).live
        index = self._index.in_words(known.size)
        beside = f"; {newer:,} rows have come since" if newer else ""
        if probe is None:
            return f"{index}, made at change {known.high:,}{beside}"
        if probe >= live:
            return f"exact, there are no more than {live:,} rows"
        recall = known.recall(probe)
        told = "" if recall is None else f", {recall.sentence()}"
        return f"approximate, {probe:,} candidates by {index}{told}{beside}"

    def nearest(
        self, source: RowSource, queries: Floats32, depth: int, only: Numbers | None, probe: int, /
    ) -> list[Found]:
        """As ``View.nearest``, for the candidates of the index.

        Args:
            source: the rows, in a transaction.
            queries: shape [queries, dim].
            depth: at least 1; a depth beyond the index is searched exactly.
            only: numbers of the rows that may be found; all if None. A few rows are all searched.
            probe: the number of candidates.

        Raises:
            UsageError: there is no index, :meth:`prepare` wasn't called, or ``probe`` is too large.
        """
        if self._measured is None or not self._index.is_made():
            raise _without()
        if probe >= state_of(self._back_end).live or depth > self._index.most:
            self._session.view.refresh(source, again=True)
            return self._session.view.nearest(source, queries, depth, only)
        if probe > self._index.most:
            raise invalid("probe", probe, expected=f"at most {self._index.most:,}")
        most = max(probe, depth)
        if only is not None and len(only) <= most:
            return [_scored(source, query, only.tolist()) for query in queries]
        return [
            _scored(source, query, self._index.candidates(query, most, only) if query.any() else ())
            for query in queries
        ]

    def _members(self) -> tuple[Members, int, int]:
        with self._session.reading(searching=True):
            source = self._session.refreshed()
            state = state_of(self._back_end)
            if source is None or not state.live:
                raise UsageError("the collection is empty", fix="add texts to it: `add()`")
            return Members(self._session.view.parts()), source.dim, state.counter

    def _measure(self, members: Members, size: int, high: int, draws: np.random.Generator) -> MeasuredIndex:
        """Measure the recall on stored texts, for several numbers of candidates.

        One of the candidates is the text itself, so 10 of them find 9 in 10 at most.
        """
        with self._session.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                raise _without()
            asked, nearest = drawn_neighbours(members, self._session.view, source, draws)
            wanted = [set(one.tolist()) for one in nearest]
            found = {
                str(probe): [
                    len(best & set(self._index.candidates(query, probe, None)))
                    for query, best in zip(asked, wanted, strict=True)
                ]
                for probe in _PROBES
            }
        return MeasuredIndex(size, high, [len(one) for one in wanted], found)


def _scored(source: RowSource, query: Floats32, numbers: Sequence[int]) -> Found:
    """Rows with their exact scores; none for a zero query."""
    there, parts = [], []
    for number, vector, checksum in source.back_end.rows(Which(numbers=numbers), VECTORS):
        there.append(number)
        parts.append(stored_vector(source.path, number, vector, checksum, source.dim, windowed=True))
    if not there or not query.any():
        return Found(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    rows = by_cosine(np.frombuffer(b"".join(parts), dtype="<f4").reshape(-1, source.dim))
    starts = np.cumsum([0, *(len(one) // (4 * source.dim) for one in parts)])
    floor = np.full(1, -np.inf, dtype=np.float32)
    best = scanned(by_cosine(query[None]), rows, byte_codes(rows), len(there), floor=floor, starts=starts)
    kept = best.documents[0] >= 0
    return Found(np.array(there, dtype=np.int64)[best.documents[0][kept]], best.scores[0][kept])


def _without() -> UsageError:
    return UsageError("the collection has no index of vectors to search", fix=_MAKE, params=("probe",))
