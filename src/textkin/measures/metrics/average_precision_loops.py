"""The loops of average precision in many rounds of the same pairs: weighed anew, or swapped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled

ROUNDS = 16
"""So many at a time: their sums fit into registers, and what a unit needs into one line of the cache."""

_ALMOST_ZERO = np.finfo(np.float64).tiny  # makes 0 / 0 a 0, and is lost beside any real weight


class ScoreSteps(NamedTuple):
    """Scores of pairs, falling; equal ones make one step.

    Attributes:
        rows: what each weighs, or whether it is swapped, stands in this row. Shape [scores].
        same: whether the pair is the same. Shape [scores].
        ends: whether a step ends here in which a pair is the same; other steps go into the next one, where
            they change nothing. Shape [scores].
    """

    rows: NDArray[np.int64]
    same: NDArray[np.bool_]
    ends: NDArray[np.bool_]


@compiled
def weighed_areas(steps: ScoreSteps, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the precisions at the same pairs, each by its weight. Shape [ROUNDS].

    Args:
        steps: of one system.
        weights: shape [rows, ROUNDS].
    """
    taken, gained, found, area = np.zeros((4, ROUNDS))
    for place in range(len(steps.rows)):
        row = steps.rows[place]
        for at in range(ROUNDS):
            taken[at] += weights[row, at]
        if steps.same[place]:
            for at in range(ROUNDS):
                gained[at] += weights[row, at]
        if steps.ends[place]:
            for at in range(ROUNDS):
                found[at] += gained[at]
                area[at] += gained[at] * (found[at] / max(taken[at], _ALMOST_ZERO))
                gained[at] = 0
    return area


@compiled
def swapped_areas(
    steps: ScoreSteps, second: NDArray[np.bool_], swapped: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """The same sums of two systems of which some units swap their scores, the first's less the second's.

    All pairs weigh 1, so what is the second's is what isn't the first's. Shape [ROUNDS].

    Args:
        steps: of the scores of both systems together.
        second: whether a score is the second's. Shape [scores].
        swapped: 1 where a unit is swapped, else 0. Shape [rows, ROUNDS].
    """
    taken, gained, found, rest, area = np.zeros((5, ROUNDS))
    everything, step = 0.0, 0.0  # scores so far, and same pairs of this step
    for place in range(len(steps.rows)):
        row = steps.rows[place]
        flipped = np.uint8(not second[place])
        for at in range(ROUNDS):
            taken[at] += swapped[row, at] ^ flipped
        if steps.same[place]:
            for at in range(ROUNDS):
                gained[at] += swapped[row, at] ^ flipped
        everything += 1
        step += steps.same[place]
        if steps.ends[place]:
            for at in range(ROUNDS):
                found[at] += gained[at]
                area[at] += gained[at] * (found[at] / max(taken[at], _ALMOST_ZERO))
                left = step - gained[at]
                rest[at] += left
                area[at] -= left * (rest[at] / max(everything - taken[at], _ALMOST_ZERO))
                gained[at] = 0
            step = 0.0
    return area
