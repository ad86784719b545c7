"""BM25 over a changing collection, with the statistics of its current documents."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.first_seen_numbers import enumerated
from textkin.base.numba_cache import arrays_do
from textkin.text.baselines.analysers import Analyser
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters, Saturation
from textkin.vectors.index.bm25_loop_arguments import Ceilings, CountedWords, Gathered, Weighed

_LOOPS = "textkin.vectors.index.bm25_loops"
_PER_POSTING = 64  # numbers that arrays go through in the time of one
_KEY_BYTES = 8
_EVERYTHING = np.empty(0, dtype=np.bool_)
_DRIFT = 0.0025
"""Relative change of the mean length at which cached bounds are recomputed."""


@dataclass(frozen=True, slots=True, eq=False)
class WordQueries:
    """Queries as words.

    Attributes:
        keys: keys of the distinct words. Shape [words].
        offsets: query i has the words ``places[offsets[i]:offsets[i + 1]]``. Shape [queries + 1].
        places: position in ``keys`` of each word of each query, in order; repeated words count each time.
            Shape [clauses].
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
        """A range of queries."""
        offsets = self.offsets[start : end + 1]
        return WordQueries(self.keys, offsets - offsets[0], self.places[offsets[0] : offsets[-1]])


class Postings:
    """Inverted lists with word counts.

    Words are identified by 64 bits of a hash: with a million words, the probability that a missing word is
    taken for another is below 10^-12.

    Attributes:
        keys: keys of the words, increasing. Shape [words].
        offsets: as in ``bm25_loops.CountedWords``, like the other fields. Shape [words + 1].
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
        """The numbers of words, -1 if no document contains them. Shape [asked]."""
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, -1).astype(np.int64)

    def holders(self, terms: NDArray[np.int64], removed: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of documents that contain each of some words, by word number. Shape [asked].

        Args:
            terms: the result of :meth:`terms`.
            removed: documents that don't count, increasing.
        """
        if not loops_search_words(self.work(terms)):
            return self._holders_by_arrays(terms, removed)
        from textkin.vectors.index.bm25_loops import holders

        return holders(self._counted(), terms, removed)

    def work(self, terms: NDArray[np.int64]) -> int:
        """The number of postings of some words, by word number."""
        known = terms[terms >= 0]
        return int((self.offsets[known + 1] - self.offsets[known]).sum())

    def ceilings(self, statistics: Statistics) -> Ceilings:
        """The bounds that searches need; cached until the mean length changes too much."""
        from textkin.vectors.index.bm25_loops import ceilings

        wanted, made = statistics.saturation(), self._ceilings
        low = 0.0 if made is None else made.saturation.slope
        high = low * (1 + _DRIFT) ** 2
        if made is None or made.saturation[:-1] != wanted[:-1] or not low <= wanted.slope <= high:
            lower = wanted._replace(slope=wanted.slope / (1 + _DRIFT))
            self._ceilings = made = ceilings(self._counted(), lower)
        return made

    def best(
        self,
        queries: WordQueries,
        terms: NDArray[np.int64],
        statistics: Statistics,
        depth: int,
        room: Gathered | None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The best documents of each query with their scores, best first; ties by lowest number.

        A score is summed in double precision, starting with the words of the largest weights (ties in query
        order), and rounded once. It depends only on the document, the query and the statistics.

        Args:
            queries: the queries.
            terms: word numbers of the queries' keys, from :meth:`terms`.
            statistics: statistics of all searchable documents, here and elsewhere, and of the queries' keys.
            depth: at least 1.
            room: buffers from :func:`room_for` for the compiled loops, for one search at a time; None to
                search by arrays, with the same results.
            allowed: True for documents that may be found; None for all.

        Returns:
            Two arrays of shape [queries, at most depth]; -1 and minus infinity after the last match.
        """
        shape = len(queries), min(depth, len(self))
        documents, scores = np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf, dtype=np.float32)
        if room is None:
            self._best_by_arrays(queries, terms, statistics, allowed, documents, scores)
        elif documents.size:
            from textkin.vectors.index.bm25_loops import best_of

            places = queries.places
            weights = statistics.weights()[places]
            asked = Weighed(queries.offsets, terms[places], weights, statistics.saturation())
            mask = _EVERYTHING if allowed is None else allowed
            best_of(self._counted(), self.ceilings(statistics), asked, mask, room, documents, scores)
        return documents, scores

    def _holders_by_arrays(self, terms: NDArray[np.int64], removed: NDArray[np.int64]) -> NDArray[np.int64]:
        gone = np.zeros(len(self), dtype=np.bool_)
        gone[removed] = True
        found = np.zeros(len(terms), dtype=np.int64)
        for place in np.flatnonzero(terms >= 0):
            found[place] = np.count_nonzero(~gone[self.documents[self._of(terms[place])]])
        return found

    def _best_by_arrays(
        self,
        queries: WordQueries,
        terms: NDArray[np.int64],
        statistics: Statistics,
        allowed: NDArray[np.bool_] | None,
        documents: NDArray[np.int64],
        scores: NDArray[np.float32],
    ) -> None:
        weights, saturation = statistics.weights(), statistics.saturation()
        depth = documents.shape[1]
        for query in range(len(queries)):
            clauses = queries.places[queries.offsets[query] : queries.offsets[query + 1]]
            clauses = clauses[(terms[clauses] >= 0) & (weights[clauses] > 0)]
            sums, found = np.zeros(len(self)), np.zeros(len(self), dtype=np.bool_)
            for clause in clauses[np.argsort(-weights[clauses], kind="stable")]:
                part = self._of(terms[clause])
                holding = self.documents[part]
                found[holding] = True
                counts, lengths = (one.astype(np.int64) for one in (self.counts[part], self.lengths[holding]))
                sums[holding] += weights[clause] * saturation.of(counts, lengths)
            places = np.flatnonzero(found if allowed is None else found & allowed)
            rounded = sums[places].astype(np.float32)
            best = np.lexsort((places, -rounded))[:depth]
            documents[query, : len(best)], scores[query, : len(best)] = places[best], rounded[best]

    def _of(self, term: np.int64) -> slice:
        """The postings of a word."""
        return slice(self.offsets[term], self.offsets[term + 1])

    def _counted(self) -> CountedWords:
        return CountedWords(self.offsets, self.documents, self.counts, self.lengths)


def loops_search_words(postings: int) -> bool:
    """True if compiled loops are to search this number of postings, False if arrays are."""
    return not arrays_do(_LOOPS, _PER_POSTING * postings)


def room_for(documents: int) -> Gathered:
    """Buffers for searches of at most this number of documents."""
    return Gathered(np.zeros(documents, dtype=np.float32), np.empty(documents + 1, dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The collection statistics of BM25.

    Attributes:
        documents: number of documents.
        words: number of words of all documents, repeated ones included.
        holders: number of documents that contain each word of a query. Shape [asked].
        parameters: the parameters of BM25.
    """

    documents: int
    words: int
    holders: NDArray[np.int64]
    parameters: Bm25Parameters = BM25

    def weights(self) -> NDArray[np.float64]:
        """The highest contributions of the words. Shape [asked]."""
        return self.parameters.weights(self.documents, self.holders)

    def saturation(self) -> Saturation:
        """The saturation among these documents."""
        return self.parameters.saturation(self.words / self.documents if self.words else 1.0)

    def shares(self, counts: NDArray[np.int64], length: int) -> NDArray[np.float64]:
        """The contribution of each query word to the score of a document; their sum is the score.

        Args:
            counts: number of occurrences of each word in the document. Shape [asked].
            length: number of words of the document.
        """
        return self.weights() * self.saturation().of(counts, length)


def keys_of(words: Iterable[str]) -> NDArray[np.uint64]:
    """The keys of words."""
    joined = b"".join(blake2b(word.encode(), digest_size=_KEY_BYTES).digest() for word in words)
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


def word_shares(
    query: str,
    texts: Sequence[str],
    analyser: Analyser,
    statistics_of: Callable[[NDArray[np.uint64]], Statistics],
) -> list[list[tuple[str, float]]]:
    """The contribution of each query word to the BM25 score of each text; their sum is the score.

    Args:
        query: the query; a repeated word counts each time.
        texts: the texts.
        analyser: the analyser of the words.
        statistics_of: gives the statistics for the keys of words.
    """
    words = analyser.words(query)
    terms = [analyser.terms(word) for word in words]
    statistics = statistics_of(keys_of(chain.from_iterable(terms)))
    found = []
    for text in texts:
        counts = Counter(analyser.terms_of(text))
        often = np.array([counts[term] for own in terms for term in own], dtype=np.int64)
        shares = iter(statistics.shares(often, counts.total()).tolist())
        found.append([(word, sum(islice(shares, len(own)))) for word, own in zip(words, terms, strict=True)])
    return found


class PostingsBuilder:
    """Builder of inverted lists from a stream of texts.

    It holds about 8 bytes per word, repeated ones included, and each distinct word once.
    """

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._terms: dict[str, int] = {}
        self._known: dict[str, list[int]] = {}
        self._columns = array("i")
        self._lengths = array("i")

    def add(self, texts: Iterable[str]) -> None:
        """Add texts."""
        split, known, columns, lengths = self._analyser.words, self._known, self._columns, self._lengths
        before = len(columns)
        for text in texts:
            for word in split(text):
                terms = known.get(word)
                columns.extend(self._look_up(word) if terms is None else terms)
            lengths.append(len(columns) - before)
            before = len(columns)

    def built(self, places: NDArray[np.int64]) -> Postings:
        """The inverted lists of all texts.

        Args:
            places: document number of each text, in the order they were added. Shape [texts].
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
