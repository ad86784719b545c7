"""Figures over several seeds."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.measures.intervals.seed_variation import Spread, over_seeds


def test_mean_and_deviation() -> None:
    assert over_seeds([0.5]) == Spread(0.5, None, 1)
    found = over_seeds([0.1, 0.2, 0.6])
    assert (found.mean, found.sd, found.n) == (
        pytest.approx(0.3),
        pytest.approx(np.std([1, 2, 6], ddof=1) / 10),
        3,
    )
    with pytest.raises(DataError):
        over_seeds([])
