"""Loops over the words of a changing collection: BM25, term at a time.

The inner loops take numbers of documents as unsigned: signed ones might count from the end, and checking
that costs an eighth of the time.
"""

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.text.baselines.bm25_parameters import Saturation
from textkin.vectors.index.bm25_loop_arguments import Ceilings, CountedWords, Gathered, Weighed
from textkin.vectors.index.posting_loops import keep, sort

_STEPS = 255
_FREQUENT = 8  # a word in one of so many documents has its codes in a table: a byte a document
_LOOK_UP = 64  # postings read one by one during the lookup of a document
# A score below this fraction of another stays below it when both are rounded to single precision.
_SURELY = 1 - 1e-6
_ROUNDED = 2.0**-22  # relative error of a sum in single precision, per summand


@compiled
def holders(words: CountedWords, terms: NDArray[np.int64], removed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of documents that contain each word, without removed ones. Shape [asked].

    Args:
        words: the documents.
        terms: word numbers, -1 for a missing one. Shape [asked].
        removed: removed documents, increasing. Shape [removed].
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
def ceilings(words: CountedWords, saturation: Saturation) -> Ceilings:
    """Upper bounds on the fraction of its weight that each word contributes to each document."""
    codes = np.empty(len(words.documents), dtype=np.uint8)
    peaks = np.zeros(len(words.offsets) - 1, dtype=np.uint8)
    frequent = np.diff(words.offsets) * _FREQUENT >= len(words.lengths)
    rows = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    table = np.zeros((frequent.sum(), len(words.lengths)), dtype=np.uint8)
    for term in range(len(peaks)):
        peak = 0
        for posting in range(words.offsets[term], words.offsets[term + 1]):
            code = min(int(np.ceil(_STEPS * _share(words, saturation, posting))), _STEPS)
            codes[posting] = code
            if rows[term] >= 0:
                table[rows[term], words.documents[posting]] = code
            peak = max(peak, code)
        peaks[term] = peak
    return Ceilings(codes, peaks, rows, table, saturation)


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
    """Write the best documents of queries, best first; ties by lowest number.

    Documents collect the bounds of their words, starting with the words that can add most. Once the remaining
    words together can't lift a new document among the best, only documents with enough so far continue
    (MaxScore, Turtle and Flood 1995). Documents whose bounds reach the best are then scored in double
    precision, starting with the words of the largest weights, and rounded once. So the scores are exact, and
    the bounds only decide which documents are scored.

    Args:
        words: the documents.
        most: bounds for the same words, computed for the same slope or a lower one.
        asked: the queries.
        allowed: True for documents that may be found; empty for all. Shape [documents].
        room: buffers, at least as large as the number of documents.
        documents: output, initially -1. Shape [queries, depth].
        scores: output, initially minus infinity. Shape [queries, depth].
    """
    heap = np.empty(documents.shape[1], dtype=np.float32)
    for query in range(len(documents)):
        clauses = np.arange(asked.offsets[query], asked.offsets[query + 1])
        clauses = clauses[(asked.terms[clauses] >= 0) & (asked.weights[clauses] > 0)]
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
    """Find all documents that may be among the best. Only these have nonzero sums afterwards.

    Returns:
        The number of candidates.
    """
    peaks = asked.weights[clauses] * (most.peaks[asked.terms[clauses]] / _STEPS)
    order = np.argsort(-peaks, kind="mergesort")
    rest = np.zeros(len(order) + 1)  # upper bound on the sum of the words from each position on
    for place in range(len(order) - 1, -1, -1):
        rest[place] = rest[place + 1] + peaks[order[place]]
    order = clauses[order]
    rounded = 1 + _ROUNDED * (len(order) + 1)
    # The maximum factor by which the bounds are too high, besides rounding.
    drift = asked.saturation.slope / most.saturation.slope if most.saturation.slope > 0 else 1.0
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
    """Add a query word's bound to all documents that contain it; return the number of documents found."""
    for posting in range(words.offsets[term], words.offsets[term + 1]):
        document = np.uint32(words.documents[posting])
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
    """Add a query word's bound to the documents found so far."""
    start, end = words.offsets[term], words.offsets[term + 1]
    row = most.rows[term]
    if row >= 0:
        for place in range(count):
            document = np.uint32(room.found[place])
            room.worth[document] += weight * np.float32(most.table[row, document])
        return
    if count * _LOOK_UP < end - start:
        for place in range(count):
            document = room.found[place]
            posting = _posting(words, start, end, document)
            if posting < end:
                room.worth[document] += weight * np.float32(most.codes[posting])
        return
    for posting in range(start, end):
        document = np.uint32(words.documents[posting])
        if room.worth[document] > 0:
            room.worth[document] += weight * np.float32(most.codes[posting])


@compiled
def _kept(room: Gathered, count: int, least: float) -> int:
    """Drop documents whose sum is too low; return the number of the others."""
    kept = 0
    for place in range(count):
        document = np.uint32(room.found[place])
        if room.worth[document] >= least:
            room.found[kept] = document
            kept += 1
        else:
            room.worth[document] = 0
    return kept


@compiled
def _deepest(room: Gathered, count: int, heap: NDArray[np.float32]) -> float:
    """The lowest sum in a heap of the best; minus infinity if the heap isn't full."""
    heap[:] = -np.inf
    depth = len(heap)
    for place in range(count):
        worth = room.worth[np.uint32(room.found[place])]
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
    """The score of one document for a query."""
    score = 0.0
    for clause in clauses:
        start, end = words.offsets[asked.terms[clause]], words.offsets[asked.terms[clause] + 1]
        posting = _posting(words, start, end, document)
        if posting < end:
            score += asked.weights[clause] * _share(words, asked.saturation, posting)
    return score


@compiled
def _share(words: CountedWords, by: Saturation, posting: int) -> float:
    """The fraction of its weight that a word contributes to a document, as :meth:`Saturation.of`."""
    often = words.counts[posting]
    norm = by.flat + by.slope * words.lengths[words.documents[posting]]
    saturated = (often + by.lower * norm) / (often + (by.k1 + by.lower) * norm)
    return float(by.lift + (1 - by.lift) * saturated)


@compiled
def _posting(words: CountedWords, start: int, end: int, document: int) -> int:
    """The position of a document in a list; the end of the list if it is missing."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if words.documents[middle] < document:
            low = middle + 1
        else:
            high = middle
    return low if low < end and words.documents[low] == document else end
