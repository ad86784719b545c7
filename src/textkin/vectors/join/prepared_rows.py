"""Vectors prepared for comparison, and the definition of their score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Ints, Ints32
from textkin.base.errors import DataError
from textkin.vectors.join.score_loop_arguments import Arrays

_LARGEST = 1e18  # products of longer vectors would exceed the range of float32
_SMALLEST = 1e-12
_AT_ONCE = 1024

UPWARD = 1 + 2.0**-20
"""A factor that makes a bound in double precision hold after rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Vectors, one per row. The score of rows x and y is x.y / sqrt(square(x) square(y)).

    The product and the division are computed in double precision, then rounded to float32 once. So a score
    depends only on its two rows, not on blocks, threads or the summation order of a matrix product. It is 0
    if a square is 0.

    Attributes:
        values: shape [rows, dim], contiguous.
        squares: squared lengths for cosines, ones for products. Shape [rows].
        scales: 1 / sqrt(square), or 0 if that is 0. Shape [rows].
        sizes: lengths of the rows after scaling, rounded up. Shape [rows].
    """

    values: NDArray[np.float32]
    squares: NDArray[np.float64]
    scales: NDArray[np.float32]
    sizes: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self.values.shape[1])

    @property
    def arrays(self) -> Arrays:
        """The arrays for the loops over scores."""
        return Arrays(self.values, self.squares, self.scales)

    def __getitem__(self, rows: slice | Ints | Ints32) -> Rows:
        return Rows(_fixed(self.values[rows]), self.squares[rows], self.scales[rows], self.sizes[rows])

    def require_width_of(self, other: Rows) -> None:
        """Check that other vectors have as many dimensions.

        Raises:
            DataError: they have more or fewer.
        """
        if self.dim != other.dim:
            told, widths = f"vectors of {self.dim} and of {other.dim} dimensions", (self.dim, other.dim)
            raise DataError(told, fix="give those of one model", value=widths)

    def spread(self, count: int, *, phase: float = 0.0) -> Rows:
        """At most ``count`` evenly spaced rows; ``phase`` (0 to 1) shifts them within their distance."""
        count = min(count, len(self))
        places = (np.arange(count) + phase) * (len(self) / max(count, 1))
        return self[places.astype(np.int64)]


def by_cosine(vectors: NDArray[Any]) -> Rows:
    """Rows whose scores are cosines, for vectors of any length.

    Args:
        vectors: floating-point vectors, compared as float32. Shape [rows, dim].

    Raises:
        DataError: the vectors are not a matrix of finite numbers.
    """
    values = _checked(vectors)
    squares = _squares(values)
    sizes = np.sqrt(squares)
    if ((sizes > _LARGEST) | ((sizes < _SMALLEST) & (sizes > 0))).any():
        # Scaling by a power of two changes no digit of a cosine.
        exponents = np.frexp(np.abs(values).max(axis=1, initial=0))[1]
        values = _fixed(np.ldexp(values, -exponents[:, None]))
        squares = _squares(values)
        sizes = np.sqrt(squares)
    return with_squares(values, squares)


def with_squares(values: NDArray[np.float32], squares: NDArray[np.float64]) -> Rows:
    """Rows from the cached results of :func:`by_cosine`.

    Args:
        values: shape [rows, dim], contiguous.
        squares: shape [rows].
    """
    sizes = np.sqrt(squares)
    scales = np.zeros(len(values), dtype=np.float32)
    np.divide(1, sizes, out=scales, where=sizes > 0, casting="same_kind")
    return Rows(_fixed(values), squares, scales, sizes * scales.astype(np.float64) * UPWARD)


def by_product(vectors: NDArray[Any]) -> Rows:
    """Rows whose scores are inner products.

    Args:
        vectors: floating-point vectors, compared as float32. Shape [rows, dim].

    Raises:
        DataError: the vectors are not a matrix of finite numbers, or are longer than 10^18.
    """
    values = _checked(vectors)
    sizes = np.sqrt(_squares(values))
    if sizes.max(initial=0) > _LARGEST:
        raise DataError(f"a vector is longer than {_LARGEST:g}", fix="bring the vectors to unit length")
    ones = np.ones(len(values))
    return Rows(values, ones, ones.astype(np.float32), sizes * UPWARD)


def _checked(vectors: NDArray[Any]) -> NDArray[np.float32]:
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.floating):
        raise DataError(
            f"vectors of shape {vectors.shape} and type {vectors.dtype}",
            fix="give floating-point numbers, one row a vector",
            value=(vectors.shape, vectors.dtype),
        )
    if len(vectors) > np.iinfo(np.int32).max:
        raise DataError(f"{len(vectors):,} vectors", fix="give less than two billion")
    with np.errstate(over="ignore"):
        return _fixed(np.ascontiguousarray(vectors, dtype=np.float32))


def _fixed(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same numbers, always read-only: each kind of array would compile machine code of its own."""
    view = values.view()
    view.flags.writeable = False
    return view


def _squares(values: NDArray[np.float32]) -> NDArray[np.float64]:
    found = np.empty(len(values))
    for start in range(0, len(values), _AT_ONCE):
        exact = values[start : start + _AT_ONCE].astype(np.float64)
        found[start : start + _AT_ONCE] = np.vecdot(exact, exact)
    broken = np.flatnonzero(~np.isfinite(found))
    if len(broken):
        raise DataError(
            f"vector {broken[0]} (counted from 0) holds a number that is not finite in float32",
            fix="leave it out",
            value=int(broken[0]),
        )
    return found
