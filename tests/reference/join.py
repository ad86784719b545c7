"""All pairs above a threshold and the nearest of each, by loops over definitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


def product(x: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    return math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))


def cosine(x: NDArray[np.float32], y: NDArray[np.float32]) -> np.float32:
    squares = product(x, x) * product(y, y)
    return np.float32(product(x, y) / math.sqrt(squares)) if squares else np.float32(0)


def pairs_above(
    vectors: Vectors, threshold: float, against: Vectors | None = None
) -> list[tuple[float, int, int]]:
    """Score, row and column, best first."""
    columns = vectors if against is None else against
    found = [
        (float(score), i, j)
        for i, x in enumerate(vectors)
        for j, y in enumerate(columns)
        if (against is not None or i < j) and (score := cosine(x, y)) >= np.float32(threshold)
    ]
    return sorted(found, key=lambda one: (-one[0], *one[1:]))


def nearest(queries: Vectors, documents: Vectors, depth: int, floor: float) -> list[list[int]]:
    """The best documents by inner product for each query, ties going to the first, padded with -1."""
    found = []
    for query in queries:
        scores = [float(np.float32(product(query, document))) for document in documents]
        above = [one for one in range(len(documents)) if scores[one] > floor]
        best = sorted(above, key=lambda one: (-scores[one], one))[:depth]
        found.append(best + [-1] * (depth - len(best)))
    return found


def survivors(
    vectors: Vectors, threshold: float, order: list[int], wanted: Callable[[int, int], bool]
) -> list[tuple[int, float]]:
    """For each row the number of the one that represents it, and their score."""
    stays: list[int] = []
    found = [(row, 1.0) for row in range(len(vectors))]
    for row in order:
        scores = [float(cosine(vectors[row], vectors[other])) for other in stays if wanted(row, other)]
        homes = [other for other in stays if wanted(row, other)]
        near = [pair for pair in zip(homes, scores, strict=True) if pair[1] >= np.float32(threshold)]
        if near:
            found[row] = max(near, key=lambda pair: pair[1])  # of equals the first
        else:
            stays.append(row)
    return found
