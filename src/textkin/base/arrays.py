"""Short names of NumPy arrays, by the type of what they hold; docstrings give the shapes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Bools = NDArray[np.bool_]


def is_new(values: NDArray[Any]) -> Bools:
    """True for each value that differs from the one before, and for the first. Shape [values].

    Example:
        >>> is_new(np.array([3, 3, 1])).tolist()
        [True, False, True]
    """
    found = np.ones(len(values), dtype=np.bool_)
    found[1:] = values[1:] != values[:-1]
    return found
