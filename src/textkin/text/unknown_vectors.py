"""Vectors for tokens that a static embedding lacks, from their character n-grams.

Every n-gram has a direction of its own, derived from its hash, so two strings are as similar as their
spelling: random projection of n-gram counts (Achlioptas 2003). If an embedding has rows for hashed n-grams
(Bojanowski et al. 2017), fitted to its Latin words, an unknown Latin word uses them first, and the random
directions fill the remaining length.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import shake_256

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import UsageError
from textkin.text.stable_hash import stable_hash
from textkin.text.tokenisers import character_ngrams
from textkin.text.unknown_tokens import Unknown, is_suspect

SHORTEST, LONGEST = 1, 3
"""Lengths of the n-grams with random directions."""

OWN = 0.2
"""Minimum length of the component from spelling alone, relative to the whole vector."""

_MOST = 10_000  # maximum number of cached parts
_LONG = 10_000  # in longer parts, n-grams are counted first, since most are repeated

MOST_SPELT = 50_000
"""Letters of a part whose n-grams count; what follows moves only the direction of the whole."""


@dataclass(frozen=True, slots=True, eq=False)
class NgramRows:
    """Fitted rows for hashed character n-grams.

    Attributes:
        matrix: rows whose mean over a word's n-grams approximates the word's vector. Shape [buckets, dim].
        lengths: shortest and longest n-gram.
    """

    matrix: Floats32
    lengths: tuple[int, int] = (3, 5)

    def buckets(self, word: str) -> list[int]:
        """The row of each n-gram of a word."""
        return [stable_hash(ngram) % len(self.matrix) for ngram in _ngrams(word, *self.lengths)]

    def of(self, word: str) -> Floats32:
        """A word's vector, shape [dim]; zero for one without n-grams."""
        if len(word) >= _LONG:
            return self._of_long(word)
        rows = self.buckets(word)
        if not rows:
            return np.zeros(self.matrix.shape[1], dtype=np.float32)
        return self.matrix[rows].mean(axis=0)

    def _of_long(self, word: str) -> Floats32:
        """The same up to rounding, without a row for each n-gram."""
        counts = Counter(_ngrams(word, *self.lengths))
        buckets = [stable_hash(ngram) % len(self.matrix) for ngram in counts]
        weights = np.bincount(buckets, list(counts.values()), len(self.matrix))
        return (weights @ self.matrix / weights.sum()).astype(np.float32)


class UnknownVectors:
    """Vectors for unknown parts; different parts have different vectors.

    Args:
        dim: dimension of the vectors.
        length: length of the vector of a one-token part; for n tokens it is multiplied by the square root of
            n, as for the sum of n orthogonal vectors.
        fitted: rows for n-grams, if the embedding has them.
    """

    def __init__(self, dim: int, *, length: float, fitted: NgramRows | None = None) -> None:
        self.length, self.fitted = length, fitted
        self._dim = dim
        self._made: dict[tuple[str, int], Floats32] = {}

    def of(self, part: str, size: int = 1) -> Floats32:
        """The vector of a part with ``size`` tokens, shape [dim]; cached and read-only."""
        made = self._made.get((part, size))  # another thread may evict it at any time
        if made is None:
            if len(self._made) >= _MOST:
                self._made.clear()
            made = self._made[part, size] = self._make(part, size)
            made.flags.writeable = False
        return made

    def _make(self, part: str, size: int) -> Floats32:
        length = self.length * np.sqrt(size)
        own = spelt(part, self._dim)
        if self.fitted is None or is_suspect(part):
            own *= np.float32(length)
            return own
        found = self.fitted.of(part) * np.sqrt(size)
        there = min(float(np.linalg.norm(found)) / length, 1.0) if length else 1.0
        missing = max(OWN, np.sqrt(1 - there**2))
        return (found + length * missing * own).astype(np.float32)

    def total(self, unknown: Unknown) -> Floats32:
        """The sum over the parts of a text, shape [dim]."""
        rows = [self.of(part, size) for part, size in zip(unknown.parts, unknown.sizes, strict=True)]
        return np.sum(rows, axis=0, dtype=np.float32)


def median_length(vectors: Floats32) -> float:
    """The median length of vectors that aren't zero, shape [vectors, dim]; 1 if all are."""
    lengths = np.linalg.norm(vectors, axis=1)
    there = np.sort(lengths[lengths > 0])  # np.median would load numpy.ma, which takes longer
    return float(there[(len(there) - 1) // 2 : len(there) // 2 + 1].mean()) if len(there) else 1.0


def spelt(part: str, dim: int) -> Floats32:
    """The direction of a part by its spelling, dominated by longer n-grams and the whole. Shape [dim]."""
    total = (LONGEST + 1) * _direction(f"whole {part}", dim)
    ngrams = _ngrams(part, SHORTEST, LONGEST)
    counted = Counter(ngrams).items() if len(part) >= _LONG else ((ngram, 1) for ngram in ngrams)
    for ngram, count in counted:
        total += count * len(ngram) * _direction(ngram, dim)
    return (total / max(float(np.linalg.norm(total)), 1e-9)).astype(np.float32)


def _ngrams(part: str, low: int, high: int) -> list[str]:
    return character_ngrams(part[:MOST_SPELT], low, high)


def _direction(text: str, dim: int) -> Floats:
    """A direction derived from the hash of a text, the same on every machine. Shape [dim]."""
    digest = shake_256(text.encode("utf-8", "surrogatepass")).digest(4 * dim)
    return np.frombuffer(digest, dtype="<u4").astype(np.float64) / 2**31 - 1


def fit_ngrams(
    words: Sequence[str],
    vectors: Floats32,
    *,
    buckets: int,
    lengths: tuple[int, int] = (3, 5),
    strength: float = 1.0,
) -> NgramRows:
    """Rows for hashed n-grams whose means approximate known word vectors, by ridge regression.

    Args:
        words: known words.
        vectors: vectors of the words, shape [words, dim].
        buckets: number of rows.
        lengths: shortest and longest n-gram.
        strength: ridge penalty, relative to the mean square of a row's weight in the words.

    Raises:
        UsageError: there are no words, or no rows.
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
