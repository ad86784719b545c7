"""Binary codes: Hamming distances and nearest codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, invalid

_WORD = 8


@final
@dataclass(frozen=True, slots=True, eq=False)
class NearestCodes:
    """The nearest codes of each query, nearest first; ties by position.

    Attributes:
        codes: numbers of the codes. Shape [queries, depth], or fewer columns if there are fewer codes.
        distances: Hamming distances. Same shape.
    """

    codes: NDArray[np.int64]
    distances: NDArray[np.uint16]


@final
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
                f"codes of {8 * queries.shape[1]} and of {8 * self._width} bits", fix="make all alike"
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
        >>> codes = tk.encode(["one text", "one text"], bits=256).codes
        >>> tk.hamming(codes[:1], codes[1:]).tolist()
        [[0]]
    """
    return CodeTable(b).distances(a)


def smallest(distances: NDArray[np.uint16], depth: int) -> NDArray[np.int64]:
    """The positions of the ``depth`` smallest distances, in order; ties by position. Shape [depth]."""
    if depth == 0:
        return np.empty(0, dtype=np.int64)
    last = np.partition(distances, depth - 1)[depth - 1]
    near = np.flatnonzero(distances <= last)
    found: NDArray[np.int64] = near[np.argsort(distances[near], kind="stable")][:depth]
    return found


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
        )
