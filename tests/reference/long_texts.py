"""Alignments of the windows of two texts, tried one by one."""

import math


def best_way(a: list[list[float]], b: list[list[float]]) -> float:
    """The highest minimum cosine of all alignments that skip no window, in order."""
    return max(min(_cosine(a[i], b[j]) for i, j in way) for way in _ways(len(a) - 1, len(b) - 1))


def _ways(i: int, j: int) -> list[list[tuple[int, int]]]:
    if i == j == 0:
        return [[(0, 0)]]
    steps = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
    return [[*way, (i, j)] for x, y in steps if x >= 0 and y >= 0 for way in _ways(x, y)]


def _cosine(x: list[float], y: list[float]) -> float:
    norm = math.hypot(*x) * math.hypot(*y)
    return sum(p * q for p, q in zip(x, y, strict=True)) / norm if norm else 0.0
