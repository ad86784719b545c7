"""Approximate join of very large sets: pairs within overlapping clusters, with measured recall."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Ints, Ints32
from textkin.base.errors import invalid
from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.bound_plan import make_plan
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.join.pair_list import Pairs, SortedRuns, gathered
from textkin.vectors.join.prepared_rows import Rows, by_cosine
from textkin.vectors.join.tile_join import Bar, Joiner

_CELL = 1024
_MOST_CELLS_EACH = 16
_TUNED_ON = 512
_MEASURED_ON = 2048
_MOST_FOUND = 1 << 20
_AT_ONCE = 1 << 16


def pairs_by_cells(
    vectors: NDArray[Any],
    threshold: float,
    *,
    recall: float = 0.98,
    seed: int = 0,
    workers: int | None = None,
) -> JoinedPairs:
    """Most pairs of vectors whose cosine is at least ``threshold``, for sets too large for ``pairs_above``.

    Random vectors serve as the centres of clusters. Every vector belongs to the clusters of its nearest
    centres, and pairs are found exactly within each cluster. A sample of vectors with all their pairs
    determines how many clusters per vector the requested recall needs. Another sample measures the actual
    recall, which may be lower than requested: see ``recall`` of the result. Its interval treats the sampled
    vectors as the independent units.

    Args:
        vectors: floating-point vectors, not normalised. Shape [rows, dim].
        threshold: from -1 to 1, rounded to float32.
        recall: target fraction of the pairs, above 0 and below 1.
        seed: seed of the centres.
        workers: number of threads; None for all cores.

    Raises:
        UsageError: an argument is out of range.
        DataError: a vector is not finite, or there are too many pairs.
    """
    if not -1 <= threshold <= 1:
        raise invalid("threshold", threshold, expected="a cosine from -1 to 1")
    if not 0 < recall < 1:
        raise invalid("recall", recall, expected="a number above 0 and below 1")
    rows = by_cosine(vectors)
    count = len(rows)
    if count <= 2 * _CELL:
        return pairs_above(vectors, threshold, workers=workers)
    if count * (count - 1) // 2 > abundance.MANY:
        there = abundance.abundance(rows, None, np.float32(threshold))
        abundance.refuse_too_many(there, np.float32(threshold), share=recall)
    drawn = np.sort(np.random.default_rng(seed).permutation(count)[: count // _CELL])
    centres = Searcher(rows.values[drawn], cosine=True)
    each = min(_MOST_CELLS_EACH, len(drawn))
    nearest = centres.nearest(rows.values, each, workers=workers).documents.astype(np.int32)
    tuned = _Sample(rows, threshold, size=_TUNED_ON, phase=0.25, workers=workers)
    tested = _Sample(rows, threshold, size=_MEASURED_ON, phase=0.75, workers=workers)
    shares = [tuned.recall(nearest[:, :some]).value for some in range(1, each + 1)]
    enough = next((some for some, share in enumerate(shares, 1) if share >= recall), each)
    nearest = nearest[:, :enough]
    pairs = _within(rows, np.float32(threshold), nearest, workers=workers or cores())
    return JoinedPairs(
        rows=pairs["row"],
        columns=pairs["column"],
        scores=pairs["score"],
        threshold=threshold,
        compared=count * (count - 1) // 2,
        recall=tested.recall(nearest),
        method=f"within {len(drawn):,} cells, {enough} for each vector",
    )


class _Sample:
    """All pairs of sampled vectors with any vector."""

    def __init__(self, rows: Rows, threshold: float, *, size: int, phase: float, workers: int | None) -> None:
        count = min(size, len(rows))
        places = ((np.arange(count) + phase) * (len(rows) / count)).astype(np.int64)
        found = pairs_above(
            rows.values[places],
            threshold,
            against=rows.values,
            limit=_MOST_FOUND,
            workers=workers,
            quiet=True,
        )
        self._one, self._other = places[found.rows], found.columns.astype(np.int64)
        others = self._one != self._other
        self._one, self._other = self._one[others], self._other[others]

    def recall(self, cells: Ints32) -> Interval:
        """The fraction of the pairs that share a cluster; NaN without pairs."""
        together = np.empty(len(self._one), dtype=bool)
        for start in range(0, len(self._one), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            one, other = cells[self._one[part]], cells[self._other[part]]
            together[part] = (one[:, :, None] == other[:, None, :]).any(axis=(1, 2))
        return clustered_share(together, self._one) or Interval(float("nan"), 0.0, 1.0, 0)


def _within(rows: Rows, threshold: np.float32, cells: Ints32, *, workers: int) -> Pairs:
    """The pairs within each cluster, each pair once.

    The shape of ``cells`` is [rows, clusters of each row].
    """
    order = np.argsort(cells, axis=None, kind="stable")
    sizes = np.bincount(cells.ravel())
    members = np.split(order // cells.shape[1], np.cumsum(sizes)[:-1])
    compared = int((sizes * (sizes - 1) // 2).sum())
    bar = Bar(threshold, None, compared)
    runs = SortedRuns()
    plan = make_plan(rows, rows, lambda some, others: np.full(len(some), threshold))
    with one_thread_each(), progress("pairs within cells", total=compared) as shown:
        joiner = Joiner(plan, (rows, plan.sketch(rows)))
        found = side_by_side(partial(_cell, joiner, bar), members, workers=workers)
        for size, pairs in zip(sizes.tolist(), found, strict=True):
            runs.add(pairs)
            shown.advance(size * (size - 1) // 2)
    return gathered(_once(piece) for piece in runs.merged())


def _cell(joiner: Joiner, bar: Bar, members: Ints) -> Pairs:
    """The pairs of a cluster, sorted, by the numbers of all rows."""
    runs = SortedRuns()
    for pairs in joiner.part(members).pairs(range(len(members)), bar):
        pairs["row"], pairs["column"] = members[pairs["row"]], members[pairs["column"]]
        runs.add(pairs)
    return gathered(runs.merged())


def _once(pairs: Pairs) -> Pairs:
    """Sorted pairs without adjacent duplicates."""
    return np.concatenate((pairs[:1], pairs[1:][pairs[1:] != pairs[:-1]]))
