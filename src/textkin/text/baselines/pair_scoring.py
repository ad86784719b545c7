"""Shared helpers of scorers: each text is processed once, with bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.first_seen_numbers import enumerated
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.data.encode_arguments import EncodesTexts
from textkin.data.protocols import Scorer

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CHUNK = 16_384

_Table = TypeVar("_Table", Floats32, "csr_array")


@runtime_checkable
class Lexical(Scorer, Protocol):
    """A scorer that compares sparse rows, with the score 0 for texts without shared terms."""

    def queries(self, texts: Sequence[str]) -> csr_array:
        """One row per first text, float32, shape [texts, features]."""

    def documents(self, texts: Sequence[str]) -> csr_array:
        """One row per second text, float32, shape [texts, features]."""

    def compare(self, queries: csr_array, documents: csr_array, /) -> Floats32:
        """The score of each row with its counterpart. Shapes [rows, features] to [rows]."""


def score_pairs(
    pairs: Sequence[tuple[str, str]],
    compare: Callable[[_Table, _Table], Floats32],
    *,
    first: Callable[[Sequence[str]], _Table],
    second: Callable[[Sequence[str]], _Table],
) -> Floats32:
    """Score pairs in chunks, computing the features of each distinct text once.

    Args:
        pairs: the texts.
        compare: function from rows and rows to scores, shape [rows].
        first: function from first texts to features, one independent row per text.
        second: the same for second texts.

    Raises:
        UsageError: the input is not pairs of texts.
    """
    pairs = text_pairs_of(pairs)
    scores = np.empty(len(pairs), dtype=np.float32)
    for start in range(0, len(pairs), CHUNK):
        chunk = pairs[start : start + CHUNK]
        left = _table([a for a, _ in chunk], first)
        right = _table([b for _, b in chunk], second)
        scores[start : start + len(chunk)] = compare(left, right)
    return scores


class ScoresByCosine(EncodesTexts):
    """An encoder that scores pairs by the cosine of their vectors."""

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The cosine of each pair, shape [pairs]; 0 if a text has no known token."""
        return score_pairs(pairs, dense_cosine, first=self.encode, second=self.encode)


def _table(texts: list[str], features: Callable[[Sequence[str]], _Table]) -> _Table:
    rows, different = enumerated(texts)
    table = features(different)
    return table if len(different) == len(texts) else table[rows]


def dense_cosine(left: Floats32, right: Floats32) -> Floats32:
    """Cosine of each row with its counterpart, 0 if one is zero. Shapes [rows, dim] to [rows]."""
    norms = np.sqrt(np.vecdot(left, left) * np.vecdot(right, right))
    cosines = np.zeros(len(left), dtype=np.float32)
    np.divide(np.vecdot(left, right), norms, out=cosines, where=norms > 0)
    return np.clip(cosines, -1, 1, out=cosines)  # rounding may give a cosine of 1.0000001


def sparse_cosine(left: csr_array, right: csr_array) -> Floats32:
    """:func:`sparse_dot` of unit rows, never above 1."""
    return np.minimum(sparse_dot(left, right), np.float32(1))


def sparse_dot(left: csr_array, right: csr_array) -> Floats32:
    """Dot product of each row with its counterpart. Shapes [rows, terms] to [rows]."""
    return (left * right).sum(axis=1)
