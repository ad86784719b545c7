"""Find the judgement of each retrieved document, for all queries at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.ranking import whole_words
from textkin.records import Qrels, Run

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring values
_SHIFT = np.uint64(29)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The rows of a run that are judged, and where their judgements stand. Both [matches], in row order."""

    rows: NDArray[np.int64]
    judgements: NDArray[np.int64]


def match(run: Run, qrels: Qrels, judged_query: NDArray[np.int64]) -> Matches:
    """Pair up rows and judgements of the same query and the same document.

    A hash of query and document leads each row to a short list of judgements; a pair is made only of equal
    queries and equal ids, so no collision can do harm.

    Args:
        run: the retrieved documents.
        qrels: the judgements; a document is judged once for a query.
        judged_query: for each query of the run its position in ``qrels``, or -1. Shape [queries of the run].
    """
    width = max(run.doc_ids.itemsize, qrels.doc_ids.itemsize)
    row_query = np.repeat(judged_query, np.diff(run.offsets))
    own_query = np.repeat(np.arange(len(qrels.query_ids)), np.diff(qrels.offsets))
    row_words, own_words = _words(run.doc_ids, width), _words(qrels.doc_ids, width)
    bits = max(8, int(4 * len(own_query)).bit_length())  # at least four slots a judgement
    row_slot, own_slot = _slots(row_words, row_query, bits), _slots(own_words, own_query, bits)

    by_slot = np.argsort(own_slot, kind="stable")
    load = np.bincount(own_slot, minlength=1 << bits)
    first = np.cumsum(load) - load
    taken = load > 0  # eight times as small, so most of it stays in the processor's cache
    rows = np.flatnonzero(taken[row_slot] & (row_query >= 0))
    found_rows, found_judgements = [], []
    for step in range(int(load.max())):
        rows = rows[load[row_slot[rows]] > step]
        candidates = by_slot[first[row_slot[rows]] + step]
        same = own_query[candidates] == row_query[rows]
        for column in range(row_words.shape[1]):
            same &= own_words[candidates, column] == row_words[rows, column]
        found_rows.append(rows[same])
        found_judgements.append(candidates[same])
        rows = rows[~same]
    if not found_rows:
        return Matches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    joined = np.concatenate(found_rows)
    by_row = np.argsort(joined)
    return Matches(joined[by_row], np.concatenate(found_judgements)[by_row])


def _words(ids: NDArray[np.bytes_], width: int) -> NDArray[np.uint64]:
    padded = whole_words(ids, width)
    return padded.view(np.uint64).reshape(len(ids), padded.itemsize // 8)


def _slots(words: NDArray[np.uint64], query: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    mixed = query.astype(np.uint64) * _MULTIPLIER
    for column in range(words.shape[1]):
        mixed ^= words[:, column]
        mixed *= _MULTIPLIER
        mixed ^= mixed >> _SHIFT
    mixed *= _MULTIPLIER
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
