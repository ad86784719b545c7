"""Short rows whose inner products bound the scores of whole ones from above, up to a proven slack.

Rotate all rows by one orthogonal matrix that concentrates their length in the first coordinates: the
eigenvectors of the sum of x x'. Keep the first coordinates a, and the length n of the rest as one more. By
Cauchy and Schwarz, x.y <= a.b + n m. The rows may then be rounded to bfloat16, which a processor with matrix
instructions multiplies several times as fast.

The slack has these terms, for rows with true coordinates w and z, stored as W and Z:

- |w.z - W.Z| <= |w - W| |z| + |W| |z - Z|. The distance of W from the computed coordinates of w is measured,
  row by row. The error of computing them is added: each is a sum of d products in single precision, whose
  error is at most g(d) times the lengths of both vectors, g(d) = d u / (1 - d u), u = 2^-24, in any order of
  summation (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
- The computed rotation T is not exactly orthogonal: |x.y - (xT).(yT)| <= |T T' - 1| |x| |y|, measured in
  double precision.
- The product sums exact products in single precision: at most 2 g(width) |W| |Z|, where the factor 2 covers
  processors that deviate from IEEE 754 rounding. Rounding a sum to bfloat16 afterwards preserves its order
  relative to a bound that was rounded down.
- Scores, and the limits derived from them, are rounded to float32: 4 u |x| |y|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textkin.vectors.join.bfloat16 import Halves, rounded, widened
from textkin.vectors.join.prepared_rows import Rows

_UNIT = 2.0**-24
_SAMPLE = 4096
_AT_ONCE = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """An approximately orthogonal matrix.

    Attributes:
        matrix: columns by decreasing fraction of the rows' length. Shape [dim, dim].
        drift: norm of T T' - 1.
    """

    matrix: NDArray[np.float32]
    drift: float


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """Short rows with their error bounds.

    Attributes:
        table: float32, or bfloat16 as bits. Shape [rows, width].
        errors: maximum distance of each short row from the true one. Shape [rows].
        lengths: lengths of the short rows. Shape [rows].
        sizes: lengths of the whole rows, 1 for cosines. Shape [rows].
        drift: drift of the rotation; 0 without one.
    """

    table: NDArray[np.float32] | Halves
    errors: NDArray[np.float64]
    lengths: NDArray[np.float64]
    sizes: NDArray[np.float64]
    drift: float

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> Sketch:
        return Sketch(self.table[rows], self.errors[rows], self.lengths[rows], self.sizes[rows], self.drift)

    def slack(self, other: Sketch) -> NDArray[np.float64]:
        """The maximum amount by which a product may be below the score.

        For each row here, over all rows of ``other``. Shape [rows].
        """
        length, error = other.lengths.max(initial=0), other.errors.max(initial=0)
        rounded = self.errors * (length + error) + self.lengths * error
        summed = 2 * _sum_error(self.table.shape[1]) * self.lengths * length
        turned = self.drift * self.sizes * other.sizes.max(initial=0)
        score = 4 * _UNIT * self.sizes * other.sizes.max(initial=0)
        return rounded + summed + turned + score


def near_slack(left: Rows, right: Rows) -> NDArray[np.float64]:
    """The maximum amount by which a single-precision score may be too low. Shape [rows]."""
    return _sum_error(left.dim + 8) * left.sizes * right.sizes.max(initial=0)


def rotation_for(sides: Sequence[Rows]) -> Rotation:
    """The rotation that puts the largest part of these rows first, from a sample of them."""
    sample = [side.spread(_SAMPLE) for side in sides]
    units = np.concatenate([rows.values * rows.scales[:, None] for rows in sample])
    matrix = np.linalg.eigh(units.T @ units)[1][:, ::-1]
    exact = matrix.astype(np.float64)
    drift = float(np.linalg.norm(exact @ exact.T - np.eye(len(exact))))
    return Rotation(np.ascontiguousarray(matrix), drift)


def sketch(rows: Rows, width: int, rotation: Rotation | None, *, bf16: bool) -> Sketch:
    """Short rows that include the length of the rest; whole rows without a rotation.

    Args:
        rows: shape [rows, dim].
        width: at most dim; exactly dim without a rotation.
        rotation: rotation of all rows to compare.
        bf16: True to round to bfloat16.
    """
    table = np.empty((len(rows), width), dtype=np.int16 if bf16 else np.float32)
    errors, lengths = np.empty((2, len(rows)))
    for start in range(0, len(rows), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        coordinates, cost = _coordinates(rows[part], width, rotation)
        table[part] = rounded(coordinates) if bf16 else coordinates
        kept = widened(table[part]) if bf16 else coordinates
        errors[part] = _norms(kept - coordinates) + cost * rows.sizes[part]
        lengths[part] = _norms(kept)
    return Sketch(table, errors, lengths, rows.sizes, 0.0 if rotation is None else rotation.drift)


def _coordinates(rows: Rows, width: int, rotation: Rotation | None) -> tuple[NDArray[np.float32], float]:
    """The rows' coordinates in float32, and their maximum error for a row of length 1."""
    scaled = rows.values * rows.scales[:, None]
    if rotation is None:
        return scaled, 4 * _UNIT
    front = scaled @ rotation.matrix[:, : width - 1]
    cost = (_sum_error(rows.dim) + 4 * _UNIT) * np.sqrt(width) * (1 + rotation.drift)
    shortest = np.maximum(_norms(front) - cost * rows.sizes, 0)
    rest = np.sqrt(np.maximum((1 + rotation.drift) * rows.sizes**2 - shortest**2, 0))
    upward = np.nextafter(rest.astype(np.float32), np.float32(np.inf))
    return np.column_stack((front, upward)), float(cost)


def _norms(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    exact = vectors.astype(np.float64)
    return np.sqrt(np.vecdot(exact, exact))


def _sum_error(terms: int) -> float:
    """The error of a sum of products in single precision, for vectors of length 1."""
    return terms * _UNIT / (1 - terms * _UNIT)
