"""The words of passages, which tell where an answer is more likely to be.

A phrase is more likely to answer a question whose words are near to it, in a passage that has them. Seo et
al. 2019, "Real-Time Open-Domain Question Answering with Dense-Sparse Phrase Index", store the words of its
passage beside the vector of each phrase; here each word is stored once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.text.baselines.analysers import Analyser, analyser_of, marked_runs
from textkin.text.baselines.bm25_parameters import Bm25Parameters
from textkin.text.stable_hash import stable_hash

AROUND = 10
"""Number of words before a phrase, and after it, that are near to it."""

NO_WORD = -1
"""Stands for a stop word, which no question is asked with."""

_NUMBERS = (1 << 31) - 1
_CACHED = 1 << 18


def words_of(text: str) -> tuple[Ints32, Ints, Ints]:
    """The numbers of a text's words, and the start and end of each.

    The words of a run of letters without spaces, as in Chinese, share its length.

    A word's number is a hash of its English stem: no vocabulary grows with the passages. Of other languages,
    few words change.
    """
    numbers: list[int] = []
    places: list[tuple[int, int]] = []
    for run in marked_runs().finditer(text):
        found, (start, end) = _numbers_of(run[0]), run.span()
        bounds = [start + (end - start) * part // len(found) for part in range(len(found))]
        numbers += found
        places += zip(bounds, [*bounds[1:], end])  # noqa: B905  # no bounds if no word
    starts, ends = np.array(places, dtype=np.int64).reshape(-1, 2).T
    return np.array(numbers, dtype=np.int32), starts, ends


def places_in(offsets: Ints, starts: Ints, ends: Ints) -> Ints32:
    """The number of words that end before each token, and of those that begin before its end.

    Args:
        offsets: start and end of each token. Shape [tokens, 2].
        starts: start of each word.
        ends: its end.

    Returns:
        Shape [tokens, 2].
    """
    before = np.searchsorted(ends, offsets[:, 0], side="right")
    after = np.searchsorted(starts, offsets[:, 1], side="left")
    return np.stack((before, after), axis=1).astype(np.int32)


def asked_words(questions: Sequence[str]) -> list[Ints32]:
    """The numbers of the words of each question, each once, without stop words."""
    found = (np.unique(words_of(question)[0]) for question in questions)
    return [numbers[numbers != NO_WORD] for numbers in found]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The words of passages that a question asks for.

    Attributes:
        places: their places among all words, rising.
        weights: the idf of each.
        passages: BM25 of each passage.
    """

    places: Ints
    weights: Floats32
    passages: Floats32


class IndexedWords:
    """The words of all passages of an index, by their numbers.

    Args:
        words: the number of each word, and that of its passage; passages rise. Shape [words, 2].
        passages: the number of passages.
    """

    def __init__(self, words: Ints32, passages: int) -> None:
        self.first = np.searchsorted(words[:, 1], np.arange(passages + 1, dtype=np.int32))
        self._passage = words[:, 1]
        self._order = np.argsort(words[:, 0], kind="stable")
        self._sorted = words[self._order, 0]
        self._lengths = np.diff(self.first)
        self._bm25 = Bm25Parameters()
        self._saturation = self._bm25.saturation(float(self._lengths.mean()) or 1.0)

    def hits(self, asked: Ints32) -> Hits:
        """The words that a question asks for, given their numbers, each once."""
        found, weights, scores = [], [], np.zeros(len(self._lengths))
        for number in asked.tolist():
            low, high = np.searchsorted(self._sorted, np.array((number, number + 1), dtype=np.int32))
            if low == high:
                continue
            places = self._order[low:high]
            passages, counts = np.unique(self._passage[places], return_counts=True)
            [weight] = self._bm25.weights(len(scores), np.array([len(passages)]))
            scores[passages] += weight * self._saturation.of(counts, self._lengths[passages])
            found.append(places)
            weights.append(np.full(len(places), weight))
        places = np.concatenate([*found, np.empty(0, dtype=np.int64)])
        order = np.argsort(places)
        its = np.concatenate([*weights, np.empty(0)])[order].astype(np.float32)
        return Hits(places[order], its, scores.astype(np.float32))


class Neighbours:
    """The words near to some tokens.

    Args:
        around: as in :class:`TokenRows`. Shape [tokens, 3].
        first: the first word of each passage, and the end of the last one.
    """

    def __init__(self, around: Ints32, first: Ints) -> None:
        before, after, self.passages = around.T
        begin, end = first[self.passages], first[self.passages + 1]
        bounds = (
            np.maximum(begin + before - AROUND, begin),
            begin + before,
            begin + after,
            np.minimum(begin + after + AROUND, end),
        )
        self._low, high = (int(bounds[0].min()), int(bounds[3].max())) if len(around) else (0, 0)
        self._count = high - self._low + 1
        self._bounds = [(each - self._low).astype(np.int32) for each in bounds]

    def sums(self, hits: Hits) -> tuple[Floats32, Floats32]:
        """The sums of idf before and after each token. Shape [tokens] each."""
        some = slice(*np.searchsorted(hits.places, (self._low, self._low + self._count - 1)))
        idf = np.zeros(self._count)
        idf[hits.places[some] - self._low + 1] = hits.weights[some]
        until = np.cumsum(idf)
        before, until_before, after, until_after = (until[each] for each in self._bounds)
        return (until_before - before).astype(np.float32), (until_after - after).astype(np.float32)


@lru_cache(maxsize=_CACHED)
def _numbers_of(run: str) -> tuple[int, ...]:
    analyser = _english()
    found: list[int] = []
    for word in analyser.words(run):
        terms = analyser.terms(word)
        found += [stable_hash(term) % _NUMBERS for term in terms] or [NO_WORD]
    return tuple(found)


@cache
def _english() -> Analyser:
    return analyser_of("english")
