"""What Lucene's classic similarity is made of: documents, queries, and the sums over both.

Source: ``ClassicSimilarity`` (``DefaultSimilarity`` before), ``TFIDFSimilarity``, ``BooleanQuery`` and
``SmallFloat`` of Lucene 4.10 and 5. Every product is rounded to float32 where Lucene rounds it, and the terms
of a document are added up in double precision, as there.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.text.baselines.standard_words import STOP_WORDS, standard_words

_Floats = NDArray[np.float32]
_Ints = NDArray[np.int64]

_MANTISSA = 21  # bits of a float32 that a norm's byte leaves out
_ZERO = (63 - 15) << 3  # what a byte counts from


@final
@dataclass(frozen=True, slots=True, eq=False)
class Clauses:
    """Queries as Lucene asks them: a clause for each word, repeated ones too.

    Attributes:
        words: the different ones.
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        terms: the word of each clause, by its place in ``words``. Shape [clauses].
        idf: how rare it is. Shape [clauses].
        weights: what a document is worth that holds it once, before the document's norm. Shape [clauses].
    """

    words: tuple[str, ...]
    offsets: _Ints
    terms: NDArray[np.int32]
    idf: _Floats
    weights: _Floats

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice | NDArray[Any]) -> Clauses:
        """Some of the queries."""
        chosen = np.arange(len(self))[rows]
        places, offsets = spread(self.offsets, chosen)
        return Clauses(self.words, offsets, self.terms[places], self.idf[places], self.weights[places])

    def numbered(self, numbers: Mapping[str, int]) -> NDArray[np.int32]:
        """The number of each clause's word, -1 where it has none. Shape [clauses]."""
        known = np.array([numbers.get(word, -1) for word in self.words], dtype=np.int32)
        return known[self.terms] if len(known) else np.empty(0, dtype=np.int32)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Documents as Lucene keeps them.

    Attributes:
        numbers: the column of each word.
        roots: the square root of how often a document holds a word, sorted columns. Shape [documents, words].
        norms: what a document's length makes of each match. Shape [documents].
    """

    numbers: Mapping[str, int]
    roots: csr_array
    norms: _Floats

    def __len__(self) -> int:
        return len(self.norms)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Counted:
        """Some of the documents."""
        return Counted(self.numbers, self.roots[rows], self.norms[rows])


def words_of(text: str) -> list[str]:
    """The words of a text that an index holds, in their order."""
    return [word for word in standard_words(text) if word not in STOP_WORDS]


def counted(texts: Sequence[str]) -> Counted:
    """Texts as documents of an index."""
    words, offsets, terms = numbered(texts)
    norms, ones = norm_of(np.diff(offsets)), np.ones(len(terms), dtype=np.float32)
    table = csr_array((ones, terms, offsets), shape=(len(texts), max(1, len(words))))
    table.sum_duplicates()
    np.sqrt(table.data, out=table.data)
    return Counted(words, table, norms)


def idf_of(frequency: _Ints, texts: int) -> _Floats:
    """How rare words are that so many of the texts hold. Same shape."""
    return (np.log(texts / (frequency + 1.0)) + 1.0).astype(np.float32)


def norm_of(lengths: _Ints) -> _Floats:
    """``1 / sqrt(length)`` as a byte keeps it: three bits of mantissa, cut off. 0 for nothing. Same shape.

    .707 becomes .625, .577 becomes .5, .447 becomes .4375.
    """
    with np.errstate(divide="ignore"):
        exact = np.where(lengths > 0, 1 / np.sqrt(lengths), 0).astype(np.float32)
    small = (exact.view(np.int32) >> _MANTISSA) - _ZERO
    kept = ((np.clip(small, 0, 255) + _ZERO) << _MANTISSA).astype(np.int32).view(np.float32)
    return np.where(lengths > 0, kept, np.float32(0))


def squares_of(idf: _Floats, offsets: _Ints) -> _Floats:
    """The sum of ``idf^2`` over each query's clauses, rounded at each step. Shape [queries]."""
    lengths = np.diff(offsets)
    squares, sums = idf * idf, np.zeros(len(lengths), dtype=np.float32)
    for place in range(int(lengths.max(initial=0))):  # one after another, as each sum is rounded
        longer = lengths > place
        sums[longer] += squares[offsets[:-1][longer] + place]
    return sums


def weights_of(idf: _Floats, offsets: _Ints, squares: _Floats) -> _Floats:
    """What clauses weigh in their queries: ``idf * queryNorm * idf``. Shape [clauses].

    Args:
        idf: of the clauses.
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``.
        squares: of :func:`squares_of`, or with those of further parts of the query. Shape [queries].
    """
    with np.errstate(divide="ignore"):
        norms = (1 / np.sqrt(squares.astype(np.float64))).astype(np.float32)
    return (idf * np.repeat(norms, np.diff(offsets))) * idf


def score_rows(clauses: Clauses, documents: Counted, left: _Ints, right: _Ints) -> _Floats:
    """The score of each query with its counterpart, both given by number. Shape [pairs]."""
    places, offsets = spread(clauses.offsets, left)
    roots = held(clauses.numbered(documents.numbers)[places], offsets, documents, right)
    return summed(roots, clauses.weights[places], offsets, documents.norms[right])


def spread(offsets: _Ints, rows: _Ints) -> tuple[_Ints, _Ints]:
    """The places of all items of some rows, and where each row's begin among these."""
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    return np.arange(ends[-1]) + np.repeat(offsets[:-1][rows] - ends[:-1], lengths), ends


def held(terms: NDArray[np.int32], offsets: _Ints, documents: Counted, rows: _Ints) -> _Floats:
    """The root of how often its document holds the word of each clause; 0 if not at all. Shape [clauses]."""
    table = documents.roots
    width = table.shape[1]
    keys = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)) * width + table.indices
    asked = np.repeat(rows, np.diff(offsets)) * width + terms
    place = np.minimum(np.searchsorted(keys, asked), max(0, len(keys) - 1))
    if not len(keys):
        return np.zeros(len(terms), dtype=np.float32)
    return np.where((terms >= 0) & (keys[place] == asked), table.data[place], np.float32(0))


def summed(roots: _Floats, weights: _Floats, offsets: _Ints, norms: _Floats) -> _Floats:
    """The score of each pair from its clauses. Shape [pairs]."""
    lengths = np.diff(offsets)
    pair = np.repeat(np.arange(len(lengths)), lengths)
    worth = (roots * weights) * norms[pair]
    sums = np.bincount(pair, worth.astype(np.float64), minlength=len(lengths))
    matched = np.bincount(pair[roots > 0], minlength=len(lengths)).astype(np.float32)
    coord = np.asarray(matched / np.maximum(lengths, 1).astype(np.float32), dtype=np.float32)
    return np.asarray(sums, dtype=np.float32) * coord


def numbered(texts: Sequence[str]) -> tuple[dict[str, int], _Ints, NDArray[np.int32]]:
    """The words of texts by their numbers, and each text's words."""
    numbers, terms = dict[str, int](), array("i")
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    for row, text in enumerate(texts):
        terms.extend([numbers.setdefault(word, len(numbers)) for word in words_of(text)])
        ends[row + 1] = len(terms)
    return numbers, ends, np.array(terms, dtype=np.int32)
