"""The smallest difference that a test finds."""

import numpy as np
import pytest

from textkin.stats.compare import paired_randomisation
from textkin.stats.power import smallest_difference


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


def test_a_stricter_level_and_more_power_want_a_larger_difference() -> None:
    assert smallest_difference(0.5) == pytest.approx(smallest_difference(1.0) / 2)
    assert smallest_difference(1.0, level=0.01) == pytest.approx(2.575829 + 0.841621, abs=1e-5)
    assert smallest_difference(1.0, power=0.9) == pytest.approx(1.959964 + 1.281552, abs=1e-5)
