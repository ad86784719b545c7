"""Compiled loops for average precision over many rounds of the same pairs: weighted or swapped."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.numba_cache import compiled

ROUNDS = 16
"""Rounds per call: their sums fit into registers, and the weights of a unit into one cache line."""

_ALMOST_ZERO = np.finfo(np.float64).tiny  # turns 0 / 0 into 0, and vanishes next to any real weight


class ScoreSteps(NamedTuple):
    """Scores of pairs, decreasing; equal ones form one step.

    Attributes:
        rows: the row of weights or swaps for each score. Shape [scores].
        same: True if the pair is positive. Shape [scores].
        ends: True at the end of a step with a positive pair. Other steps are merged into the next one, which
            changes nothing. Shape [scores].
    """

    rows: Ints
    same: Bools
    ends: Bools


@compiled
def weighed_areas(steps: ScoreSteps, weights: Floats) -> Floats:
    """The weighted sum of the precisions at positive pairs. Shape [ROUNDS].

    Args:
        steps: the steps of one system.
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
def swapped_areas(steps: ScoreSteps, second: Bools, swapped: NDArray[np.uint8]) -> Floats:
    """The difference of the sums of two systems, first minus second, with some units swapped.

    All pairs weigh 1, so the second system has what the first doesn't. Shape [ROUNDS].

    Args:
        steps: steps of the scores of both systems together.
        second: True if a score belongs to the second system. Shape [scores].
        swapped: 1 if a unit is swapped, else 0. Shape [rows, ROUNDS].
    """
    taken, gained, found, rest, area = np.zeros((5, ROUNDS))
    everything, step = 0.0, 0.0  # scores so far, and positive pairs of this step
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
