"""Thresholds that users give: fitted on nothing, so nothing is known of what they do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid

NOT_FITTED = "not fitted"
"""How tables mark decisions at a threshold that was given."""

NOT_FITTED_THRESHOLD = 0.9
"""The cosine of duplicates where nobody has said one: high, and fitted on nothing."""

_MOST = float(np.finfo(np.float32).max)


def check_threshold(value: float) -> float:
    """The threshold, if a score can be put beside it.

    Raises:
        UsageError: it is no finite number, or beyond those of single precision, in which scores are given.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise invalid("threshold", value, expected="a number, such as 0.7")
    if not math.isfinite(value) or abs(value) > _MOST:
        raise invalid("threshold", float(value), expected="a finite number, such as 0.7")
    return float(value)


def decide(scores: NDArray[np.floating[Any]], threshold: float) -> NDArray[np.bool_]:
    """Which scores reach the threshold, in single precision, as for fitted ones. As many."""
    return np.greater_equal(scores.astype(np.float32), np.float32(threshold))
