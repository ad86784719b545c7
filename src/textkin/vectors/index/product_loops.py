"""Loops over sparse documents: products with queries, column at a time, and the best of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled

_BUCKETS = 1 << 11
_BLOCK = 64
_FEW = 24
_SMALL_SHARE = 4
_MAGNITUDE = np.int32(0x7FFFFFFF)
_INFINITE = np.int32(0x7F800000)
_HALF = np.uint64(32)


class Columns(NamedTuple):
    """Documents by columns.

    Attributes:
        offsets: column c is in the documents ``documents[offsets[c]:offsets[c + 1]]``. Shape [columns + 1].
        documents: increasing within a column. Shape [entries].
        values: value of each document in the column. Shape [entries].
        whole: dense copies of columns with many documents. Shape [dense columns, documents].
        whole_of: index of each column's dense copy, -1 for none. Shape [columns].
    """

    offsets: NDArray[np.int64]
    documents: NDArray[np.uint32]
    values: NDArray[np.float32]
    whole: NDArray[np.float32]
    whole_of: NDArray[np.int32]


class SparseRows(NamedTuple):
    """Sparse queries.

    Attributes:
        offsets: query i has the entries ``offsets[i]:offsets[i + 1]``. Shape [queries + 1].
        columns: shape [entries].
        values: shape [entries].
        without: a document to exclude for each query, -1 for none. Shape [queries].
    """

    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    without: NDArray[np.int64]


class Room(NamedTuple):
    """Buffers of a search.

    Attributes:
        sums: sums of the documents, all zero between queries. Shape [documents].
        found: numbers of the documents found, at the front. Shape [documents].
        keys: scores as order-preserving integers. Shape [documents].
        chosen: for each of the best, its distance from the first, then its number. Shape [documents].
        starts: first position of each bucket of keys. Shape [buckets].
    """

    sums: NDArray[np.float32]
    found: NDArray[np.int32]
    keys: NDArray[np.int32]
    chosen: NDArray[np.uint64]
    starts: NDArray[np.int32]


def room_for(documents: int) -> Room:
    """Buffers for one search at a time."""
    sums, (found, keys) = np.zeros(documents, dtype=np.float32), np.empty((2, documents), dtype=np.int32)
    return Room(sums, found, keys, np.empty(documents, dtype=np.uint64), np.empty(_BUCKETS, dtype=np.int32))


@compiled
def best_products(
    lists: Columns,
    asked: SparseRows,
    room: Room,
    documents: NDArray[np.int64],
    scores: NDArray[np.float32],
    counts: NDArray[np.int64],
) -> bool:
    """Write the best documents of queries, best first; ties by lowest number.

    A product is summed in the order of the query's entries, in single precision. Documents with a product of
    zero are not found.

    Args:
        lists: the documents.
        asked: the queries.
        room: buffers from :func:`room_for`.
        documents: output, at most as wide as the number of documents. Shape [queries, depth].
        scores: output. Shape [queries, depth].
        counts: output for the number of documents found. Shape [queries].

    Returns:
        True if all products are finite. After one that isn't, later queries are not computed.
    """
    depth = documents.shape[1]
    for query in range(len(counts)):
        entries = _add(lists, asked, room.sums, query)
        if asked.without[query] >= 0:
            room.sums[asked.without[query]] = 0
        if entries < len(room.sums) // _SMALL_SHARE:
            count = _take_touched(lists, asked, room, query)
        else:
            count = _take_all(room)
        least, most = _ends(room.keys, 0, count)
        if most >= _INFINITE or least <= ~_INFINITE:
            return False
        if depth < count // (2 * _BLOCK):
            count = _narrowed(room, count, depth)
            least, most = _ends(room.keys, 0, count)
        counts[query] = min(count, depth)
        _select(room, count, least, most, counts[query])
        _write(room, most, documents[query, : counts[query]], scores[query])
    return True


@compiled
def _add(lists: Columns, asked: SparseRows, sums: NDArray[np.float32], query: int) -> int:
    """Sum the products of one query; return the number of summands."""
    entries = 0
    for entry in range(asked.offsets[query], asked.offsets[query + 1]):
        column, value = asked.columns[entry], asked.values[entry]
        start, stop = lists.offsets[column], lists.offsets[column + 1]
        if lists.whole_of[column] >= 0:
            whole = lists.whole[lists.whole_of[column]]
            for document in range(len(sums)):
                sums[document] += value * whole[document]
        else:
            documents, values = lists.documents[start:stop], lists.values[start:stop]
            for place in range(len(documents)):
                sums[documents[place]] += value * values[place]
        entries += stop - start
    return entries


@compiled
def _take_touched(lists: Columns, asked: SparseRows, room: Room, query: int) -> int:
    """Collect the sums by a second pass over the query's columns; return the number of nonzero ones."""
    count, bits = 0, room.sums.view(np.int32)
    for entry in range(asked.offsets[query], asked.offsets[query + 1]):
        column = asked.columns[entry]
        for document in lists.documents[lists.offsets[column] : lists.offsets[column + 1]]:
            if room.sums[document] != 0:
                room.found[count], room.keys[count] = document, _key(bits[document])
                count += 1
                room.sums[document] = 0
    return count


@compiled
def _take_all(room: Room) -> int:
    """Collect the sums by a pass over all documents; return the number of nonzero ones."""
    count, bits = 0, room.sums.view(np.int32)
    for document in range(len(bits)):
        room.found[count], room.keys[count] = document, _key(bits[document])
        count += room.sums[document] != 0
    room.sums[:] = 0
    return count


@compiled
def _key(bits: np.int32) -> np.int32:
    """Map the bits of a float to an order-preserving integer, and back."""
    return np.int32(bits ^ ((bits >> np.int32(31)) & _MAGNITUDE))


@compiled
def _ends(keys: NDArray[np.int32], start: int, stop: int) -> tuple[np.int32, np.int32]:
    """The smallest and the largest of some keys; both 0 if there are none."""
    least = most = keys[start] if start < stop else np.int32(0)
    for place in range(start, stop):
        least, most = min(least, keys[place]), max(most, keys[place])
    return least, most


@compiled
def _narrowed(room: Room, count: int, depth: int) -> int:
    """Drop documents that at least ``depth`` others beat, by block maxima; return the number left."""
    blocks = -(-count // _BLOCK)
    peaks = np.empty(blocks, dtype=np.int32)
    best = np.full(depth, np.int32(-_INFINITE - 1))  # increasing
    for block in range(blocks):
        peaks[block] = _ends(room.keys, block * _BLOCK, min((block + 1) * _BLOCK, count))[1]
        if peaks[block] > best[0]:
            place = 1
            while place < depth and best[place] < peaks[block]:
                best[place - 1] = best[place]
                place += 1
            best[place - 1] = peaks[block]
    kept = 0
    for block in range(blocks):
        if peaks[block] >= best[0]:
            for place in range(block * _BLOCK, min((block + 1) * _BLOCK, count)):
                if room.keys[place] >= best[0]:
                    room.found[kept], room.keys[kept] = room.found[place], room.keys[place]
                    kept += 1
    return kept


@compiled
def _select(room: Room, count: int, least: np.int32, most: np.int32, depth: int) -> None:
    """Select the ``depth`` best by buckets of their keys, best bucket first."""
    starts, chosen, first = room.starts, room.chosen, np.int64(most)
    shift, most_buckets = 0, min(_BUCKETS, 2 * count + 1)
    while (first - least) >> shift >= most_buckets:
        shift += 1
    starts[:most_buckets] = 0
    for place in range(count):
        starts[(first - room.keys[place]) >> shift] += 1
    total, last = np.int32(0), 0
    while total < depth:
        size = starts[last]
        starts[last] = total
        total += size
        last += 1
    for place in range(count):
        below = first - room.keys[place]
        bucket = below >> shift
        if bucket < last:
            chosen[starts[bucket]] = (np.uint64(below) << _HALF) | np.uint64(room.found[place])
            starts[bucket] += 1
    start = np.int32(0)
    for bucket in range(last):  # insertion has moved each start to the end
        _sort(chosen[start : starts[bucket]])
        start = starts[bucket]


@compiled
def _sort(keys: NDArray[np.uint64]) -> None:
    if len(keys) > _FEW:
        keys.sort()
        return
    for place in range(1, len(keys)):
        key, before = keys[place], place - 1
        while before >= 0 and keys[before] > key:
            keys[before + 1] = keys[before]
            before -= 1
        keys[before + 1] = key


@compiled
def _write(room: Room, most: np.int32, documents: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
    """Write the selected documents."""
    bits = scores.view(np.int32)
    for place in range(len(documents)):
        key = room.chosen[place]
        documents[place] = key & np.uint64(0xFFFFFFFF)
        bits[place] = _key(np.int32(np.int64(most) - np.int64(key >> _HALF)))
