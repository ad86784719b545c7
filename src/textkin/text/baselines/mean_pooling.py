"""Mean pooling of rows for many texts at once."""

import sys

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.text.flat_ids import FlatIds

_FEW = 30_000  # ids summed in less time than loading scipy.sparse takes


def mean_rows(flat: FlatIds, matrix: Floats32) -> Floats32:
    """The mean of the rows of a matrix that each text selects; zero for a text without ids.

    Each text's rows are summed separately and in their own order, so its result doesn't depend on other
    texts. The sum is a sparse matrix of ones times the table or, for few ids, an equivalent loop.

    Args:
        flat: row numbers of ``matrix``.
        matrix: shape [rows, dim].

    Returns:
        Shape [texts, dim].
    """
    lengths = flat.lengths
    few = len(flat.ids) <= _FEW and "scipy.sparse" not in sys.modules
    sums = (_few_sums if few else _sums)(flat, matrix)
    return np.divide(sums, np.maximum(lengths, 1)[:, None], dtype=np.float32)


def _sums(flat: FlatIds, matrix: Floats32) -> Floats32:
    from scipy.sparse import csr_array

    ones = np.ones(len(flat.ids), dtype=np.float32)
    starts = np.concatenate(([0], flat.ends))
    return csr_array((ones, flat.ids, starts), shape=(len(flat.ends), len(matrix))) @ matrix


def _few_sums(flat: FlatIds, matrix: Floats32) -> Floats32:
    sums = np.zeros((len(flat.ends), matrix.shape[1]), dtype=np.float32)
    texts = np.repeat(np.arange(len(flat.ends)), flat.lengths)
    for text, row in zip(texts.tolist(), flat.ids.tolist(), strict=True):
        sums[text] += matrix[row]
    return sums


def unit_rows(vectors: Floats32) -> Floats32:
    """Rows scaled to unit length; zero rows stay zero. Shape [rows, dim]."""
    norms = np.sqrt(np.vecdot(vectors, vectors))[:, None]
    units = np.zeros_like(vectors)
    np.divide(vectors, norms, out=units, where=norms > 0)
    return units


def row_cosines(a: Floats, b: Floats) -> Floats:
    """The cosine of each row of one matrix with that of another, shape [rows]. Lengths don't matter.

    The cosine of two zero vectors is 1, that of a zero vector with any other 0.
    """
    neither = ~a.any(axis=1) & ~b.any(axis=1)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return np.divide(np.vecdot(a, b), lengths, out=np.where(neither, 1.0, 0.0), where=lengths > 0)
