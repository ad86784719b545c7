"""The loops over the words of a collection whose entries come and go: BM25, term at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.vectors.index.posting_loops import keep, sort


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


class Ceilings(NamedTuple):
    """How much of its weight a word is worth to a document, at most: so many 255ths.

    Attributes:
        codes: less than one 255th above what they stand for. Shape [postings].
        peaks: the highest of each word. Shape [words].
        slope: what they were made for; they hold for all that are no less.
    """

    codes: NDArray[np.uint8]
    peaks: NDArray[np.uint8]
    slope: float


class Weighed(NamedTuple):
    """What queries ask for.

    Attributes:
        offsets: query i has the clauses ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        terms: a word's number for each clause, -1 if no document holds it. Shape [clauses].
        weights: the words' inverse document frequencies. Shape [clauses].
        flat: what a count of 1 is held back by in an empty document.
        slope: what each word of the document adds to that.
    """

    offsets: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.float64]
    flat: float
    slope: float


class Gathered(NamedTuple):
    """Room for what documents gather for a query.

    Attributes:
        worth: zeros between queries. Shape [documents].
        found: the numbers of those that match; one more than there are. Shape [documents + 1].
    """

    worth: NDArray[np.float32]
    found: NDArray[np.int32]


_STEPS = 255
_LOOK_UP = 64  # postings that are read one after another while one document is looked up among them
# What is less than so much of another score is less when both are rounded to single precision, too.
_SURELY = 1 - 1e-6
_ROUNDED = 2.0**-22  # of a sum in single precision, for each number that is added


@compiled
def holders(words: CountedWords, terms: NDArray[np.int64], removed: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many documents hold each word, without those that were removed. Shape [asked].

    Args:
        words: the documents.
        terms: the words' numbers, -1 for one that is nowhere. Shape [asked].
        removed: documents, rising. Shape [removed].
    """
    found = np.zeros(len(terms), dtype=np.int64)
    for place in range(len(terms)):
        if terms[place] < 0:
            continue
        start, end = words.offsets[terms[place]], words.offsets[terms[place] + 1]
        found[place] = end - start
        if len(removed) * _LOOK_UP < end - start:
            for document in removed:
                found[place] -= _posting(words, start, end, document) < end
            continue
        at = 0
        for posting in range(start, end):
            while at < len(removed) and removed[at] < words.documents[posting]:
                at += 1
            found[place] -= at < len(removed) and removed[at] == words.documents[posting]
    return found


@compiled
def ceilings(words: CountedWords, flat: float, slope: float) -> Ceilings:
    """How much of its weight each word is worth to each document, at most."""
    codes = np.empty(len(words.documents), dtype=np.uint8)
    peaks = np.zeros(len(words.offsets) - 1, dtype=np.uint8)
    for term in range(len(peaks)):
        peak = 0
        for posting in range(words.offsets[term], words.offsets[term + 1]):
            code = min(int(np.ceil(_STEPS * _share(words, flat, slope, posting))), _STEPS)
            codes[posting] = code
            peak = max(peak, code)
        peaks[term] = peak
    return Ceilings(codes, peaks, slope)


@compiled
def best_of(
    words: CountedWords,
    most: Ceilings,
    asked: Weighed,
    allowed: NDArray[np.bool_],
    room: Gathered,
    documents: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> None:
    """Write down the best documents of queries, best first; of equals the one of the lowest number.

    Documents gather the ceilings of what their words are worth, the words that can add most first. Once the
    others together can't lift a document that has none of these into the best, only documents that have
    gathered enough go on (MaxScore, Turtle and Flood 1995). Those whose ceilings reach the best are scored:
    in double precision, the words of the largest weights first, and rounded once. So the scores are exact,
    and the ceilings only decide what they are computed for.

    Args:
        words: the documents.
        most: made for the same words, for a slope that is no greater.
        asked: the queries.
        allowed: which documents may be found; all if it is empty. Shape [documents].
        room: at least as large as the documents.
        documents: -1 throughout. Shape [queries, depth].
        scores: minus infinity throughout. Shape [queries, depth].
    """
    heap = np.empty(documents.shape[1], dtype=np.float32)
    for query in range(len(documents)):
        clauses = np.arange(asked.offsets[query], asked.offsets[query + 1])
        clauses = clauses[asked.terms[clauses] >= 0]
        clauses = clauses[np.argsort(-asked.weights[clauses], kind="mergesort")]
        count = _candidates(words, most, asked, clauses, allowed, room, heap)
        kept = 0
        for place in range(count):
            document = room.found[place]
            room.worth[document] = 0
            score = np.float32(_score(words, asked, clauses, document))
            kept = keep(documents[query], scores[query], kept, document, score)
        sort(documents[query], scores[query], kept)


@compiled
def _candidates(
    words: CountedWords,
    most: Ceilings,
    asked: Weighed,
    clauses: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    room: Gathered,
    heap: NDArray[np.float32],
) -> int:
    """Find all documents that may be among the best; only these have gathered something afterwards.

    Returns:
        How many there are.
    """
    peaks = asked.weights[clauses] * (most.peaks[asked.terms[clauses]] / _STEPS)
    order = np.argsort(-peaks, kind="mergesort")
    rest = np.zeros(len(order) + 1)  # what a document gathers from the words from each place on, at most
    for place in range(len(order) - 1, -1, -1):
        rest[place] = rest[place + 1] + peaks[order[place]]
    order = clauses[order]
    rounded = 1 + _ROUNDED * (len(order) + 1)
    drift = asked.slope / most.slope  # the ceilings are at most so much too high, beside one step each
    count, above, least, open_to_all = 0, 0.0, -np.inf, True
    for place in range(len(order)):
        term = asked.terms[order[place]]
        postings = words.offsets[term + 1] - words.offsets[term]
        if not open_to_all or 2 * postings > count >= len(heap):
            least = max(least, (_deepest(room, count, heap) / rounded - above) / drift * _SURELY)
            if open_to_all and rest[place] < least:
                open_to_all = False
            if not open_to_all:
                count = _kept(room, count, (least - rest[place]) / rounded)
        above += asked.weights[order[place]] / _STEPS
        weight = np.float32(asked.weights[order[place]] / _STEPS)
        if open_to_all:
            count = _gather(words, most, term, weight, allowed, room, count)
        else:
            _add(words, most, term, weight, room, count)
    least = max(least, (_deepest(room, count, heap) / rounded - above) / drift * _SURELY)
    return _kept(room, count, least / rounded)


@compiled
def _gather(
    words: CountedWords,
    most: Ceilings,
    term: int,
    weight: np.float32,
    allowed: NDArray[np.bool_],
    room: Gathered,
    count: int,
) -> int:
    """Add what a word of the query is worth to all documents that hold it; return how many are found now."""
    for posting in range(words.offsets[term], words.offsets[term + 1]):
        document = words.documents[posting]
        if len(allowed) > 0 and not allowed[document]:
            continue
        room.found[count] = document
        count += room.worth[document] == 0
        room.worth[document] += weight * np.float32(most.codes[posting])
    return count


@compiled
def _add(
    words: CountedWords, most: Ceilings, term: int, weight: np.float32, room: Gathered, count: int
) -> None:
    """Add what a word of the query is worth to the documents that are found already."""
    start, end = words.offsets[term], words.offsets[term + 1]
    if count * _LOOK_UP < end - start:
        for place in range(count):
            document = room.found[place]
            posting = _posting(words, start, end, document)
            if posting < end:
                room.worth[document] += weight * np.float32(most.codes[posting])
        return
    for posting in range(start, end):
        document = words.documents[posting]
        if room.worth[document] > 0:
            room.worth[document] += weight * np.float32(most.codes[posting])


@compiled
def _kept(room: Gathered, count: int, least: float) -> int:
    """Forget the documents that have gathered too little; return how many are left."""
    kept = 0
    for place in range(count):
        document = room.found[place]
        if room.worth[document] >= least:
            room.found[kept] = document
            kept += 1
        else:
            room.worth[document] = 0
    return kept


@compiled
def _deepest(room: Gathered, count: int, heap: NDArray[np.float32]) -> float:
    """What the best have gathered at least, as many as the heap has room for; minus infinity if fewer."""
    heap[:] = -np.inf
    depth = len(heap)
    for place in range(count):
        worth = room.worth[room.found[place]]
        if worth > heap[0]:
            at = 0
            while 2 * at + 1 < depth:
                below = 2 * at + 1
                if below + 1 < depth and heap[below + 1] < heap[below]:
                    below += 1
                if heap[below] >= worth:
                    break
                heap[at] = heap[below]
                at = below
            heap[at] = worth
    return float(heap[0])


@compiled
def _score(words: CountedWords, asked: Weighed, clauses: NDArray[np.int64], document: int) -> float:
    """What the words of the query are worth to one document."""
    score = 0.0
    for clause in clauses:
        start, end = words.offsets[asked.terms[clause]], words.offsets[asked.terms[clause] + 1]
        posting = _posting(words, start, end, document)
        if posting < end:
            score += asked.weights[clause] * _share(words, asked.flat, asked.slope, posting)
    return score


@compiled
def _share(words: CountedWords, flat: float, slope: float, posting: int) -> float:
    """How much of its weight a word is worth to a document."""
    often = words.counts[posting]
    return float(often / (often + (flat + slope * words.lengths[words.documents[posting]])))


@compiled
def _posting(words: CountedWords, start: int, end: int, document: int) -> int:
    """Where a document stands in a list; its end if it doesn't."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if words.documents[middle] < document:
            low = middle + 1
        else:
            high = middle
    return low if low < end and words.documents[low] == document else end
