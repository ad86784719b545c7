"""What loops over scores are given, as machine code takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.int16] | NDArray[np.int32]
"""Floating-point numbers read as integers of the same width; from zero on both have the same order."""


class Arrays(NamedTuple):
    """The fields of ``prepared_rows.Rows``, as machine code takes them."""

    values: NDArray[np.float32]
    squares: NDArray[np.float64]
    scales: NDArray[np.float32]


class Limits(NamedTuple):
    """What the pairs of each row must reach.

    Attributes:
        least: by a tile's numbers. Shape [rows].
        near: by the score in single precision. Shape [rows].
        score: by the score. Shape [rows].
    """

    least: Bits
    near: NDArray[np.float32]
    score: NDArray[np.float32]


class Best(NamedTuple):
    """The best columns found so far of some rows.

    Attributes:
        scores: falling; minus infinity where there is none. Shape [rows, depth].
        columns: -1 where there is none. Shape [rows, depth].
        floor: only scores above it count. Shape [rows].
    """

    scores: NDArray[np.float32]
    columns: NDArray[np.int64]
    floor: NDArray[np.float32]
