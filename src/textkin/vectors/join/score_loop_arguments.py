"""Arguments of the compiled loops over scores."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.int16] | NDArray[np.int32]
"""Floats read as integers of the same width; both have the same order for non-negative values."""


class Arrays(NamedTuple):
    """The fields of ``prepared_rows.Rows`` for compiled code."""

    values: NDArray[np.float32]
    squares: NDArray[np.float64]
    scales: NDArray[np.float32]


class Limits(NamedTuple):
    """Minimum values for the pairs of each row.

    Attributes:
        least: for the numbers of a tile. Shape [rows].
        near: for the score in single precision. Shape [rows].
        score: for the score. Shape [rows].
    """

    least: Bits
    near: NDArray[np.float32]
    score: NDArray[np.float32]


class Best(NamedTuple):
    """The best columns found so far for some rows.

    Attributes:
        scores: decreasing; minus infinity for empty positions. Shape [rows, depth].
        columns: -1 for empty positions. Shape [rows, depth].
        floor: only higher scores count. Shape [rows].
    """

    scores: NDArray[np.float32]
    columns: NDArray[np.int64]
    floor: NDArray[np.float32]
