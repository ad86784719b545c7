"""Distributed greedy filter: keep each row unless it resembles an earlier kept one.

Rows are processed in order, one block per round. Workers compare the block with the blocks of kept rows so
far. This process then decides on the rows that resemble none of them, as on one machine. The rows kept in
this round form a new block. Workers compare the rest of the round with it while the next round runs.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.vectors.join.greedy_filter import Numbers, Survivors, plan_for, survivors_of
from textkin.vectors.join.pair_list import Pairs, Wanted, made
from textkin.vectors.join.prepared_rows import Rows, by_cosine
from textkin.vectors.on_ray.blocks import Block, Crew, PairsAsked, pairs_of, similar_pairs
from textkin.vectors.on_ray.workers import Handle

_ROUNDS_AHEAD = 2


def survivors(
    crew: Crew,
    vectors: NDArray[Any],
    threshold: float,
    order: Numbers,
    *,
    wanted: Wanted | None = None,
) -> Survivors:
    """Run :func:`textkin.vectors.join.greedy_filter.survivors` on workers that hold two blocks each.

    Args:
        crew: the workers.
        vectors: as in that function, like all others.
        threshold: see there.
        order: see there.
        wanted: see there; called in this process.

    Raises:
        TextkinError: the errors of that function, or workers crash repeatedly.
    """
    rows = by_cosine(vectors)
    rounds = _Rounds(crew, rows, np.float32(threshold), np.ascontiguousarray(order), wanted)
    with progress("texts", total=len(order)) as shown:
        for number in range(len(rounds)):
            shown.advance(rounds.decide(number))
            if number:
                rounds.close(number - 1)
        rounds.close(len(rounds) - 1)
    return Survivors(rounds.home, rounds.scores)


def best_homes(rows: Block, stay: Block, places: tuple[Numbers, Numbers] | None, least: float) -> Pairs:
    """The pair of each removed row with the most similar kept one, ties by order.

    Args:
        rows: the rows to assign.
        stay: the kept rows, in order.
        places: positions of both in the order, if a row may precede a kept one; None if all follow all kept
            ones.
        least: minimum score.
    """
    best, homes = np.full(len(rows), -np.inf, dtype=np.float32), np.full(len(rows), -1)
    for pairs in pairs_of(rows, stay, PairsAsked((0, len(rows)), least)):
        some = pairs if places is None else pairs[places[1][pairs["column"]] < places[0][pairs["row"]]]
        sorted_ = some[np.lexsort((some["column"], -some["score"], some["row"]))]
        places_of, first = np.unique(sorted_["row"], return_index=True)
        better = sorted_["score"][first] > best[places_of]  # columns come in order
        best[places_of[better]] = sorted_["score"][first[better]]
        homes[places_of[better]] = sorted_["column"][first[better]]
    found = np.flatnonzero(homes >= 0)
    return made(found, homes[found], best[found])


@dataclass(frozen=True, slots=True)
class _Look:
    """A comparison of some rows of a round with the kept rows of a round."""

    number: int
    stay: int
    rows: tuple[int, int]


class _Rounds:
    """The state of the filter, which decides round by round."""

    def __init__(
        self, crew: Crew, rows: Rows, threshold: np.float32, order: Numbers, wanted: Wanted | None
    ) -> None:
        self.home = np.arange(len(rows))
        self.scores = np.ones(len(rows), dtype=np.float32)
        self._workers, self._rows, self._least, self._wanted = crew.workers, rows, threshold, wanted
        self._plan = plan_for(rows, float(threshold))
        self._place = np.empty_like(order)
        self._place[order] = np.arange(len(order))
        size = crew.size(len(rows))
        self._members = [order[start : start + size] for start in range(0, len(order), size)]
        self._shared: dict[int, Handle] = {}
        self._staying: dict[int, tuple[Numbers, Handle]] = {}
        self._asked: dict[int, set[int]] = defaultdict(set)
        self._begun: dict[int, dict[Handle, _Look]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._members)

    def decide(self, number: int) -> int:
        """Decide which rows of a round to keep; return their number."""
        for further in range(number, min(number + _ROUNDS_AHEAD, len(self))):
            for stay in self._staying:
                if stay not in self._asked[further]:
                    self._asked[further].add(stay)
                    self._look(_Look(further, stay, (0, len(self._members[further]))))
        self._collect(number)
        members = self._members[number]
        new = self._firsts(members[self.home[members] == members])
        if len(new):
            self._staying[number] = new, self._share(new)
        if 0 < len(new) < len(members):
            self._look(_Look(number, number, (0, len(members))))
        return len(members)

    def close(self, number: int) -> None:
        """Collect the results of workers for a round decided before."""
        self._collect(number)
        self._shared.pop(number, None)

    def _firsts(self, undecided: Numbers) -> Numbers:
        """The kept rows of those that resemble no kept row of earlier rounds; the others are assigned."""
        if not len(undecided):
            return undecided
        wanted = None if self._wanted is None else partial(_among, undecided, self._wanted)
        found = survivors_of(self._rows[undecided], float(self._least), self._plan, wanted=wanted)
        self.home[undecided], self.scores[undecided] = undecided[found.home], found.scores
        return undecided[found.home == np.arange(len(undecided))]

    def _look(self, look: _Look) -> None:
        """Start comparing rows with some kept ones on workers."""
        if look.number not in self._shared:
            self._shared[look.number] = self._share(self._members[look.number])
        rows, (stay, there) = self._shared[look.number], self._staying[look.stay]
        if self._wanted is not None:
            handle = self._workers.submit(
                similar_pairs, rows, there, PairsAsked(look.rows, float(self._least))
            )
        else:
            places = self._place[self._members[look.number]], self._place[stay]
            mixed = places if look.stay == look.number else None
            handle = self._workers.submit(best_homes, rows, there, mixed, float(self._least))
        self._begun[look.number][handle] = look

    def _share(self, numbers: Numbers) -> Handle:
        return self._workers.share(Block.of(self._rows[numbers], self._plan, start=0))

    def _collect(self, number: int) -> None:
        """Collect the results of workers for the rows of a round."""
        begun = self._begun[number]
        while begun:
            handle = self._workers.first_done(list(begun))
            look, pairs = begun.pop(handle), self._workers.result(handle)
            if pairs is None:
                middle = sum(look.rows) // 2
                self._look(replace(look, rows=(look.rows[0], middle)))
                self._look(replace(look, rows=(middle, look.rows[1])))
            else:
                self._seat(
                    self._members[number][pairs["row"]], self._staying[look.stay][0][pairs["column"]], pairs
                )

    def _seat(self, rows: Numbers, stay: Numbers, pairs: Pairs) -> None:
        """Assign rows to the most similar kept ones, ties by order."""
        counts = self._place[stay] < self._place[rows]
        if self._wanted is not None:
            counts[counts] = self._wanted(rows[counts], stay[counts])
        rows, stay, scores = rows[counts], stay[counts], pairs["score"][counts]
        best = np.lexsort((self._place[stay], -scores, rows))
        rows, first = np.unique(rows[best], return_index=True)
        stay, scores = stay[best[first]], scores[best[first]]
        before, nearer = self.home[rows], scores > self.scores[rows]
        nearer |= (scores == self.scores[rows]) & (self._place[stay] < self._place[before])
        nearer |= before == rows
        rows = rows[nearer]
        self.home[rows], self.scores[rows] = stay[nearer], scores[nearer]


def _among(numbers: Numbers, wanted: Wanted, rows: Numbers, columns: Numbers) -> NDArray[np.bool_]:
    """True for accepted pairs of some rows, by their positions among these."""
    return wanted(numbers[rows], numbers[columns])
