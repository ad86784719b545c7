"""Sparse counts of the terms of texts."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.errors import DataError
from textkin.scorers.analysers import Analyser
from textkin.scorers.pairs import CHUNK
from textkin.token_shares import Addends

_CACHED_WORDS = 1_000_000


@final
class Terms:
    """The terms of the texts it was fitted on, and what those texts say about them.

    A word is taken apart once; then its terms come from a cache.

    Attributes:
        analyser: what a term is.
        texts: how many texts there were.
        frequency: how many texts hold each term, shape [terms].
        mean_length: terms a text, repeated ones included.
    """

    def __init__(self, texts: Sequence[str], *, analyser: Analyser) -> None:
        """Number the terms of ``texts`` by appearance.

        Raises:
            DataError: the texts hold no term at all.
        """
        self.analyser = analyser
        self.texts = len(texts)
        self._split = analyser.words
        self._units = analyser.terms
        self._cache: dict[str, tuple[list[int], int]] = {}
        words = dict.fromkeys(word for text in texts for word in self._split(text))
        units = dict.fromkeys(unit for word in words for unit in self._units(word))
        if not units:
            raise DataError(
                f"no words in the {len(texts)} texts that word frequencies are taken from",
                fix="give texts with words in them",
            )
        self._numbers = {unit: number for number, unit in enumerate(units)}
        self.frequency = np.zeros(len(units), dtype=np.int64)
        total = 0
        for start in range(0, len(texts), CHUNK):
            counts, lengths = self.counts(texts[start : start + CHUNK])
            self.frequency += np.bincount(counts.indices, minlength=len(units))
            total += int(lengths.sum())
        self.mean_length = total / len(texts)

    def counts(self, texts: Sequence[str]) -> tuple[csr_array, NDArray[np.int64]]:
        """How often each text holds each known term, and how many terms it has, unknown ones included.

        Returns:
            float32 counts with sorted columns, shape [texts, terms], and lengths, shape [texts].
        """
        columns = array("i")
        ends = np.zeros(len(texts) + 1, dtype=np.int64)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for row, text in enumerate(texts):
            for word in self._split(text):
                known, length = self._cache.get(word) or self._look_up(word)
                columns.extend(known)
                lengths[row] += length
            ends[row + 1] = len(columns)
        counts = csr_array(
            (np.ones(len(columns), dtype=np.float32), np.array(columns, dtype=np.int32), ends),
            shape=(len(texts), len(self._numbers)),
        )
        counts.sum_duplicates()
        return counts, lengths

    def addends(self, text: str, row: csr_array) -> Addends:
        """What each word of a text adds to its row; a term's number is parted among its occurrences.

        Args:
            text: the text.
            row: one number for each of its terms, as a scorer makes it. Shape [1, terms].
        """
        words = self._split(text)
        known = [(self._cache.get(word) or self._look_up(word))[0] for word in words]
        flat = np.array([column for found in known for column in found], dtype=np.int32)
        ends = np.cumsum([0, *map(len, known)])
        numbers = np.zeros(len(self._numbers))
        numbers[row.indices] = row.data
        counts = np.bincount(flat, minlength=len(numbers))
        rows = csr_array((numbers[flat] / counts[flat], flat, ends), shape=(len(words), len(numbers)))
        return Addends(tuple(words), rows)

    def _look_up(self, word: str) -> tuple[list[int], int]:
        units = self._units(word)
        found = [self._numbers[unit] for unit in units if unit in self._numbers], len(units)
        if len(self._cache) < _CACHED_WORDS:
            self._cache[word] = found
        return found
