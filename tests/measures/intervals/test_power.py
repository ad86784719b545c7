"""The smallest difference that a test finds."""

import numpy as np
import pytest

from textkin.measures.intervals.paired_tests import paired_randomisation
from textkin.measures.intervals.power import least_p, smallest_difference


def test_it_is_found_four_times_in_five() -> None:
    assert smallest_difference(1.0) == pytest.approx(1.959964 + 0.841621, abs=1e-5)
    rng = np.random.default_rng(0)
    difference = smallest_difference(1 / np.sqrt(100))
    samples = rng.normal(difference, 1, size=(300, 100))
    found = [
        paired_randomisation(sample, np.zeros(100), rounds=199, resamples=2, seed=index).p <= 0.05
        for index, sample in enumerate(samples)
    ]
    assert 0.73 <= np.mean(found) <= 0.87


@pytest.mark.parametrize(
    ("rounds", "units", "least"), [(999, 100, 0.001), (99, 4, 0.125), (10**6, 5, 0.0625), (9, 1, 1.0)]
)
def test_no_p_is_smaller_than_rounds_and_units_allow(rounds: int, units: int, least: float) -> None:
    assert least_p(rounds, units) == least


@pytest.mark.parametrize(("rounds", "units"), [(19, 30), (4000, 4)])
def test_the_smallest_p_is_reached_where_all_units_agree(rounds: int, units: int) -> None:
    better = paired_randomisation(np.ones(units), np.zeros(units), rounds=rounds, resamples=2, seed=0).p
    assert better >= least_p(rounds, units)
    assert better == pytest.approx(least_p(rounds, units), rel=0.15)


def test_a_stricter_level_and_more_power_want_a_larger_difference() -> None:
    assert smallest_difference(0.5) == pytest.approx(smallest_difference(1.0) / 2)
    assert smallest_difference(1.0, level=0.01) == pytest.approx(2.575829 + 0.841621, abs=1e-5)
    assert smallest_difference(1.0, power=0.9) == pytest.approx(1.959964 + 1.281552, abs=1e-5)
