"""Words of documents that come and go, searched by BM25 under the statistics of those that are there."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.first_seen_numbers import enumerated
from textkin.text.baselines.analysers import Analyser

if TYPE_CHECKING:
    from textkin.vectors.index.bm25_loops import Ceilings, CountedWords, Gathered

K1, B = 1.5, 0.75
"""How much a repeated word adds, and how much long documents are held back; as :class:`Bm25` has them."""

_KEY_BYTES = 8
_EVERYTHING = np.empty(0, dtype=np.bool_)
_DRIFT = 0.0025
"""By this share the mean length may rise or fall before what searches need is computed anew."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class WordQueries:
    """Queries as words.

    Attributes:
        keys: of the different words. Shape [words].
        offsets: query i has the words ``places[offsets[i]:offsets[i + 1]]``. Shape [queries + 1].
        places: where the key of each word of each query stands, in the queries' order; a word that is
            repeated counts each time. Shape [clauses].
    """

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, queries: Sequence[Sequence[str]]) -> Self:
        """The words of queries."""
        offsets = np.concatenate([[0], np.cumsum([len(one) for one in queries])]).astype(np.int64)
        places, words = enumerated(chain.from_iterable(queries))
        return cls(keys_of(words), offsets, places)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, start: int, end: int) -> WordQueries:
        """Some queries, one after another."""
        offsets = self.offsets[start : end + 1]
        return WordQueries(self.keys, offsets - offsets[0], self.places[offsets[0] : offsets[-1]])


@final
class Postings:
    """Which documents hold which words, and how often.

    Words are known by 64 bits of a hash: that a word which is in no document is taken for one that is, has a
    chance of less than one in 10^12 with a million words.

    Attributes:
        keys: of the words, rising. Shape [words].
        offsets: as in ``bm25_loops.CountedWords``, like the rest. Shape [words + 1].
        documents: shape [postings].
        counts: shape [postings].
        lengths: shape [documents].
    """

    def __init__(
        self,
        keys: NDArray[np.uint64],
        offsets: NDArray[np.int64],
        documents: NDArray[np.int32],
        counts: NDArray[np.int32],
        lengths: NDArray[np.int32],
    ) -> None:
        self.keys, self.offsets = keys, offsets
        self.documents, self.counts, self.lengths = documents, counts, lengths
        self._ceilings: Ceilings | None = None

    def __len__(self) -> int:
        return len(self.lengths)

    def terms(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The numbers of words, -1 where no document holds one. Shape [asked]."""
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, -1).astype(np.int64)

    def holders(self, terms: NDArray[np.int64], removed: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many documents hold each of some words, by their numbers. Shape [asked].

        Args:
            terms: from :meth:`terms`.
            removed: documents that don't count, rising.
        """
        from textkin.vectors.index.bm25_loops import holders

        return holders(self._counted(), terms, removed)

    def ceilings(self, statistics: Statistics) -> Ceilings:
        """What searches need beside the postings; kept while texts become hardly longer or shorter."""
        from textkin.vectors.index.bm25_loops import ceilings

        flat, slope = statistics.held_back()
        made = self._ceilings
        if made is None or not made.slope <= slope <= made.slope * (1 + _DRIFT) ** 2:
            self._ceilings = made = ceilings(self._counted(), flat, slope / (1 + _DRIFT))
        return made

    def best(
        self,
        queries: WordQueries,
        terms: NDArray[np.int64],
        statistics: Statistics,
        depth: int,
        room: Gathered,
        allowed: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The best documents of each query and their scores, best first; of equals the lowest number.

        A score is summed in double precision, the words of the largest weights first and those of equal ones
        in the query's order, and rounded once: it depends on document, query and statistics alone.

        Args:
            queries: what is asked.
            terms: of the queries' keys, from :meth:`terms`.
            statistics: of all documents that can be found, here and elsewhere, and of the queries' keys.
            depth: at least 1.
            room: from :func:`room_for`, for one search at a time.
            allowed: which documents may be found; all if None.

        Returns:
            Two arrays of shape [queries, at most depth]; -1 and minus infinity where fewer share a word.
        """
        from textkin.vectors.index.bm25_loops import Weighed, best_of

        shape = len(queries), min(depth, len(self))
        documents, scores = np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf, dtype=np.float32)
        if documents.size:
            places = queries.places
            weights = statistics.weights()[places]
            asked = Weighed(queries.offsets, terms[places], weights, *statistics.held_back())
            mask = _EVERYTHING if allowed is None else allowed
            best_of(self._counted(), self.ceilings(statistics), asked, mask, room, documents, scores)
        return documents, scores

    def _counted(self) -> CountedWords:
        from textkin.vectors.index.bm25_loops import CountedWords

        return CountedWords(self.offsets, self.documents, self.counts, self.lengths)


def room_for(documents: int) -> Gathered:
    """Room for searches of so many documents at most."""
    from textkin.vectors.index.bm25_loops import Gathered

    return Gathered(np.zeros(documents, dtype=np.float32), np.empty(documents + 1, dtype=np.int32))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """What BM25 has to know of all documents together.

    Attributes:
        documents: how many there are.
        words: in all of them, repeated ones included.
        holders: how many documents hold each word of a query. Shape [asked].
    """

    documents: int
    words: int
    holders: NDArray[np.int64]

    def weights(self) -> NDArray[np.float64]:
        """The inverse document frequencies, as ``text.baselines.bm25.Bm25`` has them. Shape [asked]."""
        weights: NDArray[np.float64] = np.log1p((self.documents - self.holders + 0.5) / (self.holders + 0.5))
        return weights

    def held_back(self) -> tuple[float, float]:
        """What a count is held back by: in an empty document, and more by each word of it."""
        mean = self.words / self.documents if self.words else 1.0
        return K1 * (1 - B), K1 * B / mean

    def shares(self, counts: NDArray[np.int64], length: int) -> NDArray[np.float64]:
        """What each word of the query adds to the score of a document; their sum is the score.

        Args:
            counts: how often each stands in the document. Shape [asked].
            length: of the document, in words.
        """
        flat, slope = self.held_back()
        found: NDArray[np.float64] = self.weights() * counts / (counts + flat + slope * length)
        return found


def keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    """The keys of words."""
    joined = b"".join(blake2b(word.encode(), digest_size=_KEY_BYTES).digest() for word in words)
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


def words_of(text: str, analyser: Analyser) -> list[str]:
    """The terms of a text, in their order."""
    return [term for word in analyser.words(text) for term in analyser.terms(word)]


@final
class PostingsBuilder:
    """Counts the words of texts that come one after another.

    About 8 bytes a word are held, repeated ones included, and each different word once.
    """

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._terms: dict[str, int] = {}
        self._known: dict[str, list[int]] = {}
        self._columns = array("i")
        self._lengths = array("i")

    def add(self, texts: Iterable[str]) -> None:
        """Take further texts."""
        split, known, columns, lengths = self._analyser.words, self._known, self._columns, self._lengths
        before = len(columns)
        for text in texts:
            for word in split(text):
                terms = known.get(word)
                columns.extend(self._look_up(word) if terms is None else terms)
            lengths.append(len(columns) - before)
            before = len(columns)

    def built(self, places: NDArray[np.int64]) -> Postings:
        """The words of all texts.

        Args:
            places: the number that each text gets among the documents, in the order in which they came. Shape
                [texts].
        """
        lengths = np.frombuffer(self._lengths, dtype=np.int32) if self._lengths else np.empty(0, np.int32)
        columns = np.frombuffer(self._columns, dtype=np.int32) if self._columns else np.empty(0, np.int32)
        keys = keys_of(self._terms)
        order = np.argsort(keys)
        number = np.empty(len(keys), dtype=np.int32)
        number[order] = np.arange(len(keys), dtype=np.int32)
        rows = np.repeat(places.astype(np.int32), lengths)
        counted = csr_array(
            (np.ones(len(columns), dtype=np.int32), (number[columns], rows)),
            shape=(len(keys), len(lengths)),
        )
        counted.sum_duplicates()
        ordered = np.empty(len(lengths), dtype=np.int32)
        ordered[places] = lengths
        return Postings(
            keys[order],
            counted.indptr.astype(np.int64),
            counted.indices.astype(np.int32),
            counted.data.astype(np.int32),
            ordered,
        )

    def _look_up(self, word: str) -> Sequence[int]:
        terms = [self._terms.setdefault(term, len(self._terms)) for term in self._analyser.terms(word)]
        self._known[word] = terms
        return terms
