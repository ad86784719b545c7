"""The loops of average precision, by hand."""

import numpy as np

from textkin.measures.metrics.average_precision_loops import ROUNDS, ScoreSteps, swapped_areas, weighed_areas


def test_a_step_without_same_pairs_counts_at_the_next_one():
    rows, same = np.arange(3), np.array([False, True, True])
    steps = ScoreSteps(rows, same, np.array([False, True, True]))
    weights = np.ones((3, ROUNDS))
    weights[0, 1] = 0  # in this round the wrong pair is not there
    areas = weighed_areas(steps, weights)
    assert areas[0] == 1 / 2 + 2 / 3
    assert areas[1] == 2


def test_units_swap_their_scores():
    # One same pair and one that is not, in two units; the first system has them right, the second wrong.
    steps = ScoreSteps(
        np.array([0, 1, 1, 0]), np.array([True, False, False, True]), np.array([True, False, False, True])
    )
    second = np.array([False, True, False, True])
    swapped = np.zeros((2, ROUNDS), dtype=np.uint8)
    swapped[:, 1] = 1  # both units swap
    swapped[0, 2] = 1  # the unit of the same pair alone
    assert swapped_areas(steps, second, swapped)[:3].tolist() == [0.5, -0.5, 1 / 2 - 1]
