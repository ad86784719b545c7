"""Attention and interaction matrices by their definitions, in loops over tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence

Vector = Sequence[float]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def dots(rows: Sequence[Vector], columns: Sequence[Vector]) -> list[list[float]]:
    return [[dot(row, column) for column in columns] for row in rows]


def cosines(rows: Sequence[Vector], columns: Sequence[Vector]) -> list[list[float]]:
    return [[dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) for b in columns] for a in rows]


def softmax(scores: Vector) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def turned(matrix: Sequence[Vector]) -> list[list[float]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def flow(w: Vector, context: Sequence[Vector], question: Sequence[Vector]) -> list[list[float]]:
    """BiDAF's similarities, w . [h; u; h * u], a row for each token of the context."""

    def similarity(h: Vector, u: Vector) -> float:
        return dot(w, [*h, *u, *(x * y for x, y in zip(h, u, strict=True))])

    return [[similarity(h, u) for u in question] for h in context]
