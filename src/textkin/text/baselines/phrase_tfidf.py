"""TF-IDF of the words around phrases: a baseline for answering questions by phrases.

A phrase is represented by the seven words before and after it, as in the sparse baseline of Seo et al. 2018,
"Phrase-indexed question answering" (SQuAD 1.1 dev: 3.9 exact match, 15.0 F1). If the phrase's own words are
added, which answers seldom share with their questions, both metrics fall to half or less.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats, Floats32, Ints, Ints32
from textkin.data.protocols import PhraseVectors
from textkin.text.case_folding import class_of, marks, word_form
from textkin.text.stable_hash import stable_hash

LONGEST = 7
"""Maximum number of words of a phrase."""

AROUND = 7
"""Number of context words before a phrase, and after it."""

DIM = 1 << 20
"""Columns for hashed words; 20,000 words collide in 190 cases."""

_CACHED_WORDS = 1_000_000


class TfidfPhrases:
    """Phrases of one to seven words, by the words around them.

    A phrase's row is that of its context words: ``(1 + ln tf) idf`` at unit length, times idf once more. A
    question's row is ``1 + ln tf``. So their product is the cosine of both TF-IDF vectors times the length of
    the question's, which is the same for all phrases. Everything that depends on the passages is on their
    side, so a question's row needs only its text. Words are hashed to columns, so neither side has a
    vocabulary.

    Args:
        texts: number of passages that the frequencies come from.
        frequency: number of passages that contain a word of each column.
    """

    name = "tfidf"
    dim = DIM

    def __init__(self, texts: int = 0, frequency: dict[int, int] | None = None) -> None:
        self._texts = texts
        self._frequency = frequency or {}
        self._columns: dict[str, int] = {}

    @classmethod
    def fit(cls, passages: Sequence[str]) -> Self:
        """Fit word frequencies to passages; without any, all words have equal weights."""
        made = cls(len(passages))
        for passage in passages:
            for column in {made._column(word) for word in _words(passage)}:
                made._frequency[column] = made._frequency.get(column, 0) + 1
        return made

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """All runs of one to seven words of each passage, by their first word, then their last."""
        return [self._phrases(passage) for passage in passages]

    def questions(self, questions: Sequence[str]) -> csr_array:
        """``1 + ln tf`` of each question's words. Shape [questions, dim]."""
        columns: list[Ints32] = []
        values: list[Floats32] = []
        for question in questions:
            found = np.array([self._column(word) for word in _words(question)], dtype=np.int32)
            column, counts = np.unique(found, return_counts=True)
            columns.append(column)
            values.append((1 + np.log(counts)).astype(np.float32))
        return _sparse(columns, values)

    def around(self, passage: str, offsets: Ints) -> csr_array:
        """Rows of phrases at any positions of a passage, from the words before and after them.

        Args:
            passage: its text.
            offsets: start and end of each phrase. Shape [phrases, 2].
        """
        found = list(_word().finditer(passage))
        starts, ends = np.array([word.span() for word in found], dtype=np.int64).reshape(-1, 2).T
        # A word that overlaps a phrase belongs to it.
        first = np.searchsorted(ends, offsets[:, 0], side="right")
        last = np.searchsorted(starts, offsets[:, 1], side="left") - 1
        return self._rows(found, first, last)

    def _phrases(self, passage: str) -> PhraseVectors:
        found = list(_word().finditer(passage))
        places = np.array([word.span() for word in found], dtype=np.int64).reshape(-1, 2)
        first, last = _runs(len(found))
        offsets = np.stack((places[first, 0], places[last, 1]), axis=1)
        return PhraseVectors(offsets, self._rows(found, first, last))

    def _rows(self, found: Sequence[re.Match[str]], first: Ints, last: Ints) -> csr_array:
        """Rows of phrases, given by their first and last word. Shape [phrases, dim]."""
        columns, word = np.unique(
            np.array([self._column(word_form(each[0])) for each in found], dtype=np.int32),
            return_inverse=True,
        )
        # Cumulative counts of each column's words: the counts of a window are a difference.
        before = np.zeros((len(found) + 1, len(columns)), dtype=np.int32)
        before[np.arange(1, len(found) + 1), word] = 1
        before = np.cumsum(before, axis=0)
        start, end = np.maximum(first - AROUND, 0), np.minimum(last + AROUND + 1, len(found))
        counts = csr_array(before[end] - before[last + 1] + before[first] - before[start])
        weights = self._weights(columns)
        counts.data = (1 + np.log(counts.data)) * weights[counts.indices]
        row = np.repeat(np.arange(len(first)), np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(row, weights=counts.data**2, minlength=len(first)))
        values = (counts.data / lengths[row] * weights[counts.indices]).astype(np.float32)
        return csr_array(
            (values, columns[counts.indices], counts.indptr.astype(np.int64)), shape=(len(first), DIM)
        )

    def _weights(self, columns: Ints32) -> Floats:
        """``1 + ln((1 + n) / (1 + df))``, as in TF-IDF of whole texts."""
        frequency = np.array([self._frequency.get(column, 0) for column in columns.tolist()])
        return 1 + np.log((1 + self._texts) / (1 + frequency))

    def _column(self, word: str) -> int:
        column = self._columns.get(word)
        if column is None:
            column = stable_hash(word) % DIM
            if len(self._columns) < _CACHED_WORDS:
                self._columns[word] = column
        return column


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """Letters, digits and the marks on them, with inner signs, as they occur in a passage."""
    run = rf"\w[\w{class_of(marks())[1:-1]}]*"
    return re.compile(rf"{run}(?:['’.,]{run})*")


def _words(text: str) -> list[str]:
    return [word_form(word) for word in _word().findall(text)]


def _runs(words: int) -> tuple[Ints, Ints]:
    """The first and the last word of each phrase."""
    first = np.repeat(np.arange(words), LONGEST)
    last = first + np.tile(np.arange(LONGEST), words)
    there = last < words
    return first[there], last[there]


def _sparse(columns: Sequence[Ints32], values: Sequence[Floats32]) -> csr_array:
    ends = np.concatenate(([0], np.cumsum([len(row) for row in columns]))).astype(np.int64)
    return csr_array(
        (
            np.concatenate([*values, np.empty(0, dtype=np.float32)]),
            np.concatenate([*columns, np.empty(0, dtype=np.int32)]),
            ends,
        ),
        shape=(len(columns), DIM),
    )
