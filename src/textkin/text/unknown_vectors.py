"""Vectors for what a static embedding has no vector for, made of its character n-grams.

Every n-gram has a direction of its own, which its hash decides, so two parts of texts are as similar as they
are spelt: random projection of n-gram counts (Achlioptas 2003). Where an embedding brings rows for hashed
n-grams (Bojanowski et al. 2017), fitted to its Latin words, they come first for an unknown Latin word, and
the directions fill up what these leave open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import shake_256
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.text.stable_hash import stable_hash
from textkin.text.tokenisers import character_ngrams
from textkin.text.unknown_tokens import Unknown, is_suspect

SHORTEST, LONGEST = 1, 3
"""Characters of the n-grams that have directions."""

OWN = 0.2
"""The least length of the part that spelling alone decides, of the whole vector's."""

_MOST = 10_000  # parts that are remembered
_LONG = 10_000  # characters of a part from which on its n-grams are counted first, since most come again


@final
@dataclass(frozen=True, slots=True, eq=False)
class NgramRows:
    """Fitted rows for hashed character n-grams.

    Attributes:
        matrix: means of its rows over a word's n-grams are near the word's vector. Shape [buckets, dim].
        lengths: shortest and longest n-gram.
    """

    matrix: NDArray[np.float32]
    lengths: tuple[int, int] = (3, 5)

    def buckets(self, word: str) -> list[int]:
        """The row of each n-gram of a word."""
        return [stable_hash(ngram) % len(self.matrix) for ngram in character_ngrams(word, *self.lengths)]

    def of(self, word: str) -> NDArray[np.float32]:
        """A word's vector, shape [dim]; zero for one without n-grams."""
        if len(word) >= _LONG:
            return self._of_long(word)
        rows = self.buckets(word)
        if not rows:
            return np.zeros(self.matrix.shape[1], dtype=np.float32)
        found: NDArray[np.float32] = self.matrix[rows].mean(axis=0)
        return found

    def _of_long(self, word: str) -> NDArray[np.float32]:
        """The same, but for rounding, without a row for each n-gram."""
        counts = Counter(character_ngrams(word, *self.lengths))
        buckets = [stable_hash(ngram) % len(self.matrix) for ngram in counts]
        weights = np.bincount(buckets, list(counts.values()), len(self.matrix))
        found: NDArray[np.float32] = (weights @ self.matrix / weights.sum()).astype(np.float32)
        return found


@final
class UnknownVectors:
    """A vector for every part that an embedding doesn't know; different parts have different vectors.

    Args:
        dim: width of the vectors.
        length: of the vector of a part that is one token; of n tokens it is longer by the root of n, as the
            sum of n vectors of tokens that have nothing in common would be.
        fitted: rows for n-grams, where the embedding has them.
    """

    def __init__(self, dim: int, *, length: float, fitted: NgramRows | None = None) -> None:
        self._dim, self._length, self._fitted = dim, length, fitted
        self._made: dict[tuple[str, int], NDArray[np.float32]] = {}

    def of(self, part: str, size: int = 1) -> NDArray[np.float32]:
        """The vector of a part of so many tokens, shape [dim]. It is remembered, and can't be written to."""
        made = self._made.get((part, size))  # another thread may forget it at any time
        if made is None:
            if len(self._made) >= _MOST:
                self._made.clear()
            made = self._made[part, size] = self._make(part, size)
            made.flags.writeable = False
        return made

    def _make(self, part: str, size: int) -> NDArray[np.float32]:
        length = self._length * np.sqrt(size)
        own = spelt(part, self._dim)
        if self._fitted is None or is_suspect(part):
            own *= np.float32(length)
            return own
        found = self._fitted.of(part) * np.sqrt(size)
        there = min(float(np.linalg.norm(found)) / length, 1.0) if length else 1.0
        missing = max(OWN, np.sqrt(1 - there**2))
        vector: NDArray[np.float32] = (found + length * missing * own).astype(np.float32)
        return vector

    def total(self, unknown: Unknown) -> NDArray[np.float32]:
        """The sum over the parts of a text, shape [dim]."""
        rows = [self.of(part, size) for part, size in zip(unknown.parts, unknown.sizes, strict=True)]
        found: NDArray[np.float32] = np.sum(rows, axis=0, dtype=np.float32)
        return found


def spelt(part: str, dim: int) -> NDArray[np.float32]:
    """The direction of a part by its spelling: longer n-grams count more, the whole most. Shape [dim]."""
    total = (LONGEST + 1) * _direction(f"whole {part}", dim)
    ngrams = character_ngrams(part, SHORTEST, LONGEST)
    counted = Counter(ngrams).items() if len(part) >= _LONG else ((ngram, 1) for ngram in ngrams)
    for ngram, count in counted:
        total += count * len(ngram) * _direction(ngram, dim)
    found: NDArray[np.float32] = (total / max(float(np.linalg.norm(total)), 1e-9)).astype(np.float32)
    return found


def _direction(text: str, dim: int) -> NDArray[np.float64]:
    """A direction that the hash of a text decides, the same on every machine. Shape [dim]."""
    digest = shake_256(text.encode("utf-8", "surrogatepass")).digest(4 * dim)
    return np.frombuffer(digest, dtype="<u4").astype(np.float64) / 2**31 - 1


def fit_ngrams(
    words: Sequence[str],
    vectors: NDArray[np.float32],
    *,
    buckets: int,
    lengths: tuple[int, int] = (3, 5),
    strength: float = 1.0,
) -> NgramRows:
    """Rows for hashed n-grams whose means are near the vectors of known words, by ridge regression.

    Args:
        words: known words.
        vectors: of the words, shape [words, dim].
        buckets: rows.
        lengths: shortest and longest n-gram.
        strength: of the pull to zero, beside the mean square of a row's part in the words.

    Raises:
        UsageError: there is no word, or no row.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse import csr_array

    if not words or buckets < 1:
        raise UsageError(
            f"{len(words)} words and {buckets} rows for n-grams", fix="give at least one of each"
        )
    empty = NgramRows(np.zeros((buckets, vectors.shape[1]), dtype=np.float32), lengths)
    rows = [empty.buckets(word) for word in words]
    ends = np.cumsum([0, *map(len, rows)])
    shares = np.concatenate([np.full(len(row), 1 / len(row)) for row in rows if row])
    columns = np.array([bucket for row in rows for bucket in row], dtype=np.int64)
    means = csr_array((shares, columns, ends), shape=(len(words), buckets))
    ridge = strength * float(means.multiply(means).sum()) / buckets
    normal = (means.T @ means).toarray()
    normal.flat[:: buckets + 1] += ridge
    solved = cho_solve(cho_factor(normal), means.T @ vectors.astype(np.float64))
    return NgramRows(solved.astype(np.float32), lengths)
