"""Sparse counts of the terms of texts: words, or character n-grams within words."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.errors import DataError
from textkin.scorers.pairs import CHUNK

_TWO_OR_MORE = re.compile(r"\b\w\w+\b")
_NGRAMS = (3, 4, 5)
_CACHED_WORDS = 1_000_000


class Analyzer(StrEnum):
    """What counts as a term; texts are lower-cased first."""

    WORD = "word"  # two or more word characters
    CHAR = "char"  # character 3- to 5-grams of each word between blanks


def _words(text: str) -> list[str]:
    return _TWO_OR_MORE.findall(text.lower())


def _chunks(text: str) -> list[str]:
    return text.lower().split()


def _itself(word: str) -> list[str]:
    return [word]


def _ngrams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[start : start + size] for size in _NGRAMS for start in range(len(padded) - size + 1)]


_SPLIT: dict[Analyzer, Callable[[str], list[str]]] = {Analyzer.WORD: _words, Analyzer.CHAR: _chunks}
_UNITS: dict[Analyzer, Callable[[str], list[str]]] = {Analyzer.WORD: _itself, Analyzer.CHAR: _ngrams}


@final
class Terms:
    """The terms of the texts it was fitted on, and what those texts say about them.

    A word is taken apart once; then its terms come from a cache.

    Attributes:
        analyzer: what a term is.
        texts: how many texts there were.
        frequency: how many texts hold each term, shape [terms].
        mean_length: terms a text, repeated ones included.
    """

    def __init__(self, texts: Sequence[str], *, analyzer: Analyzer) -> None:
        """Number the terms of ``texts`` by appearance.

        Raises:
            DataError: the texts hold no term at all.
        """
        self.analyzer = analyzer
        self.texts = len(texts)
        self._split = _SPLIT[analyzer]
        self._units = _UNITS[analyzer]
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

    def _look_up(self, word: str) -> tuple[list[int], int]:
        units = self._units(word)
        found = [self._numbers[unit] for unit in units if unit in self._numbers], len(units)
        if len(self._cache) < _CACHED_WORDS:
            self._cache[word] = found
        return found
