"""Components of Lucene's classic similarity: documents, queries, and the sums over both.

Source: ``ClassicSimilarity`` (previously ``DefaultSimilarity``), ``TFIDFSimilarity``, ``BooleanQuery`` and
``SmallFloat`` of Lucene 4.10 and 5. Every product is rounded to float32 where Lucene rounds it, and the terms
of a document are summed in double precision, as in Lucene.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.text.baselines.standard_words import STOP_WORDS, standard_words

_MANTISSA = 21  # bits of a float32 that a norm's byte omits
_ZERO = (63 - 15) << 3  # the zero point of the byte


@dataclass(frozen=True, slots=True, eq=False)
class Clauses:
    """Queries in Lucene's form: one clause per word, repeated ones too.

    Attributes:
        words: distinct words.
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        terms: word of each clause, by its position in ``words``. Shape [clauses].
        idf: inverse document frequency of the word. Shape [clauses].
        weights: contribution to a document that contains the word once, before the document's norm. Shape
            [clauses].
    """

    words: tuple[str, ...]
    offsets: Ints
    terms: Ints32
    idf: Floats32
    weights: Floats32

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice | NDArray[Any]) -> Clauses:
        """The selected queries."""
        chosen = np.arange(len(self))[rows]
        places, offsets = spread(self.offsets, chosen)
        return Clauses(self.words, offsets, self.terms[places], self.idf[places], self.weights[places])

    def numbered(self, numbers: Mapping[str, int]) -> Ints32:
        """The number of each clause's word, -1 if it has none. Shape [clauses]."""
        known = np.array([numbers.get(word, -1) for word in self.words], dtype=np.int32)
        return known[self.terms] if len(known) else np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Documents in Lucene's form.

    Attributes:
        numbers: column of each word.
        roots: square root of the number of occurrences of each word, sorted columns. Shape [documents,
            words].
        norms: length norm of each document. Shape [documents].
    """

    numbers: Mapping[str, int]
    roots: csr_array
    norms: Floats32

    def __len__(self) -> int:
        return len(self.norms)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Counted:
        """The selected documents."""
        return Counted(self.numbers, self.roots[rows], self.norms[rows])


def words_of(text: str) -> list[str]:
    """The indexed words of a text, in order."""
    return [word for word in standard_words(text) if word not in STOP_WORDS]


def counted(texts: Sequence[str]) -> Counted:
    """Texts as documents of an index."""
    words, offsets, terms = numbered(texts)
    norms, ones = norm_of(np.diff(offsets)), np.ones(len(terms), dtype=np.float32)
    table = csr_array((ones, terms, offsets), shape=(len(texts), max(1, len(words))))
    table.sum_duplicates()
    np.sqrt(table.data, out=table.data)
    return Counted(words, table, norms)


def idf_of(frequency: Ints, texts: int) -> Floats32:
    """The idf of words from their document frequencies. Same shape."""
    return (np.log(texts / (frequency + 1.0)) + 1.0).astype(np.float32)


def norm_of(lengths: Ints) -> Floats32:
    """``1 / sqrt(length)`` truncated to a byte with three bits of mantissa; 0 for an empty text.

    Same shape. 0.707 becomes 0.625, 0.577 becomes 0.5, 0.447 becomes 0.4375.
    """
    with np.errstate(divide="ignore"):
        exact = np.where(lengths > 0, 1 / np.sqrt(lengths), 0).astype(np.float32)
    small = (exact.view(np.int32) >> _MANTISSA) - _ZERO
    kept = ((np.clip(small, 0, 255) + _ZERO) << _MANTISSA).astype(np.int32).view(np.float32)
    return np.where(lengths > 0, kept, np.float32(0))


def squares_of(idf: Floats32, offsets: Ints) -> Floats32:
    """The sum of ``idf^2`` over each query's clauses, rounded at each step. Shape [queries]."""
    lengths = np.diff(offsets)
    squares, sums = idf * idf, np.zeros(len(lengths), dtype=np.float32)
    for place in range(int(lengths.max(initial=0))):  # sequentially, since each sum is rounded
        longer = lengths > place
        sums[longer] += squares[offsets[:-1][longer] + place]
    return sums


def weights_of(idf: Floats32, offsets: Ints, squares: Floats32) -> Floats32:
    """The weights of clauses in their queries: ``idf * queryNorm * idf``. Shape [clauses].

    Args:
        idf: idf of the clauses.
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``.
        squares: result of :func:`squares_of`, possibly including other parts of the query. Shape [queries].
    """
    with np.errstate(divide="ignore"):
        norms = (1 / np.sqrt(squares.astype(np.float64))).astype(np.float32)
    return (idf * np.repeat(norms, np.diff(offsets))) * idf


def score_rows(clauses: Clauses, documents: Counted, left: Ints, right: Ints) -> Floats32:
    """The score of each query with its counterpart, both by number. Shape [pairs]."""
    places, offsets = spread(clauses.offsets, left)
    roots = held(clauses.numbered(documents.numbers)[places], offsets, documents, right)
    return summed(roots, clauses.weights[places], offsets, documents.norms[right])


def spread(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The positions of all items of some rows, and the start of each row among these."""
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    return np.arange(ends[-1]) + np.repeat(offsets[:-1][rows] - ends[:-1], lengths), ends


def held(terms: Ints32, offsets: Ints, documents: Counted, rows: Ints) -> Floats32:
    """The square root of the count of each clause's word in its document. Shape [clauses]."""
    table = documents.roots
    width = table.shape[1]
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * width + table.indices
    asked = np.repeat(rows, np.diff(offsets)) * width + terms
    place = np.minimum(np.searchsorted(keys, asked), max(0, len(keys) - 1))
    if not len(keys):
        return np.zeros(len(terms), dtype=np.float32)
    return np.where((terms >= 0) & (keys[place] == asked), table.data[place], np.float32(0))


def summed(roots: Floats32, weights: Floats32, offsets: Ints, norms: Floats32) -> Floats32:
    """The score of each pair from its clauses. Shape [pairs]."""
    lengths = np.diff(offsets)
    pair = np.repeat(np.arange(len(lengths)), lengths)
    worth = (roots * weights) * norms[pair]
    sums = np.bincount(pair, worth.astype(np.float64), minlength=len(lengths))
    matched = np.bincount(pair[roots > 0], minlength=len(lengths)).astype(np.float32)
    coord = np.asarray(matched / np.maximum(lengths, 1).astype(np.float32), dtype=np.float32)
    return np.asarray(sums, dtype=np.float32) * coord


def numbered(texts: Sequence[str]) -> tuple[dict[str, int], Ints, Ints32]:
    """The words of texts with their numbers, and each text's words by number."""
    numbers, terms = dict[str, int](), array("i")
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    for row, text in enumerate(texts):
        terms.extend([numbers.setdefault(word, len(numbers)) for word in words_of(text)])
        ends[row + 1] = len(terms)
    return numbers, ends, np.array(terms, dtype=np.int32)
