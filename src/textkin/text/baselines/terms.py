"""Sparse term counts of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Ints
from textkin.base.errors import DataError
from textkin.data.token_attributions import Addends
from textkin.text.baselines.analysers import Analyser, analyser_of
from textkin.text.baselines.pair_scoring import CHUNK
from textkin.text.baselines.shared_word_counts import ReadWords, read_words, terms_of_words
from textkin.text.flat_ids import FlatIds

_CACHED_WORDS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """Texts that were analysed.

    Attributes:
        words: number of occurrences of each word in each text, shape [texts, words].
        terms: number of occurrences of each known term in each word, shape [words, terms].
        lengths: number of terms of each text, unknown ones included, shape [texts].
    """

    words: csr_array
    terms: csr_array
    lengths: Ints

    @classmethod
    def of(cls, read: ReadWords, terms: csr_array, word_lengths: Ints) -> _Read:
        """Combine numbered words with the terms and lengths of the distinct words."""
        words = _counts(read.numbers, len(read.words))
        total = np.concatenate(([0], np.cumsum(word_lengths[read.numbers.ids])))
        return cls(words, terms, np.diff(total[read.numbers.ends], prepend=0))

    def rows(self, rows: slice | Ints) -> tuple[csr_array, Ints]:
        """Term counts, with unsorted columns, and lengths of some of the texts."""
        return self.words[rows] @ self.terms, self.lengths[rows]


class Terms:
    """The terms of fitted texts, with their document frequencies.

    A word is analysed once; then its terms come from a cache.

    Attributes:
        analyser: definition of terms.
        texts: number of texts.
        frequency: number of texts that contain each term, shape [terms].
        mean_length: mean number of terms per text, repeated ones included.
    """

    def __init__(self, texts: Sequence[str], *, analyser: Analyser, keep: bool = False) -> None:
        """Number the terms of ``texts`` by first occurrence.

        Args:
            texts: texts to fit.
            analyser: definition of terms.
            keep: True to cache these texts and their words, so that they need no second analysis.

        Raises:
            DataError: the texts contain no term.
        """
        self.analyser = analyser
        self.texts = len(texts)
        self._split = analyser.words
        self._units = analyser.terms
        self._cache: dict[str, tuple[list[int], int]] = {}
        self._seen = sum(map(len, texts))
        words = read_words(texts, analyser)
        terms = terms_of_words(words.words, analyser, seen=self._seen)
        if not terms.terms:
            raise DataError(
                f"no words in the {len(texts)} texts that word frequencies are taken from",
                fix="give texts with words in them",
                params=("texts",),
                value=len(texts),
            )
        self._numbers = {term: number for number, term in enumerate(terms.terms)}
        read = _Read.of(words, _counts(terms.numbers, len(self._numbers)), terms.numbers.lengths)
        self.frequency = np.zeros(len(self._numbers), dtype=np.int64)
        for start in range(0, len(texts), CHUNK):
            counts, _ = read.rows(slice(start, start + CHUNK))
            self.frequency += np.bincount(counts.indices, minlength=len(self._numbers))
        self.mean_length = int(read.lengths.sum()) / len(texts)
        self._kept = read if keep else None
        self._places = {text: place for place, text in enumerate(texts)} if keep else {}

    def counts(self, texts: Sequence[str]) -> tuple[csr_array, Ints]:
        """The counts of known terms in each text, and its length with unknown ones included.

        Returns:
            float32 counts with sorted columns, shape [texts, terms], and lengths, shape [texts].
        """
        places = [self._places.get(text, -1) for text in texts] if self._kept else []
        if self._kept and min(places, default=0) >= 0:
            counts, lengths = self._kept.rows(np.array(places, dtype=np.int64))
        else:
            counts, lengths = self._read(texts).rows(slice(None))
        counts.sort_indices()
        return counts, lengths

    def _read(self, texts: Sequence[str]) -> _Read:
        words = read_words(texts, self.analyser, seen=self._seen)
        self._seen += sum(map(len, texts))
        found = [self._cache.get(word) or self._look_up(word) for word in words.words]
        known = _counts(FlatIds.of_rows([terms for terms, _ in found]), len(self._numbers))
        lengths = np.fromiter((length for _, length in found), dtype=np.int64, count=len(found))
        return _Read.of(words, known, lengths)

    def addends(self, text: str, row: csr_array) -> Addends:
        """The contribution of each word to a text's row; a term's value is split among its occurrences.

        Args:
            text: the text.
            row: one value per term, as computed by a scorer. Shape [1, terms].
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


class FitTexts(Sequence[str]):
    """Texts for fitting several baselines, analysed once for all that use the same analyser.

    Pass one of these instead of a list when measuring several baselines. It caches its analyses.

    Args:
        texts: the texts.

    Example:
        >>> texts = FitTexts(["ice melts", "fire burns"])
        >>> texts.terms("plain") is texts.terms("plain")
        True
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._terms: dict[str, Terms] = {}

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        return self._texts[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def terms(self, analyser: str) -> Terms:
        """The terms of all texts by the analyser with this name.

        Raises:
            DataError: the texts contain no term.
        """
        if analyser not in self._terms:
            self._terms[analyser] = Terms(self._texts, analyser=analyser_of(analyser), keep=True)
        return self._terms[analyser]


def fitted_terms(texts: Sequence[str], analyser: str) -> Terms:
    """The terms of texts by the analyser with this name, shared by :class:`FitTexts`."""
    return (
        texts.terms(analyser) if isinstance(texts, FitTexts) else Terms(texts, analyser=analyser_of(analyser))
    )


def _counts(numbers: FlatIds, columns: int) -> csr_array:
    """The count of each number in each row, float32, shape [rows, columns]."""
    ends = np.concatenate(([0], numbers.ends))
    ones = np.ones(len(numbers.ids), dtype=np.float32)
    counts = csr_array((ones, numbers.ids, ends), shape=(len(numbers.ends), columns))
    counts.sum_duplicates()
    return counts
