"""Approximate join of very large sets: pairs within overlapping clusters, with measured recall."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Ints, Ints32
from textkin.base.errors import invalid
from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.bound_plan import Plan, make_plan
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.join.pair_list import PAIR, Pairs, SortedRuns, best_first, gathered, joined, made
from textkin.vectors.join.prepared_rows import Rows, by_cosine
from textkin.vectors.join.tile_join import Bar, Joiner

Numbers = NDArray[np.integer[Any]]

_CELL = 1024
_MOST_CELLS_EACH = 16
_TUNED_ON = 512
_MEASURED_ON = 2048
_MOST_FOUND = 1 << 20
_AT_ONCE = 1 << 16
_COMPARED_AT_ONCE = 1 << 19


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
    workers = workers or cores()
    cells = _Cells(rows, seed, workers=workers)
    tuned = _Sample(rows, threshold, size=_TUNED_ON, phase=0.25, workers=workers)
    tested = _Sample(rows, threshold, size=_MEASURED_ON, phase=0.75, workers=workers)
    each = tuned.cells_for(recall, cells)
    runs = _within(rows, np.float32(threshold), _members(cells.nearest(each), len(cells)), workers=workers)
    pairs = gathered(_once(piece) for piece in runs.merged())
    return JoinedPairs(
        rows=pairs["row"],
        columns=pairs["column"],
        scores=pairs["score"],
        threshold=threshold,
        compared=count * (count - 1) // 2,
        recall=tested.recall(cells, each),
        method=f"within {len(cells):,} cells, {each} for each vector",
    )


class _Cells:
    """The clusters of vectors, each around one of them, drawn at random."""

    def __init__(self, rows: Rows, seed: int, *, workers: int) -> None:
        self._rows, self._workers = rows, workers
        drawn = np.random.default_rng(seed).permutation(len(rows))[: len(rows) // _CELL]
        self._centres = Searcher(rows.values[np.sort(drawn)], cosine=True)
        self._count = len(drawn)

    def __len__(self) -> int:
        return self._count

    def nearest(self, each: int, among: Ints | None = None) -> Numbers:
        """The clusters of vectors, nearest first.

        Args:
            each: number of clusters for each vector.
            among: numbers of the vectors; None for all.

        Returns:
            Numbers of clusters, as short as they can be. Shape [vectors, each].
        """
        count = len(self._rows) if among is None else len(among)
        found = np.empty((count, each), dtype=np.min_scalar_type(len(self)))
        with progress("cells of vectors", total=count) as shown:
            for start in range(0, count, _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                vectors = self._rows.values[part if among is None else among[part]]
                found[part] = self._centres.nearest(vectors, each, workers=self._workers).documents
                shown.advance(len(vectors))
        return found


class _Sample:
    """All pairs of sampled vectors with any vector."""

    def __init__(self, rows: Rows, threshold: float, *, size: int, phase: float, workers: int) -> None:
        count = min(size, len(rows))
        places = ((np.arange(count) + phase) * (len(rows) / count)).astype(np.int64)
        pairs = np.empty(0, dtype=PAIR)
        for start in range(0, len(rows), _COMPARED_AT_ONCE):  # their short rows take half their memory
            found = pairs_above(
                rows.values[places],
                threshold,
                against=rows.values[start : start + _COMPARED_AT_ONCE],
                limit=_MOST_FOUND,
                workers=workers,
                quiet=True,
            )
            more = made(places[found.rows], start + found.columns, found.scores)
            pairs = best_first(joined((pairs, more[more["row"] != more["column"]])))[:_MOST_FOUND]
        self._rows, numbers = np.unique((pairs["row"], pairs["column"]), return_inverse=True)
        self._one, self._other = numbers.reshape(2, -1)

    def cells_for(self, recall: float, cells: _Cells) -> int:
        """The number of clusters for each vector that the requested recall needs."""
        most = min(_MOST_CELLS_EACH, len(cells))
        nearest = cells.nearest(most, self._rows)
        for each in range(1, most if len(self._one) else 1):
            if _shared(nearest[:, :each], self._one, self._other).mean() >= recall:
                return each
        return most

    def recall(self, cells: _Cells, each: int) -> Interval:
        """The fraction of the pairs that share one of ``each`` clusters; NaN without pairs."""
        together = _shared(cells.nearest(each, self._rows), self._one, self._other)
        return clustered_share(together, self._one) or Interval(float("nan"), 0.0, 1.0, 0)


def _shared(cells: Numbers, one: Ints, other: Ints) -> Bools:
    """True for pairs of vectors that share a cluster.

    Args:
        cells: the clusters of vectors. Shape [vectors, clusters of each].
        one: numbers of vectors. Shape [pairs].
        other: those that they are paired with. Shape [pairs].
    """
    found = np.empty(len(one), dtype=bool)
    for start in range(0, len(one), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        found[part] = (cells[one[part], :, None] == cells[other[part], None, :]).any(axis=(1, 2))
    return found


def _within(rows: Rows, threshold: np.float32, members: Sequence[Ints32], *, workers: int) -> SortedRuns:
    """The pairs within each cluster; some are in several."""
    sizes = np.array([*map(len, members)])
    compared = int((sizes * (sizes - 1) // 2).sum())
    bar = Bar(threshold, None, compared)
    runs = SortedRuns()
    plan = make_plan(rows, rows, lambda some, others: np.full(len(some), threshold))
    with one_thread_each(), progress("pairs within cells", total=compared) as shown:
        found = side_by_side(partial(_cell, rows, plan, bar), members, workers=workers)
        for size, pairs in zip(sizes.tolist(), found, strict=True):
            runs.add(pairs)
            shown.advance(size * (size - 1) // 2)
    return runs


def _members(nearest: Numbers, count: int) -> list[Ints32]:
    """The numbers of the vectors in each of ``count`` clusters, ascending.

    They are counted and sorted in parts, to bound the memory. The shape of ``nearest`` is [vectors, clusters
    of each].
    """
    sizes = np.zeros(count, dtype=np.int64)
    for start in range(0, len(nearest), _AT_ONCE):
        sizes += np.bincount(nearest[start : start + _AT_ONCE].ravel(), minlength=count)
    ends = np.cumsum(sizes)
    free, found = ends - sizes, np.empty(nearest.size, dtype=np.int32)
    for start in range(0, len(nearest), _AT_ONCE):
        part = nearest[start : start + _AT_ONCE].ravel()
        counts = np.bincount(part, minlength=count)
        order = np.argsort(part, kind="stable")
        # The place of each member: after those of its cluster that are placed already.
        shift = np.repeat(free - (np.cumsum(counts) - counts), counts)
        found[np.arange(len(part)) + shift] = start + order // nearest.shape[1]
        free += counts
    return np.split(found, ends[:-1])


def _cell(rows: Rows, plan: Plan, bar: Bar, members: Ints32) -> Pairs:
    """The pairs of a cluster, sorted, by the numbers of all rows.

    Its short rows are made here: those of all vectors at once would take as much memory as half of them.
    """
    own, runs = rows[members], SortedRuns()
    for pairs in Joiner(plan, (own, plan.sketch(own))).pairs(range(len(own)), bar):
        pairs["row"], pairs["column"] = members[pairs["row"]], members[pairs["column"]]
        runs.add(pairs)
    return gathered(runs.merged())


def _once(pairs: Pairs) -> Pairs:
    """Sorted pairs without adjacent duplicates."""
    return np.concatenate((pairs[:1], pairs[1:][pairs[1:] != pairs[:-1]]))
