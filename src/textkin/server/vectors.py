"""Vectors as clients ask for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.scorers.pooling import unit_rows
from textkin.server.problems import RequestError

Floats = NDArray[np.float32]


def shortened(vectors: Floats, dimensions: int | None) -> Floats:
    """The first dimensions of vectors, at unit length again; all of them if None.

    Raises:
        RequestError: there are not so many.
    """
    if dimensions is None or dimensions == vectors.shape[1]:
        return vectors
    if not 1 <= dimensions < vectors.shape[1]:
        raise RequestError(
            f"dimensions is {dimensions}", fix=f"give 1 to {vectors.shape[1]}", param="dimensions"
        )
    return unit_rows(np.ascontiguousarray(vectors[:, :dimensions]))


def relevance(scores: Floats, *, is_cosine: bool) -> Floats:
    """Scores as numbers from 0 to 1 in the same order: cosines are moved there, logits by the logistic."""
    wide = scores.astype(np.float64)
    found = (1 + wide) / 2 if is_cosine else 1 / (1 + np.exp(-np.clip(wide, -60, 60)))
    return np.clip(found, 0, 1).astype(np.float32)
