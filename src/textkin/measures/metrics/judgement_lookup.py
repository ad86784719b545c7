"""Lookup of the judgements of retrieved documents, for all queries at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Ints, Ints32
from textkin.data.records import Qrels, Run

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: spreads neighbouring values
_SHIFT = np.uint64(29)
_HALF = np.uint64(32)
_WORD = 8
_ROWS_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The judged rows of a run, and the positions of their judgements. Both [matches], in row order."""

    rows: Ints
    judgements: Ints


def match(run: Run, qrels: Qrels, judged_query: Ints) -> Matches:
    """Match rows and judgements of the same query and document.

    A hash table with a slot range per query, using linear probing: the hash of an id leads to a slot, and its
    judgement lies between there and the next free slot. Ids are compared in full, so collisions are harmless.

    Args:
        run: the retrieved documents.
        qrels: the judgements; at most one for each query and document.
        judged_query: position of each query of the run in ``qrels``, or -1. Shape [queries of the run].
    """
    if not run.query_ids or not qrels.query_ids:
        return Matches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    width = max(run.doc_ids.itemsize, qrels.doc_ids.itemsize, _WORD)
    judged = _Judged.of(qrels, width)
    row_query = np.repeat(judged_query, np.diff(run.offsets))
    found = [
        _matched(run.doc_ids[start : start + _ROWS_AT_ONCE], row_query[start : start + _ROWS_AT_ONCE], judged)
        for start in range(0, max(len(row_query), 1), _ROWS_AT_ONCE)
    ]
    rows = np.concatenate([block.rows + number * _ROWS_AT_ONCE for number, block in enumerate(found)])
    return Matches(rows, np.concatenate([block.judgements for block in found]))


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """Judgements in a hash table; each query has four or more adjacent slots per judgement.

    Attributes:
        width: bytes of an id.
        words: the ids as words. Shape [judgements] each.
        base: position of the first slot of each query. Shape [queries].
        mask: number of slots of each query, minus one. Shape [queries].
        table: index of the judgement in each slot, or -1. Shape [slots].
        taken: True for occupied slots. Shape [slots].
        seen: True for slots that are the second slot of a judgement. Shape [slots].
    """

    width: int
    words: list[NDArray[np.uint64]]
    base: Ints
    mask: Ints
    table: Ints32
    taken: Bools
    seen: Bools

    @classmethod
    def of(cls, qrels: Qrels, width: int) -> _Judged:
        counts = np.diff(qrels.offsets)
        sizes = 4 << np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64)
        base, mask = np.cumsum(sizes) - sizes, sizes - 1
        words = _words(qrels.doc_ids, width)
        query = np.repeat(np.arange(len(counts)), counts)
        first, second = _slots(words, base[query], mask[query])
        seen = np.zeros(int(sizes.sum()), dtype=np.bool_)
        seen[second] = True
        table = _table(first, base[query], mask[query], len(seen))
        return cls(width, words, base, mask, table, table >= 0, seen)


def _matched(ids: NDArray[np.bytes_], query: Ints, judged: _Judged) -> Matches:
    """The matches of a part of the rows."""
    words = _words(ids, judged.width)
    base, mask = judged.base[query], judged.mask[query]
    slots, second = _slots(words, base, mask)
    rows = np.flatnonzero(judged.taken[slots] & judged.seen[second] & (query >= 0))
    slots = slots[rows]
    judgement = np.full(len(query), -1, dtype=np.int64)
    while len(rows):
        candidates = judged.table[slots]
        same = np.ones(len(rows), dtype=np.bool_)
        for own, row in zip(judged.words, words, strict=True):
            same &= own[candidates] == row[rows]
        hit = np.flatnonzero(same)
        judgement[rows[hit]] = candidates[hit]
        slots = _next(slots, base[rows], mask[rows])
        left = np.flatnonzero(judged.taken[slots] & ~same)  # a row that reaches a free slot has no judgement
        rows, slots = rows[left], slots[left]
    matched = np.flatnonzero(judgement >= 0)
    return Matches(matched, judgement[matched])


def _table(slots: Ints, base: Ints, mask: Ints, size: int) -> Ints32:
    """The index of the judgement in each slot, or -1, by linear probing."""
    table = np.full(size, -1, dtype=np.int32)
    waiting = np.arange(len(slots), dtype=np.int32)
    while len(waiting):
        free = table[slots] < 0
        table[slots[free]] = waiting[free]  # the last of several writes wins
        left = np.flatnonzero(table[slots] != waiting)
        waiting = waiting[left]
        slots = _next(slots[left], base[waiting], mask[waiting])
    return table


def _words(ids: NDArray[np.bytes_], width: int) -> list[NDArray[np.uint64]]:
    """Ids as words of eight bytes. The last word overlaps the one before. Shape [ids] each."""
    padded = np.ascontiguousarray(ids, dtype=f"S{width}")
    starts = [*range(0, width - _WORD, _WORD), width - _WORD]
    if not len(padded):
        return [np.empty(0, dtype=np.uint64) for _ in starts]
    data, step = padded.view(np.uint8), (width,)
    return [np.ndarray(len(padded), np.uint64, data, start, step).copy() for start in starts]


def _next(slots: Ints, base: Ints, mask: Ints) -> Ints:
    """The next slot of each row, within those of its query."""
    return base + ((slots - base + 1) & mask)


def _slots(words: list[NDArray[np.uint64]], base: Ints, mask: Ints) -> tuple[Ints, Ints]:
    """Two independent hash slots of each row, within those of its query."""
    mixed = words[0] * _MULTIPLIER
    room = mixed >> _SHIFT
    mixed ^= room
    for word in words[1:]:
        mixed ^= word
        mixed *= _MULTIPLIER
        mixed ^= np.right_shift(mixed, _SHIFT, out=room)
    mixed *= _MULTIPLIER
    first = np.right_shift(mixed, _HALF, out=room).view(np.int64)
    mixed >>= np.uint64(_WORD)
    second = mixed.view(np.int64)
    for slots in (first, second):
        slots &= mask
        slots += base
    return first, second
