"""Thresholds given by users."""

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.measures.decisions.user_thresholds import check_threshold, decide


@pytest.mark.parametrize("value", [0.7, -3, 0, np.float32(0.5), np.int64(2), 3e38])
def test_numbers_pass(value):
    assert check_threshold(value) == float(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -np.inf, 1e39, "0.7", True, None, [0.7]])
def test_what_is_no_threshold_is_refused(value):
    with pytest.raises(UsageError) as error:
        check_threshold(value)
    assert error.value.params == ("threshold",)


def test_a_score_that_is_the_threshold_in_single_precision_reaches_it():
    scores = np.array([0.7, np.nextafter(np.float32(0.7), np.float32(0))], dtype=np.float32)
    assert float(scores[0]) < 0.7
    assert decide(scores, 0.7).tolist() == [True, False]
