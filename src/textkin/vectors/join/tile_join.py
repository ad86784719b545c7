"""The search for pairs, tile by tile, or all at once if they are few."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.counts import percent
from textkin.base.errors import DataError
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join.bound_plan import ROWS, Plan, Tile, least_bits
from textkin.vectors.join.pair_list import PAIR, Pairs, Wanted, best_first, joined, made
from textkin.vectors.join.prepared_rows import Rows
from textkin.vectors.join.score_bounds import Sketch, near_slack
from textkin.vectors.join.score_loop_arguments import Arrays, Limits

_SPARE = 4096


class BestPairs:
    """A thread-safe list of the best pairs.

    Args:
        count: maximum number of pairs.
        threshold: minimum score in any case.
    """

    def __init__(self, count: int, threshold: np.float32) -> None:
        self._count = count
        self._pairs: list[Pairs] = []
        self._held = 0
        self._lock = threading.Lock()
        self._last: tuple[float, int, int] | None = None
        self._threshold = threshold

    @property
    def threshold(self) -> np.float32:
        """The current minimum score of a further pair."""
        return self._threshold

    def add(self, pairs: Pairs) -> Pairs:
        """Add pairs, and return those that may be among the best."""
        with self._lock:
            kept = pairs if self._last is None else pairs[_before(pairs, self._last)]
            self._pairs.append(kept)
            self._held += len(kept)
            if self._held >= 2 * self._count + _SPARE:
                best = best_first(joined(self._pairs))[: self._count]
                self._pairs, self._held = [best], len(best)
                last = best[-1]
                self._last = last["score"], last["row"], last["column"]
                self._threshold = last["score"]
            return kept

    def excludes(self, row: int) -> bool:
        """True if no pair of this or a later row can be among the best.

        This needs a full list of pairs that all have the highest score.
        """
        last = self._last
        return last is not None and last[0] >= 1 and row > last[1]


def _before(pairs: Pairs, last: tuple[float, int, int]) -> NDArray[np.bool_]:
    score, row, column = last
    earlier = (pairs["row"] < row) | ((pairs["row"] == row) & (pairs["column"] < column))
    return (pairs["score"] > score) | ((pairs["score"] == score) & earlier)


class Bar:
    """The condition for pairs, with a count of those found; thread-safe.

    Args:
        threshold: minimum score.
        limit: maximum number of pairs; None for all.
        compared: number of all pairs.
        wanted: filter of pairs; None for all.

    Attributes:
        most: a pair may be dropped if this number of others score higher; None if that can't be decided.
    """

    def __init__(
        self, threshold: np.float32, limit: int | None, compared: int, *, wanted: Wanted | None = None
    ) -> None:
        self._threshold, self._compared, self._wanted = threshold, compared, wanted
        self.most = limit if wanted is None else None
        self._best = None if limit is None else BestPairs(limit, threshold)
        self._lock = threading.Lock()
        self._found = self._looked_at = 0

    @property
    def threshold(self) -> np.float32:
        """The current minimum score of a further pair."""
        return self._threshold if self._best is None else self._best.threshold

    def excludes(self, row: int) -> bool:
        """True if no pair of this or a later row is needed."""
        return self._best is not None and self._best.excludes(row)

    def look_at(self, count: int) -> None:
        """Add to the number of pairs compared."""
        self._looked_at += count

    def take(self, pairs: Pairs) -> Pairs:
        """Add pairs, and return the accepted ones.

        Raises:
            DataError: there are too many pairs.
        """
        if self._wanted is not None:
            pairs = pairs[self._wanted(pairs["row"], pairs["column"])]
        if self._best is not None:
            return self._best.add(pairs)
        with self._lock:
            self._found += len(pairs)
            if self._found > abundance.MOST_PAIRS:
                share = min(self._looked_at / self._compared, 1)
                raise DataError(
                    f"more than {abundance.MOST_PAIRS:,} pairs score at least {self._threshold:g}, "
                    f"found in {percent(share)} of all {self._compared:,}",
                    fix="raise the threshold, or give a limit to get the best ones",
                )
        return pairs


class Joiner:
    """A join of two sides, or within one.

    Args:
        plan: plan for filtering pairs.
        left: one side with its short rows.
        right: the other side; None for pairs within the first.
    """

    def __init__(
        self, plan: Plan, left: tuple[Rows, Sketch], right: tuple[Rows, Sketch] | None = None
    ) -> None:
        self._plan, self._same = plan, right is None
        self._left, self._short = left
        self._right, self._others = left if right is None else right
        self._slack = np.stack((self._short.slack(self._others), near_slack(self._left, self._right)))
        parts = [slice(begin, begin + plan.columns) for begin in range(0, len(self._right), plan.columns)]
        self._columns = [(part.start, self._others.table[part], self._right[part].arrays) for part in parts]

    def pairs(self, rows: range, bar: Bar) -> Iterator[Pairs]:
        """Yield the pairs of some rows that satisfy the condition, in batches, in no order."""
        few = self._few(rows, bar)
        if few is not None:
            yield few
            return
        from textkin.vectors.join.score_loops import sift

        columns = self._plan.columns
        tile, found = Tile(bf16=self._plan.bf16), np.empty(ROWS * columns, dtype=PAIR)
        strips = self._strips(rows)
        threshold = np.float32(np.nan)
        limits: list[Limits] = []
        # All strips process the same columns in turn, so these stay in the processor's cache.
        for begin, others, right in self._columns[rows.start // columns if self._same else 0 :]:
            if bar.threshold != threshold:
                threshold = bar.threshold
                limits = [self._limits(top, threshold) for top, _, _ in strips]
            for (top, short, left), limit in zip(strips, limits, strict=True):
                ahead = top - begin if self._same else -ROWS
                if ahead >= columns or bar.excludes(top):
                    continue
                product = tile.product(short, others)
                count = sift(product, limit, left, right, ahead, found)
                bar.look_at(product.size)
                if count:
                    pairs = found[:count].copy()
                    pairs["row"] += top
                    pairs["column"] += begin
                    yield bar.take(pairs)

    def _few(self, rows: range, bar: Bar) -> Pairs | None:
        """All pairs at once; None for many pairs, for a part of the rows, or if rounding matters."""
        if len(rows) < len(self._left) or len(self._left) * len(self._right) > FEW:
            return None
        sides = self._left.arrays, self._right.arrays
        pairs = few_pairs(*sides, bar.threshold, same=self._same, most=bar.most)
        if pairs is None:
            return None
        bar.look_at(len(rows) * len(self._right))
        return bar.take(pairs)

    def _strips(self, rows: range) -> list[tuple[int, NDArray[Any], Arrays]]:
        """Strips of rows: the first row, its short rows, and the arrays for the loops."""
        parts = [slice(top, min(top + ROWS, rows.stop)) for top in range(rows.start, rows.stop, ROWS)]
        return [(part.start, self._short.table[part], self._left[part].arrays) for part in parts]

    def _limits(self, top: int, threshold: np.float32) -> Limits:
        bounds = np.float64(threshold) - self._slack[:, top : top + ROWS]
        score = np.full(bounds.shape[1], threshold)
        return Limits(least_bits(bounds[0], bf16=self._plan.bf16), bounds[1].astype(np.float32), score)


FEW = 1 << 20
"""Maximum number of pairs: checking them all takes less time than loading the compiler."""

_UNIT = 2.0**-53


def few_pairs(
    left: Arrays, right: Arrays, threshold: np.float32, *, same: bool, most: int | None
) -> Pairs | None:
    """The pairs that ``score_loops.sift`` would find, or None if rounding could change them.

    Args:
        left: rows of one side.
        right: rows of the other side.
        threshold: minimum score.
        same: True if both sides are one set, to list each pair once.
        most: pairs may be dropped if this number of others score higher; None to keep all.
    """
    exact, error = scores_with_errors(left, right)
    if same:
        exact[np.tri(*exact.shape, dtype=np.bool_)] = -np.inf
    least = float(threshold)
    if most is not None and most < exact.size:
        least = max(least, float(np.partition(exact, -most, axis=None)[-most]) - 2 * float(error.max()))
    # Rounding to single precision before the comparison may lift a score to the threshold.
    rows, columns = np.nonzero(exact >= np.nextafter(np.float32(least), np.float32(-np.inf)) - error)
    near, apart = exact[rows, columns], error[rows, columns]
    scores = near.astype(np.float32)
    if ((near - apart).astype(np.float32) != (near + apart).astype(np.float32)).any():
        return None
    reached = scores >= threshold
    return made(rows[reached], columns[reached], scores[reached])


def scores_with_errors(left: Arrays, right: Arrays) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores in double precision, and the maximum difference for any order of summation."""
    ours, theirs = left.values.astype(np.float64), right.values.astype(np.float64)
    products = ours @ theirs.T
    squares = np.sqrt(np.outer(left.squares, right.squares))
    lengths = np.outer(np.sqrt(np.vecdot(ours, ours)), np.sqrt(np.vecdot(theirs, theirs)))
    scores = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    # Both sums, the squares (whose error counts half), and the operations after them.
    bound = 4 * (ours.shape[1] + 4) * _UNIT * lengths
    return scores, np.divide(bound, squares, out=np.zeros_like(bound), where=squares > 0)
