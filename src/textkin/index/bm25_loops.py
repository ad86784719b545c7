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

    The heaviest words go first. Once the others together can't lift a document that has none of these into
    the best, only documents that have gathered something are looked up in their lists (MaxScore, Turtle and
    Flood 1995). A score is summed in double precision in the order of the weights, either way.

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
    order = np.argsort(-asked.weights, kind="mergesort")
    order = order[asked.terms[order] >= 0]
    rest = _rest(asked, order)
    left = 0  # postings of the words that are still to come
    for clause in order:
        left += words.offsets[asked.terms[clause] + 1] - words.offsets[asked.terms[clause]]
    count, done, least = 0, len(order), -np.inf
    for place in range(len(order)):
        if count >= len(scores) and left > count:
            best = _best_so_far(room, count, len(scores))
            if rest[place] < best * _SURELY:
                done, least = place, best * _SURELY
                break
        left -= words.offsets[asked.terms[order[place]] + 1] - words.offsets[asked.terms[order[place]]]
        count = _gather(words, asked, order[place], allowed, room, count)
    kept = 0
    for place in range(count):
        document = room.found[place]
        score = room.worth[document]
        room.worth[document] = 0
        if done < len(order):
            if score + rest[done] < least:
                continue
            for clause in order[done:]:
                score += _looked_up(words, asked, clause, document)
        kept = keep(documents, scores, kept, document, np.float32(score))
    sort(documents, scores, kept)
    return kept


# What is less than so much of another score is less when both are rounded to single precision, too.
_SURELY = 1 - 1e-6


@compiled
def _rest(asked: Weighed, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """At most so much a document gathers from the words from each place on. Shape [words + 1]."""
    rest = np.zeros(len(order) + 1)
    for place in range(len(order) - 1, -1, -1):
        # A document is as long as one of its words is often, or longer: held_back >= slope * often.
        rest[place] = rest[place + 1] + asked.weights[order[place]] / (1 + asked.slope)
    return rest


@compiled
def _best_so_far(room: Gathered, count: int, depth: int) -> float:
    """The score that the best ``depth`` have by now."""
    heap = np.full(depth, -np.inf)
    for place in range(count):
        score = room.worth[room.found[place]]
        if score > heap[0]:
            at = 0
            while 2 * at + 1 < depth:
                below = 2 * at + 1
                if below + 1 < depth and heap[below + 1] < heap[below]:
                    below += 1
                if heap[below] >= score:
                    break
                heap[at] = heap[below]
                at = below
            heap[at] = score
    return float(heap[0])


@compiled
def _gather(
    words: CountedWords,
    asked: Weighed,
    clause: int,
    allowed: NDArray[np.bool_],
    room: Gathered,
    count: int,
) -> int:
    """Add what a word of the query is worth to all documents that hold it."""
    term = asked.terms[clause]
    for posting in range(words.offsets[term], words.offsets[term + 1]):
        document = words.documents[posting]
        if len(allowed) > 0 and not allowed[document]:
            continue
        if room.worth[document] == 0:
            room.found[count] = document
            count += 1
        room.worth[document] += _worth(words, asked, clause, posting)
    return count


@compiled
def _worth(words: CountedWords, asked: Weighed, clause: int, posting: int) -> float:
    often = words.counts[posting]
    held_back = asked.flat + asked.slope * words.lengths[words.documents[posting]]
    return float(asked.weights[clause] * (often / (often + held_back)))


@compiled
def _looked_up(words: CountedWords, asked: Weighed, clause: int, document: int) -> float:
    """What a word of the query is worth to one document."""
    term = asked.terms[clause]
    start, end = words.offsets[term], words.offsets[term + 1]
    posting = start + np.searchsorted(words.documents[start:end], document)
    if posting < end and words.documents[posting] == document:
        return _worth(words, asked, clause, posting)
    return 0.0
