"""Locality-sensitive hashing of binary codes: codes are compared if they agree in a whole band.

A band is a run of bits. Codes of texts at an angle ``a`` agree in a bit with probability ``1 - a / pi``. Bits
are independent, so codes agree in a band of ``w`` bits with probability ``(1 - a / pi) ** w``. The
probability of agreeing in any of several bands is 1 minus the product of the probabilities of disagreeing in
each (Indyk and Motwani 1998, "Approximate nearest neighbors: towards removing the curse of dimensionality",
section 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid
from textkin.vectors.join.hamming import CodeTable, NearestCodes, smallest

_WIDEST = 64  # bits of a band, which fit into one integer
_CODES_AT_ONCE = 1 << 16

NOTHING = -1
"""The number that stands for a code not found."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class BandHits:
    """The nearest codes of each query among those that share a band with it.

    Attributes:
        nearest: the codes; :data:`NOTHING` after the last one, with a distance of one more than the bits.
        compared: number of codes that each query was compared with. Shape [queries].
    """

    nearest: NearestCodes
    compared: NDArray[np.int64]


@final
class BandTable:
    """A hash table of codes by the bits of each band.

    More bands increase both the recall and the number of comparisons.

    Args:
        codes: eight bits per byte. Shape [codes, bytes].
        bands: number of bands; their widths differ by one bit at most, up to 64 bits.

    Raises:
        UsageError: codes of this length can't have this number of bands.
        DataError: the codes have another type or shape.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import BandTable
        >>> codes = tk.encode(["one text", "another text", "wholly different"], bits=256).codes
        >>> found = BandTable(codes, 32).nearest(codes[:1], 2)
        >>> int(found.nearest.codes[0, 0])
        0
    """

    def __init__(self, codes: NDArray[Any], bands: int) -> None:
        self._exact = CodeTable(codes)
        self._codes = codes
        self.bits = 8 * codes.shape[1]
        self.ends = band_ends(self.bits, bands)
        self._orders: list[NDArray[np.int64]] = []
        self._keys: list[NDArray[np.uint64]] = []
        for keys in _band_keys(codes, self.ends):
            order = np.argsort(keys, kind="stable")
            self._orders.append(order)
            self._keys.append(keys[order])

    def nearest(self, queries: NDArray[Any], depth: int) -> BandHits:
        """The ``depth`` nearest codes of each query that share a band with it; ties by position.

        Args:
            queries: shape [queries, bytes].
            depth: at least 1.

        Raises:
            UsageError: the depth is below 1.
            DataError: the queries are not codes of this length.
        """
        if depth < 1:
            raise invalid("depth", depth, expected="at least 1")
        self._exact.require(queries)
        depth = min(depth, len(self._codes))
        numbers = np.full((len(queries), depth), NOTHING, dtype=np.int64)
        distances = np.full((len(queries), depth), self.bits + 1, dtype=np.uint16)
        compared = np.zeros(len(queries), dtype=np.int64)
        spans = [
            (np.searchsorted(own, keys, "left"), np.searchsorted(own, keys, "right"))
            for own, keys in zip(self._keys, _band_keys(queries, self.ends), strict=True)
        ]
        for row in range(len(queries)):
            shared = [
                order[starts[row] : ends[row]]
                for order, (starts, ends) in zip(self._orders, spans, strict=True)
            ]
            some = np.unique(np.concatenate(shared))
            compared[row] = len(some)
            found = self._exact.distances(queries[row : row + 1], some)[0]
            best = smallest(found, min(depth, len(some)))
            numbers[row, : len(best)] = some[best]
            distances[row, : len(best)] = found[best]
        return BandHits(NearestCodes(numbers, distances), compared)


def band_ends(bits: int, bands: int) -> tuple[int, ...]:
    """The end of each band. Widths differ by one bit at most.

    Raises:
        UsageError: a band would have no bit, or more than 64.
    """
    fewest = -(-bits // _WIDEST)
    if not fewest <= bands <= bits:
        raise invalid("bands", bands, expected=f"{fewest:,} to {bits:,} for {bits:,} bits")
    return tuple(bits * (band + 1) // bands for band in range(bands))


def share_a_band(agreement: NDArray[np.float64], ends: Sequence[int]) -> NDArray[np.float64]:
    """The probability that two codes share at least one band, if their bits are independent.

    Args:
        agreement: probability that a bit agrees. Any shape.
        ends: the result of :func:`band_ends`.

    Returns:
        Probabilities of the same shape.
    """
    apart = np.ones_like(agreement)
    for width in np.diff([0, *ends]):
        apart *= 1 - agreement**width
    return 1 - apart


def chance_at(cosine: float, ends: Sequence[int]) -> float:
    """The probability that the codes of two texts with this cosine share at least one band."""
    agreement = 1 - np.arccos(np.clip(cosine, -1, 1)) / np.pi
    return float(share_a_band(np.array([agreement]), ends)[0])


def recall_of(exact: NearestCodes, found: NearestCodes) -> tuple[int, int]:
    """The number of exact nearest codes that were found, and their total number.

    Codes tied with the last one count as well.
    """
    if not exact.distances.shape[1]:
        return 0, 0
    last = exact.distances[:, -1:]
    return int(np.count_nonzero(found.distances <= last)), exact.distances.size


def _band_keys(codes: NDArray[Any], ends: Sequence[int]) -> list[NDArray[np.uint64]]:
    """The bits of each band as one integer per code."""
    keys = [np.zeros(len(codes), dtype=np.uint64) for _ in ends]
    for first in range(0, len(codes), _CODES_AT_ONCE):
        part = slice(first, first + _CODES_AT_ONCE)
        bits = np.unpackbits(codes[part], axis=1)
        start = 0
        for own, end in zip(keys, ends, strict=True):
            for column in range(start, end):
                own[part] = (own[part] << np.uint64(1)) | bits[:, column]
            start = end
    return keys
