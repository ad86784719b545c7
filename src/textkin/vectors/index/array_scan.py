"""Top-k search for a few queries by arrays, for the time before compiled loops are loaded.

Products in single precision, whose error is bounded, leave few documents, whose scores are computed in double
precision.
"""

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.vectors.join.nearest import Nearest
from textkin.vectors.join.prepared_rows import UPWARD, Rows
from textkin.vectors.join.score_bounds import near_slack
from textkin.vectors.join.tile_join import scores_with_errors

_AT_ONCE = 1 << 22  # scores
_CLOSE = np.float32(2.0**-22)


def scanned_by_arrays(
    queries: Rows,
    documents: Rows,
    depth: int,
    *,
    floor: Floats32,
    allowed: Bools | None = None,
    starts: Ints | None = None,
) -> Nearest | None:
    """The result of :func:`vector_scan.scanned`, or None if the order of a sum could change it.

    Args:
        queries: a few.
        documents: the vectors to search.
        depth: at least 1.
        floor: as there, like the other arguments. Shape [queries].
        allowed: shape [documents].
        starts: shape [documents + 1].
    """
    shape = len(queries), depth
    found = Nearest(np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf, dtype=np.float32))
    each = max(_AT_ONCE // max(len(documents), 1), 1)
    for start in range(0, len(queries), each):
        part = slice(start, start + each)
        some = queries[part]
        near = _near(some, documents)
        if starts is not None:
            near = np.maximum.reduceat(near, starts[:-1], axis=1)
        if allowed is not None:
            near[:, ~allowed] = -np.inf
        least = np.maximum(_deepest(near, depth), floor[part])
        # Both the deepest and the others may be off by the slack.
        bound = least - 2 * UPWARD * near_slack(some, documents)
        for row in range(len(some)):
            reached = np.flatnonzero((near[row] >= bound[row]) & (near[row] > -np.inf))
            best = _best(some[row : row + 1], documents, reached, starts, floor[start + row], depth)
            if best is None:
                return None
            count = len(best[0])
            found.documents[start + row, :count], found.scores[start + row, :count] = best
    return found


def _near(queries: Rows, documents: Rows) -> Floats32:
    """All scores in single precision. Shape [queries, vectors]."""
    scaled: Floats32 = queries.values * queries.scales[:, None]
    near: Floats32 = scaled @ documents.values.T
    near *= documents.scales
    return near


def _deepest(near: Floats32, depth: int) -> Floats32:
    """The score at this depth for each query; minus infinity if there are no more documents."""
    if depth >= near.shape[1]:
        return np.full(len(near), -np.inf, dtype=np.float32)
    return np.partition(near, -depth, axis=1)[:, -depth]


def _best(
    query: Rows, documents: Rows, reached: Ints, starts: Ints | None, floor: np.float32, depth: int
) -> tuple[Ints, Floats32] | None:
    """The best of the documents that one query may find, or None if rounding could change a score."""
    vectors, first = reached, np.arange(len(reached))
    if starts is not None and len(reached):
        sizes = starts[reached + 1] - starts[reached]
        first = np.cumsum(sizes) - sizes
        vectors = np.repeat(starts[reached] - first, sizes) + np.arange(sizes.sum())
    exact, error = (one[0] for one in scores_with_errors(query.arrays, documents[vectors].arrays))
    scores = _highest(exact, first).astype(np.float32)
    kept = np.flatnonzero(scores > floor)
    kept = kept[np.lexsort((reached[kept], -scores[kept]))[:depth]]
    # A document just behind the last one, or at the floor, may belong before it, too.
    last = scores[kept].min() if len(kept) == depth else np.float32(-np.inf)
    doubtful = np.flatnonzero(scores >= last - _CLOSE)
    low, high = (_highest(exact + sign * error, first)[doubtful].astype(np.float32) for sign in (-1, 1))
    return None if (low != high).any() else (reached[kept], scores[kept])


def _highest(scores: NDArray[np.float64], first: Ints) -> NDArray[np.float64]:
    """The highest score of each document, whose vectors begin at ``first``."""
    return np.maximum.reduceat(scores, first) if len(first) else scores
