import numpy as np
import pytest

from textkin.kinds.mean_scores import mean_difference, mean_interval
from textkin.kinds.pair_figures import Sampling
from textkin.measures.intervals.paired_tests import compare_shares


def test_questions_that_hang_together_make_wider_intervals():
    values = np.repeat([0.0, 1.0, 1.0, 0.0, 1.0] * 6, 10)
    alone = mean_interval(values, np.arange(300), sampling=Sampling(500))
    together = mean_interval(values, np.repeat(np.arange(30), 10), sampling=Sampling(500))
    assert alone.value == together.value == pytest.approx(0.6)
    assert together.high - together.low > 2.5 * (alone.high - alone.low)
    part = mean_interval(values, np.arange(300), inside=values > 0, sampling=Sampling(100))
    assert (part.value, part.n) == (1.0, 180)


def test_a_difference_is_that_of_shares():
    rng = np.random.default_rng(2)
    mine, theirs, groups = rng.integers(0, 2, 60) * 1.0, rng.integers(0, 2, 60) * 1.0, np.arange(60) // 3
    found = mean_difference(mine, theirs, groups, sampling=Sampling(50, seed=4), tests=1)
    assert found == compare_shares(mine, theirs, groups, rounds=10_000, resamples=50, seed=4)
    more = mean_difference(mine, theirs, groups, sampling=Sampling(50), tests=1_000)
    assert more.rounds == 40_000
