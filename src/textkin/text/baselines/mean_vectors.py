"""The mean of word vectors, plain or weighted by rarity (SIF)."""

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import Side
from textkin.data.token_attributions import Addends
from textkin.text.baselines.cosine_addends import unit_sum
from textkin.text.baselines.mean_pooling import mean_rows, unit_rows
from textkin.text.baselines.pair_scoring import CHUNK, ScoresByCosine
from textkin.text.case_folding import compatible
from textkin.text.flat_ids import FlatIds
from textkin.text.tokenisers import words
from textkin.text.unknown_tokens import Unknown, UnknownOf, unknown_words
from textkin.text.word_vectors import VectorFile


class MeanVectors(ScoresByCosine):
    """The direction of the mean of a text's word vectors.

    A word is looked up as written, then in lower case, so both cased and lower-cased vectors work. Words
    without a vector are skipped.

    Args:
        vectors: word vectors.
        weights: factor of each row, shape [words]; None for 1.
        common: unit vector whose direction is removed from every mean, shape [dim]; None for none.
    """

    name = "mean-vectors"

    def __init__(
        self,
        vectors: VectorFile,
        *,
        weights: Floats32 | None = None,
        common: Floats32 | None = None,
    ) -> None:
        self._rows = {word: row for row, word in enumerate(vectors.words)}
        self._matrix = vectors.matrix if weights is None else vectors.matrix * weights[:, None]
        self._common = common

    @classmethod
    def fit_sif(
        cls, vectors: VectorFile, texts: Sequence[str], *, a: float = 1e-3, remove_common: bool = True
    ) -> Self:
        """Smooth inverse frequency (Arora et al. 2017): weights ``a / (a + p(word))``.

        Args:
            vectors: word vectors.
            texts: texts for the word frequencies p and for the common direction.
            a: frequency at which a word's weight is one half.
            remove_common: True to remove the first principal direction of the texts' means.
        """
        plain = cls(vectors)
        counts = np.zeros(len(vectors.words))
        for row, count in Counter(row for text in texts for row in plain._ids(text).tolist()).items():
            counts[row] = count
        shares = counts / max(counts.sum(), 1.0)
        weights = (a / (a + shares)).astype(np.float32)
        weighted = cls(vectors, weights=weights)
        common = weighted._first_direction(texts) if remove_common else None
        return cls(vectors, weights=weights, common=common)

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return int(self._matrix.shape[1])

    max_tokens, reads_pairs = None, False  # texts are read whole, and separately

    @one_or_several
    def lengths(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Ints:
        """The number of known words of each text. Shape [texts]."""
        return np.fromiter((len(self._ids(text)) for text in texts), np.int64, len(texts))

    def unknown(self, texts: Sequence[str]) -> UnknownOf:
        """The words of texts that have no vector."""
        found: dict[int, Unknown] = {}
        for place, text in enumerate(texts):
            split = words(compatible(text))
            lacks = unknown_words(split, [self._row(word) is not None for word in split], text)
            if lacks is not None:
                found[place] = lacks
        return found

    def _encode(self, texts: list[str], side: Side) -> Floats32:
        """Unit vectors; zero for a text without known words."""
        vectors = self._means(texts)
        if self._common is not None:
            vectors -= np.vecdot(vectors, self._common)[:, None] * self._common
        return unit_rows(vectors)

    @property
    def adds_up(self) -> bool:
        """True: a text's vector is the direction of a sum."""
        return True

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The vectors of a text's known words divided by the length of their sum. Shape [words, dim]."""
        found = [(word, row) for word in words(compatible(text)) if (row := self._row(word)) is not None]
        rows = self._matrix[[row for _, row in found]].astype(np.float64).reshape(-1, self.dim)
        if self._common is not None:
            rows -= np.outer(rows @ self._common, self._common)
        return unit_sum(tuple(word for word, _ in found), rows)

    def _means(self, texts: Sequence[str]) -> Floats32:
        means = np.empty((len(texts), self.dim), dtype=np.float32)
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            rows = FlatIds.of_rows([self._ids(text) for text in chunk])
            means[start : start + len(chunk)] = mean_rows(rows, self._matrix)
        return means

    def _ids(self, text: str) -> Ints32:
        found = (self._row(word) for word in words(compatible(text)))
        return np.array([row for row in found if row is not None], dtype=np.int32)

    def _row(self, word: str) -> int | None:
        row = self._rows.get(word)
        return self._rows.get(word.lower()) if row is None else row

    def _first_direction(self, texts: Sequence[str]) -> Floats32:
        """The first right singular vector of the texts' means, shape [dim]."""
        square = np.zeros((self.dim, self.dim))
        for start in range(0, len(texts), CHUNK):
            means = self._means(texts[start : start + CHUNK]).astype(np.float64)
            square += means.T @ means
        return np.linalg.eigh(square).eigenvectors[:, -1].astype(np.float32)
