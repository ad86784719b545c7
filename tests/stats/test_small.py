from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.reference import resampling
from textkin.errors import DataError
from textkin.stats.compare import paired_randomisation
from textkin.stats.holm import holm
from textkin.stats.power import smallest_difference
from textkin.stats.seeds import Spread, over_seeds


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_equals_the_plain_rule(p_values: list[float]) -> None:
    assert holm(np.array(p_values)).tolist() == pytest.approx(resampling.holm(p_values))


def test_holm_example() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_smallest_difference_is_found_four_times_in_five() -> None:
    assert smallest_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
    rng = np.random.default_rng(0)
    difference = smallest_difference(1 / np.sqrt(100))
    samples = rng.normal(difference, 1, size=(300, 100))
    found = [
        paired_randomisation(sample, np.zeros(100), rounds=199, resamples=2, seed=index).p <= 0.05
        for index, sample in enumerate(samples)
    ]
    assert 0.73 <= np.mean(found) <= 0.87


def test_standard_error_is_that_of_the_mean_difference() -> None:
    a, b = np.random.default_rng(0).random((2, 400))
    found = paired_randomisation(a, b, rounds=1, resamples=4000)
    assert found.standard_error == pytest.approx(stats.sem(a - b), rel=0.05)


def test_over_seeds() -> None:
    assert over_seeds([0.5]) == Spread(0.5, None, 1)
    found = over_seeds([0.1, 0.2, 0.6])
    assert (found.mean, found.sd, found.n) == (
        pytest.approx(0.3),
        pytest.approx(np.std([1, 2, 6], ddof=1) / 10),
        3,
    )
    with pytest.raises(DataError):
        over_seeds([])
