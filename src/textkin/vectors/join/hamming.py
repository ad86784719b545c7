"""Binary codes: Hamming distances, and nearest codes by all bits or by bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, invalid

_WORD = 8


@dataclass(frozen=True, slots=True, eq=False)
class NearestCodes:
    """The nearest codes of each query, nearest first; ties by position.

    Attributes:
        codes: numbers of the codes. Shape [queries, depth], or fewer columns if there are fewer codes.
        distances: Hamming distances. Same shape.
    """

    codes: NDArray[np.int64]
    distances: NDArray[np.uint16]


class CodeTable:
    """Codes prepared for repeated search.

    Args:
        codes: eight bits per byte, as written by ``encode`` with ``bits``. Shape [codes, bytes].

    Raises:
        DataError: the codes have another type or shape.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import CodeTable
        >>> codes = tk.encode(["one text", "another text", "wholly different"], bits=256).codes
        >>> CodeTable(codes).distances(codes[:1]).shape
        (1, 3)
    """

    def __init__(self, codes: NDArray[Any]) -> None:
        self._columns = np.ascontiguousarray(_words(codes).T)
        self._codes, self._width = codes, codes.shape[1]

    def require(self, queries: NDArray[Any]) -> None:
        """Check that queries are codes of the same length.

        Raises:
            DataError: they have another type, shape or length.
        """
        _check(queries)
        if queries.shape[1] != self._width:
            raise DataError(
                f"codes of {8 * queries.shape[1]} and of {8 * self._width} bits",
                fix="make all alike",
                value=(8 * queries.shape[1], 8 * self._width),
            )

    def distances(self, queries: NDArray[Any], some: NDArray[np.int64] | None = None) -> NDArray[np.uint16]:
        """Hamming distances of all queries and codes. Shape [queries, codes].

        Args:
            queries: shape [queries, bytes].
            some: numbers of the codes to compare with; None for all.

        Raises:
            DataError: the queries are not codes of this length.
        """
        self.require(queries)
        words = _words(queries)
        columns = self._columns if some is None else self._columns[:, some]
        found = np.zeros((len(words), columns.shape[1]), dtype=np.uint16)
        for row, query in zip(found, words, strict=True):
            for column, word in zip(columns, query, strict=True):
                row += np.bitwise_count(column ^ word)
        return found

    def nearest(self, queries: NDArray[Any], depth: int) -> NearestCodes:
        """The ``depth`` nearest codes of each query, or all if there are fewer.

        Args:
            queries: shape [queries, bytes].
            depth: at least 1.

        Raises:
            UsageError: the depth is below 1.
            DataError: the queries are not codes of this length.
        """
        if depth < 1:
            raise invalid("depth", depth, expected="at least 1")
        depth = min(depth, self._columns.shape[1])
        numbers = np.empty((len(queries), depth), dtype=np.int64)
        distances = np.empty((len(queries), depth), dtype=np.uint16)
        for row in range(len(queries)):
            found = self.distances(queries[row : row + 1])[0]
            numbers[row] = smallest(found, depth)
            distances[row] = found[numbers[row]]
        return NearestCodes(numbers, distances)


def hamming(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint16]:
    """Hamming distances of all codes of ``a`` and ``b``.

    ``cos(pi * hamming(a, b) / bits)`` estimates the cosines of the encoded vectors.

    Args:
        a: eight bits per byte, as written by ``encode`` with ``bits``. Shape [codes, bytes].
        b: other codes. Shape [others, bytes].

    Returns:
        Shape [codes, others].

    Raises:
        DataError: they are not codes of one length.

    Example:
        >>> import textkin as tk
        >>> from textkin.verbs import hamming
        >>> codes = tk.encode(["one text", "one text"], bits=256).codes
        >>> hamming(codes[:1], codes[1:]).tolist()
        [[0]]
    """
    return CodeTable(b).distances(a)


def smallest(distances: NDArray[np.uint16], depth: int) -> NDArray[np.int64]:
    """The positions of the ``depth`` smallest distances, in order; ties by position. Shape [depth]."""
    if depth == 0:
        return np.empty(0, dtype=np.int64)
    last = np.partition(distances, depth - 1)[depth - 1]
    near = np.flatnonzero(distances <= last)
    return near[np.argsort(distances[near], kind="stable")][:depth]


def _words(codes: NDArray[Any]) -> NDArray[np.uint64]:
    """The codes as 64-bit words, padded with zeros. Shape [codes, words]."""
    _check(codes)
    padded = np.zeros((len(codes), -(-codes.shape[1] // _WORD) * _WORD), dtype=np.uint8)
    padded[:, : codes.shape[1]] = codes
    return padded.view(np.uint64)


def _check(codes: NDArray[Any]) -> None:
    if not isinstance(codes, np.ndarray):
        raise DataError(
            f"codes of type {type(codes).__name__}",
            fix="give a NumPy array of bytes, one row a code, as `encode()` with `bits` writes them",
        )
    if codes.ndim != 2 or codes.dtype != np.uint8 or not codes.shape[1]:
        raise DataError(
            f"codes of shape {codes.shape} and type {codes.dtype}",
            fix="give bytes, one row a code, as `encode()` with `bits` writes them",
            value=(codes.shape, codes.dtype),
        )


_WIDEST = 64  # bits of a band, which fit into one integer
_CODES_AT_ONCE = 1 << 16

NOTHING = -1
"""The number that stands for a code not found."""


@dataclass(frozen=True, slots=True, eq=False)
class BandHits:
    """The nearest codes of each query among those that share a band with it.

    Attributes:
        nearest: the codes; :data:`NOTHING` after the last one, with a distance of one more than the bits.
        compared: number of codes that each query was compared with. Shape [queries].
    """

    nearest: NearestCodes
    compared: NDArray[np.int64]


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
