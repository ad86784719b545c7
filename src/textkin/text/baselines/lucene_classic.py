"""Lucene's classic similarity, its default until version 6: the first text is the query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.text.baselines import lucene_parts as lucene
from textkin.text.baselines.names import LUCENE_CLASSIC
from textkin.text.baselines.pair_scoring import CHUNK


class LuceneClassic:
    """The score of a query and a document in an index of texts.

    ``coord * queryNorm * sum of sqrt(tf) * idf^2 * norm`` over the query's words, where ``idf`` is ``1 + ln(n
    / (df + 1))``, ``norm`` is ``1 / sqrt(length)`` in one byte (:func:`norm_of`), ``queryNorm`` is ``1 /
    sqrt(sum of idf^2)``, and ``coord`` is the fraction of the query's words that the document contains. Each
    repetition of a query word is a clause of its own in all three sums, as in Lucene's parser. A word that is
    missing from the index has a document frequency of 0. Stop words are removed on both sides.

    Queries are flat. Lucene's parser puts the parts of "carbon-carbon" into a nested query with its own
    ``coord``, and rejects more than 1,024 words. AND, OR, NOT and operators are treated as text.

    Args:
        texts: number of texts in the index.
        frequency: number of texts that contain each word.

    Example:
        >>> scorer = LuceneClassic.fit(["at the system level"])
        >>> [round(float(score), 5) for score in scorer.score([("the system level", "at the system level")])]
        [0.27122]
    """

    name = LUCENE_CLASSIC

    def __init__(self, *, texts: int, frequency: Mapping[str, int]) -> None:
        self.texts = texts
        self.frequency = frequency

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Self:
        """Count the document frequency of each word in ``texts``.

        Raises:
            DataError: the texts contain no word.
        """
        frequency = Counter[str]()
        for text in texts:
            frequency.update(set(lucene.words_of(text)))
        if not frequency:
            raise DataError(
                f"no words in the {len(texts)} texts that word frequencies are taken from",
                fix="give texts with words in them",
                params=("texts",),
                value=len(texts),
            )
        return cls(texts=len(texts), frequency=frequency)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The score of each pair, 0 or more, shape [pairs].

        Raises:
            UsageError: the input is not pairs of texts.
        """
        pairs = text_pairs_of(pairs)
        scores = np.empty(len(pairs), dtype=np.float32)
        for start in range(0, len(pairs), CHUNK):
            sides = zip(*pairs[start : start + CHUNK], strict=True)
            (left, queries), (right, documents) = map(enumerated, sides)
            found = lucene.score_rows(self.clauses(queries), self.counted(documents), left, right)
            scores[start : start + len(left)] = found
        return scores

    def clauses(self, texts: Sequence[str]) -> lucene.Clauses:
        """The clauses of each query."""
        words, offsets, terms = lucene.numbered(texts)
        found = np.array([self.frequency.get(word, 0) for word in words], dtype=np.int64)
        idf = lucene.idf_of(found, self.texts)[terms] if words else np.empty(0, dtype=np.float32)
        weights = lucene.weights_of(idf, offsets, lucene.squares_of(idf, offsets))
        return lucene.Clauses(tuple(words), offsets, terms, idf, weights)

    def counted(self, texts: Sequence[str]) -> lucene.Counted:
        """The word counts of each document, words missing from the index included."""
        return lucene.counted(texts)
