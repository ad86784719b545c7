"""Vectors quantised to one byte per number, with bounds on the error.

They need a quarter of the memory, and integer products run many times faster than the vectors themselves can
be read. A proven error bound leaves few rows to check exactly, and misses none.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textkin.vectors.join.prepared_rows import UPWARD, Rows

_MOST = 127
_FINEST = 16_383
_LARGEST_SUM = 2**31 - 1
_AT_ONCE = 8192


@dataclass(frozen=True, slots=True, eq=False)
class ByteCodes:
    """Unit rows u, approximated by step * code with a bound on the length of the difference.

    For a unit query y with its own step', code' and error', the cosine u.y is at most step step' (code.code')
    + error + error' (1 + error), by Cauchy and Schwarz.

    Attributes:
        codes: shape [rows, dim].
        steps: shape [rows].
        errors: error bounds, rounded up. Shape [rows].
    """

    codes: NDArray[np.int8]
    steps: NDArray[np.float32]
    errors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class QueryCodes:
    """Quantised queries, with finer codes since there are few.

    Attributes:
        codes: shape [queries, dim].
        steps: shape [queries].
        errors: error bounds, rounded up. Shape [queries].
    """

    codes: NDArray[np.int16]
    steps: NDArray[np.float64]
    errors: NDArray[np.float64]


def byte_codes(rows: Rows) -> ByteCodes:
    """The codes of vectors, computed in batches of thousands."""
    codes = np.empty(rows.values.shape, dtype=np.int8)
    steps, errors = np.empty((2, len(rows)), dtype=np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        units = _units(rows[part])
        step = (np.abs(units).max(axis=1, initial=0) / _MOST).astype(np.float32)
        exact = np.where(step > 0, step, 1).astype(np.float64)
        code = np.clip(np.rint(units / exact[:, None]), -_MOST, _MOST)
        codes[part], steps[part] = code.astype(np.int8), step
        away = np.sqrt(np.square(units - code * step.astype(np.float64)[:, None]).sum(axis=1))
        errors[part] = np.nextafter((away * UPWARD).astype(np.float32), np.float32(np.inf))
    return ByteCodes(codes, steps, errors)


def query_codes(rows: Rows) -> QueryCodes:
    """The codes of queries, as fine as 32-bit sums allow."""
    finest = min(_FINEST, _LARGEST_SUM // (_MOST * max(rows.dim, 1)))
    units = _units(rows)
    steps = np.abs(units).max(axis=1, initial=0) / finest
    codes = np.clip(np.rint(units / np.where(steps > 0, steps, 1)[:, None]), -finest, finest)
    errors = np.sqrt(np.square(units - codes * steps[:, None]).sum(axis=1)) * UPWARD
    return QueryCodes(codes.astype(np.int16), steps, errors)


def _units(rows: Rows) -> NDArray[np.float64]:
    """The rows scaled to unit length; zero rows stay zero."""
    lengths = np.sqrt(rows.squares)
    return rows.values / np.where(lengths > 0, lengths, 1)[:, None]
