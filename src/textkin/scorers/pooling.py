"""The mean of the rows that each text names, for many texts at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def mean_rows(ids: Sequence[NDArray[np.int32]], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of ``matrix[row]`` for each row of ids; zero where it is empty.

    A sparse matrix of ones times the table: each row is summed alone and in its own order, so that its bits
    don't depend on the others.

    Args:
        ids: row numbers of ``matrix``, one array a text.
        matrix: shape [rows, dim].

    Returns:
        Shape [texts, dim].
    """
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    columns = np.concatenate([np.empty(0, dtype=np.int32), *ids])
    ones = np.ones(len(columns), dtype=np.float32)
    sums = csr_array((ones, columns, ends), shape=(len(ids), len(matrix))) @ matrix
    return np.divide(sums, np.maximum(lengths, 1)[:, None], dtype=np.float32)


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows brought to unit length; a zero row stays zero. Shape [rows, dim]."""
    norms = np.sqrt(np.vecdot(vectors, vectors))[:, None]
    units = np.zeros_like(vectors)
    np.divide(vectors, norms, out=units, where=norms > 0)
    return units
