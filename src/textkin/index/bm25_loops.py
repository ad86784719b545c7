"""The loops over the words of a collection whose entries come and go: BM25, term at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.compiled import compiled
from textkin.index.posting_loops import keep, sort


class CountedWords(NamedTuple):
    """How often each document holds each word.

    Attributes:
        offsets: word t is in the documents ``documents[offsets[t]:offsets[t + 1]]``. Shape [words + 1].
        documents: rising within a word. Shape [postings].
        counts: how often the word is there. Shape [postings].
        lengths: words of each document, repeated ones included. Shape [documents].
    """

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: NDArray[np.int32]


class Weighed(NamedTuple):
    """What a query asks for.

    Attributes:
        terms: a word's number for each word of the query, -1 if no document holds it. Shape [asked].
        weights: the words' inverse document frequencies. Shape [asked].
        flat: what a count of 1 is held back by in an empty document.
        slope: what each word of the document adds to that.
    """

    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    flat: float
    slope: float


class Gathered(NamedTuple):
    """Room for what documents gather for a query.

    Attributes:
        worth: zeros between queries. Shape [documents].
        found: the numbers of those that match. Shape [documents].
    """

    worth: NDArray[np.float64]
    found: NDArray[np.int32]


@compiled
def holders(words: CountedWords, terms: NDArray[np.int64], alive: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many documents that are alive hold each word. Shape [asked]."""
    found = np.zeros(len(terms), dtype=np.int64)
    for place in range(len(terms)):
        if terms[place] < 0:
            continue
        start, end = words.offsets[terms[place]], words.offsets[terms[place] + 1]
        if len(alive) == 0:
            found[place] = end - start
            continue
        for posting in range(start, end):
            found[place] += alive[words.documents[posting]]
    return found


@compiled
def best_of(
    words: CountedWords,
    asked: Weighed,
    allowed: NDArray[np.bool_],
    room: Gathered,
    documents: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> int:
    """Write down the best documents of a query, best first; of equals the one of the lowest number.

    Args:
        words: the documents.
        asked: the query.
        allowed: which documents may be found; all if it is empty. Shape [documents].
        room: as large as the documents.
        documents: room for the best. Shape [depth].
        scores: likewise.

    Returns:
        How many there are.
    """
    count = 0
    for place in range(len(asked.terms)):
        term, weight = asked.terms[place], asked.weights[place]
        if term < 0:
            continue
        for posting in range(words.offsets[term], words.offsets[term + 1]):
            document = words.documents[posting]
            if len(allowed) > 0 and not allowed[document]:
                continue
            if room.worth[document] == 0:
                room.found[count] = document
                count += 1
            often = words.counts[posting]
            held_back = asked.flat + asked.slope * words.lengths[document]
            room.worth[document] += weight * (often / (often + held_back))
    kept = 0
    for place in range(count):
        document = room.found[place]
        kept = keep(documents, scores, kept, document, np.float32(room.worth[document]))
        room.worth[document] = 0
    sort(documents, scores, kept)
    return kept
