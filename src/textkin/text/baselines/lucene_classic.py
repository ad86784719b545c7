"""Lucene's classic similarity, its default until version 6: the first text is the query."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.first_seen_numbers import enumerated
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.text.baselines import lucene_parts as lucene
from textkin.text.baselines.names import LUCENE_CLASSIC
from textkin.text.baselines.pair_scoring import CHUNK

ONE_DOCUMENT = "lucene-one-document"

_Floats = NDArray[np.float32]
_Ints = NDArray[np.int64]


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
            )
        return cls(texts=len(texts), frequency=frequency)

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> _Floats:
        """The score of each pair, 0 or more, shape [pairs].

        Raises:
            UsageError: the input is not pairs of texts.
        """
        return _in_chunks(pairs, self._rows)

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

    def _rows(self, queries: list[str], documents: list[str], left: _Ints, right: _Ints) -> _Floats:
        return lucene.score_rows(self.clauses(queries), self.counted(documents), left, right)


class LuceneOneDocument:
    """:class:`LuceneClassic` with an index that contains only the second text of each pair.

    A word in the document has an idf of ``1 + ln(1/2)``, any other an idf of 1, so query words that are
    missing from it lower the score. The "Cappucino Monkeys" of the Allen AI science challenge compared
    answers with choices this way.

    Example:
        >>> found = LuceneOneDocument().score([("at the tissue level", "at the system level")])
        >>> round(float(found[0]), 5)
        0.02813
    """

    name = ONE_DOCUMENT

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> _Floats:
        """The score of each pair, 0 or more, shape [pairs].

        Raises:
            UsageError: the input is not pairs of texts.
        """
        return _in_chunks(pairs, self._rows)

    def _rows(self, queries: list[str], documents: list[str], left: _Ints, right: _Ints) -> _Floats:
        words, offsets, terms = lucene.numbered(queries)
        known = lucene.counted(documents)
        columns = np.array([known.numbers.get(word, -1) for word in words], dtype=np.int32)
        places, ends = lucene.spread(offsets, left)
        roots = lucene.held(columns[terms[places]], ends, known, right)
        idf = lucene.idf_of((roots > 0).astype(np.int64), 1)
        weights = lucene.weights_of(idf, ends, lucene.squares_of(idf, ends))
        return lucene.summed(roots, weights, ends, known.norms[right])


def _in_chunks(
    pairs: Sequence[tuple[str, str]], scored: Callable[[list[str], list[str], _Ints, _Ints], _Floats]
) -> _Floats:
    """Score pairs whose different texts are looked at once a chunk."""
    pairs = text_pairs_of(pairs)
    scores = np.empty(len(pairs), dtype=np.float32)
    for start in range(0, len(pairs), CHUNK):
        left, right, queries, documents = _distinct(pairs[start : start + CHUNK])
        scores[start : start + len(left)] = scored(queries, documents, left, right)
    return scores


def _distinct(pairs: Sequence[tuple[str, str]]) -> tuple[_Ints, _Ints, list[str], list[str]]:
    """Both sides of pairs by number, and the different texts of each side."""
    (left, queries), (right, documents) = (enumerated(texts) for texts in zip(*pairs, strict=True))
    return left, right, queries, documents
