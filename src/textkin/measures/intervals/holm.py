"""Correction for making several comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """P values that may be compared with the level as if each were the only one; input order, shape [tests].

    Holm (1979): the smallest is multiplied by the number of tests, the next by one less, and so on; never
    falling in that order and never above 1. Controls the chance of any false claim whatever the tests'
    dependence.
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted
