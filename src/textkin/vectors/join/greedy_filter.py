"""Which rows stay if, one after another, each goes that resembles one that stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, final

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
"""So many rows are decided on at a time; all pairs of them may have to be held."""

Numbers = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Survivors:
    """Which rows stay, and for each that goes the one that stays for it.

    Attributes:
        home: the number of the most similar row of those that stay and come before it, of equals the first;
            its own for a row that stays. Shape [rows].
        scores: the cosine of the two; 1 for a row that stays. Shape [rows].
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
    quiet: bool = False,
) -> Survivors:
    """Let each row go whose cosine with one that stays and comes before it is at least ``threshold``.

    However many pairs are so similar, few are held: rows are compared with those that stay, and the best one
    of each is kept. Scores are as in ``pairs_above``, and so is the result: neither the number of workers nor
    that of rows at a time changes it.

    Args:
        vectors: floating-point numbers of any length. Shape [rows, dim].
        threshold: from -1 to 1, taken as a float32.
        order: the numbers of the rows, those first that stay rather than others. Shape [rows].
        wanted: which pairs count at all; all if left out.
        workers: threads; the cores of the machine if None.
        quiet: show no progress.

    Raises:
        DataError: vectors have no finite numbers.
    """
    rows = by_cosine(vectors)
    plan = plan_for(rows, threshold)
    search = _Search(rows, np.float32(threshold), np.ascontiguousarray(order), plan, wanted)
    with progress("texts", total=len(order), quiet=quiet) as shown:
        for done in search.decided(workers or cores()):
            shown.advance(done)
    return Survivors(search.home, search.scores)


def survivors_of(rows: Rows, threshold: float, plan: Plan, *, wanted: Wanted | None = None) -> Survivors:
    """:func:`survivors` of rows that are ready, in their order, looked at by a plan.

    Args:
        rows: at least one.
        threshold: as there.
        plan: how pairs are looked at.
        wanted: as there.
    """
    search = _Search(rows, np.float32(threshold), np.arange(len(rows)), plan, wanted)
    for _ in search.decided(cores()):
        pass
    return Survivors(search.home, search.scores)


def plan_for(rows: Rows, threshold: float) -> Plan:
    """The fastest way here to find which of these rows are similar."""
    return make_plan(rows, rows, lambda some, others: np.full(len(some), np.float32(threshold)))


@final
class _Search:
    """Decides on rows, some at a time, in their order."""

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
        """Decide on all rows; yields how many were decided on, time and again."""
        self._workers = workers
        with one_thread_each():
            for start in range(0, len(self._order), BATCH):
                batch = self._order[start : start + BATCH]
                self._decide(batch)
                yield len(batch)

    def _decide(self, batch: Numbers) -> None:
        """Say of some rows, those that come next, which stay."""
        self._seat(batch, self._stay.some)
        new = self._firsts(batch[self.home[batch] == batch])
        self._seat(np.setdiff1d(batch, new), self._all[new])
        self._stay.add(new)

    def _seat(self, batch: Numbers, stay: _Some) -> None:
        """Put rows with the most similar of some that stay, if that is better than where they are."""
        pieces = np.array_split(batch, self._workers)
        found = side_by_side(partial(self._nearest, stay), pieces, workers=self._workers)
        for piece, (homes, scores) in zip(pieces, found, strict=True):
            better = (homes >= 0) & ((self.home[piece] == piece) | (scores > self.scores[piece]))
            self.home[piece[better]] = homes[better]
            self.scores[piece[better]] = scores[better]

    def _nearest(self, stay: _Some, piece: Numbers) -> tuple[Numbers, NDArray[np.float32]]:
        """For each row the number of the most similar one, -1 if none is similar enough, and their score."""
        homes, best = np.full(len(piece), -1), np.full(len(piece), -np.inf, dtype=np.float32)
        for pairs in self._pairs(self._all[piece], stay):
            # The first of each row has the highest score, and of these the lowest column.
            sorted_ = pairs[np.lexsort((pairs["column"], -pairs["score"], pairs["row"]))]
            rows, first = np.unique(sorted_["row"], return_index=True)
            better = sorted_["score"][first] > best[rows]
            best[rows[better]] = sorted_["score"][first[better]]
            homes[rows[better]] = stay.numbers[sorted_["column"][first[better]]]
        return homes, best

    def _firsts(self, batch: Numbers) -> Numbers:
        """Those of some rows that stay if each goes that resembles an earlier one of them that stays."""
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
        """The similar pairs of some rows with others that come before them, by their places in both."""

        def counts(rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
            one, other = ours.numbers[rows], theirs.numbers[columns]
            kept: NDArray[np.bool_] = self._place[other] < self._place[one]
            if self._wanted is not None and kept.any():
                kept[kept] = self._wanted(one[kept], other[kept])
            return kept

        bar = Bar(self._threshold, None, len(ours.numbers) * len(theirs.numbers), wanted=counts)
        joiner = Joiner(self._plan, (ours.rows, ours.short), (theirs.rows, theirs.short))
        return joiner.pairs(range(len(ours.numbers)), bar)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Some:
    """Some rows: their numbers, the rows, and short ones."""

    numbers: Numbers
    rows: Rows
    short: Sketch

    def __getitem__(self, places: slice | Numbers) -> _Some:
        return _Some(self.numbers[places], self.rows[places], self.short[places])


@final
class _Growing:
    """Room for all rows, in which some are gathered one after another."""

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
        """Those that were added, in this order."""
        return self._room[: self._count]

    def add(self, numbers: Numbers) -> None:
        """Add further rows."""
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
