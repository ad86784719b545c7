"""Thresholds set by users. They were not fitted, so their precision is unknown."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid

NOT_FITTED = "not fitted"
"""Mark in tables for decisions at a user's threshold."""

NOT_FITTED_THRESHOLD = 0.9
"""Default minimum cosine of duplicates: high, and not fitted."""

_MOST = float(np.finfo(np.float32).max)


def check_threshold(value: float) -> float:
    """Return the threshold if scores can be compared with it.

    Raises:
        UsageError: it is not finite, or exceeds the range of float32, in which scores are given.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise invalid("threshold", value, expected="a number, such as 0.7")
    if not math.isfinite(value) or abs(value) > _MOST:
        raise invalid("threshold", float(value), expected="a finite number, such as 0.7")
    return float(value)


def decide(scores: NDArray[np.floating[Any]], threshold: float) -> NDArray[np.bool_]:
    """True for each score at or above the threshold, compared as float32. Same shape."""
    return np.greater_equal(scores.astype(np.float32), np.float32(threshold))
