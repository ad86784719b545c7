"""Greedy filter: keep each row unless it resembles a row kept before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.vectors.join.bound_plan import ROWS, Plan, make_plan
from textkin.vectors.join.pair_list import Pairs, Wanted, joined
from textkin.vectors.join.prepared_rows import Rows, by_cosine
from textkin.vectors.join.score_bounds import Sketch
from textkin.vectors.join.tile_join import Bar, Joiner

BATCH = 2 * ROWS
"""Number of rows per batch; all pairs within a batch may have to fit into memory."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Survivors:
    """The kept rows, and the kept row for each removed one.

    Attributes:
        home: number of the most similar kept row that comes earlier, ties by order; a kept row's own number.
            Shape [rows].
        scores: cosine of the two; 1 for a kept row. Shape [rows].
    """

    home: Numbers
    scores: NDArray[np.float32]


def survivors(
    vectors: NDArray[Any],
    threshold: float,
    order: Numbers,
    *,
    wanted: Wanted | None = None,
    workers: int | None = None,
) -> Survivors:
    """Remove each row whose cosine with an earlier kept row is at least ``threshold``.

    Memory use is low however many pairs are similar: rows are compared only with kept ones, and only the best
    match of each is stored. Scores and results equal those of ``pairs_above``, for any number of workers and
    any batch size.

    Args:
        vectors: floating-point vectors, not normalised. Shape [rows, dim].
        threshold: from -1 to 1, rounded to float32.
        order: numbers of the rows, in order of preference. Shape [rows].
        wanted: filter of pairs; None for all.
        workers: number of threads; None for all cores.

    Raises:
        DataError: a vector is not finite.
    """
    rows = by_cosine(vectors)
    plan = plan_for(rows, threshold)
    search = _Search(rows, np.float32(threshold), np.ascontiguousarray(order), plan, wanted)
    with progress("texts", total=len(order)) as shown:
        for done in search.decided(workers or cores()):
            shown.advance(done)
    return Survivors(search.home, search.scores)


def survivors_of(rows: Rows, threshold: float, plan: Plan, *, wanted: Wanted | None = None) -> Survivors:
    """:func:`survivors` for prepared rows in order of preference, with a given plan.

    Args:
        rows: at least one.
        threshold: minimum cosine.
        plan: plan for filtering pairs.
        wanted: filter of pairs; None for all.
    """
    search = _Search(rows, np.float32(threshold), np.arange(len(rows)), plan, wanted)
    for _ in search.decided(cores()):
        pass
    return Survivors(search.home, search.scores)


def plan_for(rows: Rows, threshold: float) -> Plan:
    """The fastest plan on this machine for finding similar rows among these."""
    return make_plan(rows, rows, lambda some, others: np.full(len(some), np.float32(threshold)))


class _Search:
    """The state of the filter, which decides on rows in batches."""

    def __init__(
        self, rows: Rows, threshold: np.float32, order: Numbers, plan: Plan, wanted: Wanted | None
    ) -> None:
        self.home = np.arange(len(rows))
        self.scores = np.ones(len(rows), dtype=np.float32)
        self._threshold, self._wanted, self._plan, self._workers = threshold, wanted, plan, 1
        self._order, self._place = order, np.empty_like(order)
        self._place[order] = np.arange(len(order))
        self._all = _Some(np.arange(len(rows)), rows, plan.sketch(rows))
        self._stay = _Growing(self._all)

    def decided(self, workers: int) -> Iterator[int]:
        """Decide on all rows; yield the number of rows decided after each batch."""
        self._workers = workers
        with one_thread_each():
            for start in range(0, len(self._order), BATCH):
                batch = self._order[start : start + BATCH]
                self._decide(batch)
                yield len(batch)

    def _decide(self, batch: Numbers) -> None:
        """Decide which rows of the next batch to keep."""
        self._seat(batch, self._stay.some)
        new = self._firsts(batch[self.home[batch] == batch])
        self._seat(np.setdiff1d(batch, new), self._all[new])
        self._stay.add(new)

    def _seat(self, batch: Numbers, stay: _Some) -> None:
        """Assign rows to the most similar of some kept ones, if that improves on their current one."""
        pieces = np.array_split(batch, self._workers)
        found = side_by_side(partial(self._nearest, stay), pieces, workers=self._workers)
        for piece, (homes, scores) in zip(pieces, found, strict=True):
            better = (homes >= 0) & ((self.home[piece] == piece) | (scores > self.scores[piece]))
            self.home[piece[better]] = homes[better]
            self.scores[piece[better]] = scores[better]

    def _nearest(self, stay: _Some, piece: Numbers) -> tuple[Numbers, NDArray[np.float32]]:
        """The number of the most similar kept row for each row, -1 for none, and the scores."""
        homes, best = np.full(len(piece), -1), np.full(len(piece), -np.inf, dtype=np.float32)
        for pairs in self._pairs(self._all[piece], stay):
            # The first pair of each row has the highest score, ties the lowest column.
            sorted_ = pairs[np.lexsort((pairs["column"], -pairs["score"], pairs["row"]))]
            rows, first = np.unique(sorted_["row"], return_index=True)
            better = sorted_["score"][first] > best[rows]
            best[rows[better]] = sorted_["score"][first[better]]
            homes[rows[better]] = stay.numbers[sorted_["column"][first[better]]]
        return homes, best

    def _firsts(self, batch: Numbers) -> Numbers:
        """The kept rows of a batch: those that resemble no earlier kept row of the batch."""
        some = self._all[batch]
        pairs = joined(self._pairs(some, some))
        pairs = pairs[np.argsort(pairs["column"], kind="stable")]
        starts = np.searchsorted(pairs["column"], np.arange(len(batch) + 1))
        stays = np.ones(len(batch), dtype=bool)
        for place in np.unique(pairs["column"]).tolist():
            if stays[place]:
                stays[pairs["row"][starts[place] : starts[place + 1]]] = False
        return batch[stays]

    def _pairs(self, ours: _Some, theirs: _Some) -> Iterator[Pairs]:
        """The similar pairs of some rows with others that precede them, by positions in both."""

        def counts(rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
            one, other = ours.numbers[rows], theirs.numbers[columns]
            kept: NDArray[np.bool_] = self._place[other] < self._place[one]
            if self._wanted is not None and kept.any():
                kept[kept] = self._wanted(one[kept], other[kept])
            return kept

        bar = Bar(self._threshold, None, len(ours.numbers) * len(theirs.numbers), wanted=counts)
        joiner = Joiner(self._plan, (ours.rows, ours.short), (theirs.rows, theirs.short))
        return joiner.pairs(range(len(ours.numbers)), bar)


@dataclass(frozen=True, slots=True, eq=False)
class _Some:
    """Some rows with their numbers and short rows."""

    numbers: Numbers
    rows: Rows
    short: Sketch

    def __getitem__(self, places: slice | Numbers) -> _Some:
        return _Some(self.numbers[places], self.rows[places], self.short[places])


class _Growing:
    """A buffer for all rows, filled one batch after another."""

    def __init__(self, everything: _Some) -> None:
        rows, short = everything.rows, everything.short
        self._everything, self._count = everything, 0
        self._room = _Some(
            np.empty_like(everything.numbers),
            Rows(*map(np.empty_like, (rows.values, rows.squares, rows.scales, rows.sizes))),
            Sketch(
                np.empty_like(short.table),
                np.empty_like(short.errors),
                np.empty_like(short.lengths),
                np.empty_like(short.sizes),
                short.drift,
            ),
        )

    @property
    def some(self) -> _Some:
        """The rows added so far, in order."""
        return self._room[: self._count]

    def add(self, numbers: Numbers) -> None:
        """Add rows."""
        part = slice(self._count, self._count + len(numbers))
        for room, full in zip(_arrays(self._room), _arrays(self._everything), strict=True):
            room[part] = full[numbers]
        self._count = part.stop


def _arrays(some: _Some) -> tuple[Any, ...]:
    rows, short = some.rows, some.short
    return (
        *(some.numbers, rows.values, rows.squares, rows.scales, rows.sizes),
        *(short.table, short.errors, short.lengths, short.sizes),
    )
