"""The best of many vectors for a few queries, some of them left out, without a matrix product.

A query alone is answered as fast as byte codes of the vectors come from memory, and no torch is loaded.
Scores are those of ``vectors.join.prepared_rows``, bit for bit, so that they don't depend on how documents
are parted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.base.threads import cores, side_by_side
from textkin.vectors.index.byte_codes import ByteCodes, query_codes
from textkin.vectors.join.nearest import Nearest
from textkin.vectors.join.prepared_rows import Rows
from textkin.vectors.join.score_bounds import near_slack

_UPWARD = 1 + 2.0**-20
_AT_ONCE = 16  # queries
_BLOCK = 1 << 17  # documents, the least for a thread: fewer take less than it takes to start one
_EVERYTHING = np.empty(0, dtype=np.bool_)


def scanned(
    queries: Rows,
    documents: Rows,
    codes: ByteCodes,
    depth: int,
    *,
    floor: NDArray[np.float32],
    allowed: NDArray[np.bool_] | None = None,
    starts: NDArray[np.int64] | None = None,
) -> Nearest:
    """The ``depth`` best documents of each query, best first; of equals the first one.

    A document of several vectors scores what the best of them does.

    Args:
        queries: as many as you like; time grows with them as with the documents.
        documents: the vectors that are searched, one a document unless ``starts`` is given.
        codes: of these vectors.
        depth: at least 1.
        floor: only documents that score more are found. Shape [queries].
        allowed: which documents may be found; all if None. Shape [documents].
        starts: where the vectors of each document begin, and where the last ones end, each having one or
            more. Shape [documents + 1].
    """
    from textkin.vectors.index.scan_loops import Parted, Short, ShortQueries, scan, scan_windows
    from textkin.vectors.join.score_loop_arguments import Best

    mask = _EVERYTHING if allowed is None else allowed
    spans = _spans(len(documents) if starts is None else len(starts) - 1, len(documents))
    shape = len(spans), len(queries), depth
    scores = np.full(shape, -np.inf, dtype=np.float32)
    found = np.full(shape, -1, dtype=np.int64)
    asked, short = query_codes(queries), Short(codes.codes, codes.steps, codes.errors)
    slack = (near_slack(queries, documents) * _UPWARD).astype(np.float32)

    def search(number: int) -> None:
        for start in range(0, len(queries), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            best = Best(scores[number, part], found[number, part], floor[part])
            some = ShortQueries(asked.codes[part], asked.steps[part], asked.errors[part])
            both = queries[part].arrays, documents.arrays, some, short
            if starts is None:
                scan(*both, mask, slack[part], best, spans[number])
            else:
                scan_windows(*both, Parted(mask, starts), slack[part], best, spans[number])

    for _ in side_by_side(search, range(len(spans)), workers=cores()):
        pass
    return _merged(scores, found, depth)


def _spans(count: int, vectors: int) -> list[tuple[int, int]]:
    """The documents of each thread: as many, unless they have so few vectors that one thread is enough."""
    height = max(-(-count // cores()), -(-_BLOCK * count // max(vectors, 1)), 1)
    return [(first, min(first + height, count)) for first in range(0, count, height)]


def _merged(scores: NDArray[np.float32], found: NDArray[np.int64], depth: int) -> Nearest:
    """The best of all spans, which come in the order of the documents."""
    if len(scores) == 1:
        return Nearest(found[0], scores[0])
    queries = scores.shape[1]
    flat_scores = scores.transpose(1, 0, 2).reshape(queries, -1)
    flat_found = found.transpose(1, 0, 2).reshape(queries, -1)
    order = np.argsort(-flat_scores, axis=1, kind="stable")[:, :depth]
    return Nearest(
        np.take_along_axis(flat_found, order, axis=1), np.take_along_axis(flat_scores, order, axis=1)
    )
