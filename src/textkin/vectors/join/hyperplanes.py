"""Random hyperplanes: each bit of a code is the side of one of them that a row is on.

Rows at an angle ``a`` differ in a bit with probability ``a / pi`` (Charikar 2002, "Similarity estimation
techniques from rounding algorithms", section 3), so the fraction of differing bits estimates the angle, and
its cosine the similarity.

A hyperplane's coefficient for a feature is a normal number, derived from the seed and the feature's name by
SHAKE-128. So all machines get the same planes, shingles need no table of features (SimHash), and a short code
is a prefix of a longer one. The SimHash of Manku, Jain and Das Sarma (2007) uses 1 or -1 instead of the
normal number. The few shingles of a short text then often sum to 0, and unrelated texts agree in such bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import shake_128
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from textkin.base.errors import invalid

MOST_BITS = 1 << 14

_LEVELS = 1 << 16  # for the normal numbers: two bytes of the digest each
_ONE = 1 << 12  # their unit: as integers, they have exact sums
_ROWS_AT_ONCE = 8192
_FEATURES_AT_ONCE = 4096


def check_bits(bits: int) -> None:
    """Raise unless codes can have this length.

    Raises:
        UsageError: it is not a multiple of 8 within the range.
    """
    if not 8 <= bits <= MOST_BITS or bits % 8:
        raise invalid("bits", bits, expected=f"a multiple of 8, at most {MOST_BITS:,}")


def planes(names: Iterable[str], *, bits: int, seed: int = 0) -> NDArray[np.int16]:
    """The coefficients of hyperplanes: normal numbers in 4,096ths. Shape [names, bits]."""
    drawn = b"".join(
        shake_128(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest(2 * bits) for name in names
    )
    found: NDArray[np.int16] = _quantiles()[np.frombuffer(drawn, dtype="<u2")].reshape(-1, bits)
    return found


def codes_of_vectors(vectors: NDArray[Any], *, bits: int, seed: int = 0) -> NDArray[np.uint8]:
    """The codes of vectors, whose features are named "0", "1" and so on.

    Args:
        vectors: floating-point vectors, not normalised; a zero vector has a code of zeros. Shape [rows, dim].
        bits: length of a code, a multiple of 8.
        seed: seed of the hyperplanes.

    Returns:
        Eight bits per byte, most significant first. Shape [rows, bits / 8].

    Raises:
        UsageError: codes can't have this length.
    """
    check_bits(bits)
    # In double precision, so that rounding practically never flips a bit.
    table = planes(map(str, range(vectors.shape[1])), bits=bits, seed=seed).astype(np.float64)
    codes = np.empty((len(vectors), bits // 8), dtype=np.uint8)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        codes[part] = np.packbits(vectors[part].astype(np.float64) @ table > 0, axis=1)
    return codes


def codes_of_counts(
    counts: csc_array, names: Sequence[str], *, bits: int, seed: int = 0
) -> NDArray[np.uint8]:
    """The SimHash codes of texts from their shingle counts.

    A text's code depends only on that text, not on the shingles of others.

    Args:
        counts: integers. Shape [texts, names].
        names: the shingles.
        bits: length of a code, a multiple of 8.
        seed: seed of the hyperplanes.

    Returns:
        Codes as of :func:`codes_of_vectors`.

    Raises:
        UsageError: codes can't have this length.
    """
    check_bits(bits)
    sums = np.zeros((counts.shape[0], bits))  # sums of integers, exact in any order
    for start in range(0, len(names), _FEATURES_AT_ONCE):
        part = slice(start, start + _FEATURES_AT_ONCE)
        sums += counts[:, part] @ planes(names[part], bits=bits, seed=seed).astype(np.float64)
    return np.packbits(sums > 0, axis=1)


@lru_cache(maxsize=1)
def _quantiles() -> NDArray[np.int16]:
    """The normal number of each level, increasing."""
    normal = NormalDist()
    upper = [round(normal.inv_cdf((level + 0.5) / _LEVELS) * _ONE) for level in range(_LEVELS // 2, _LEVELS)]
    return np.array([*(-one for one in reversed(upper)), *upper], dtype=np.int16)
