"""Arguments of the loops of ``bm25_loops.py``; importing this loads no compiler."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.text.baselines.bm25_parameters import Saturation


class CountedWords(NamedTuple):
    """Word counts of documents.

    Attributes:
        offsets: word t is in the documents ``documents[offsets[t]:offsets[t + 1]]``. Shape [words + 1].
        documents: increasing within a word. Shape [postings].
        counts: number of occurrences of the word. Shape [postings].
        lengths: number of words of each document, repeated ones included. Shape [documents].
    """

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: NDArray[np.int32]


class Ceilings(NamedTuple):
    """Upper bounds on the fraction of its weight that a word contributes to a document, in 255ths.

    Attributes:
        codes: bounds, less than one 255th above the true value. Shape [postings].
        peaks: highest code of each word. Shape [words].
        rows: row in ``table`` of each frequent word, -1 for the others. Shape [words].
        table: codes of all documents for frequent words, zero without the word. Shape [frequent, documents].
        saturation: the saturation they were computed for; they hold for any higher slope.
    """

    codes: NDArray[np.uint8]
    peaks: NDArray[np.uint8]
    rows: NDArray[np.int32]
    table: NDArray[np.uint8]
    saturation: Saturation


class Weighed(NamedTuple):
    """Queries as weighted clauses.

    Attributes:
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        terms: word number of each clause, -1 if no document contains it. Shape [clauses].
        weights: highest contributions of the words. Shape [clauses].
        saturation: what fraction of these a document gets.
    """

    offsets: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    saturation: Saturation


class Gathered(NamedTuple):
    """Buffers for the scores of documents.

    Attributes:
        worth: zero between queries. Shape [documents].
        found: numbers of the matching documents; one more than there are. Shape [documents + 1].
    """

    worth: NDArray[np.float32]
    found: NDArray[np.int32]
