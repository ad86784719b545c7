"""Holm's correction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import resampling
from textkin.measures.intervals.holm import holm


@given(st.lists(st.floats(0, 1), max_size=12))
def test_equals_the_plain_rule(p_values: list[float]) -> None:
    assert holm(np.array(p_values)).tolist() == pytest.approx(resampling.holm(p_values))


def test_example() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
