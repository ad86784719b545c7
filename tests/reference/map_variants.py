"""Metrics that papers print as MAP, and SemEval's, as loops over lists of (relevant, score)."""

from __future__ import annotations

import math
from itertools import permutations

Rows = list[tuple[bool, float]]


def mapk(lists: list[Rows]) -> float:
    values = []
    for rows in lists:
        ranked = sorted(rows, key=lambda row: row[1], reverse=True)  # keeps the order of equal ones
        parts = [1 / rank for rank, (relevant, _) in enumerate(ranked, 1) if relevant]
        if parts:
            values.append(sum(parts) / len(parts))
    return sum(values) / len(values) if values else 0.0


def average_precision(relevant: list[bool]) -> float:
    parts = [sum(relevant[:rank]) / rank for rank in range(1, len(relevant) + 1) if relevant[rank - 1]]
    return sum(parts) / len(parts) if parts else 0.0


def shuffled(rows: Rows) -> float:
    """The mean over all orders of the rows."""
    values = [
        average_precision([relevant for relevant, _ in sorted(order, key=lambda row: -row[1])])
        for order in permutations(rows)
    ]
    return math.fsum(values) / len(values)


def optimistic(lists: list[Rows]) -> float:
    values = []
    for rows in lists:
        right = [score for relevant, score in rows if relevant]
        if not right:
            continue
        parts: list[float] = []
        for place, score in enumerate(sorted((score for _, score in rows), reverse=True)):
            if score in right:
                parts.append((1 + len(parts)) / (place + 1))
        values.append(sum(parts) / len(parts))
    return sum(values) / len(values) if values else 0.0


def average_recall(ranked: list[list[bool]], depth: int = 10) -> float:
    """Hits of all queries down to each depth, relative to those of the best order of each."""
    parts = []
    for deep in range(1, depth + 1):
        most = sum(min(deep, sum(relevant)) for relevant in ranked)
        parts.append(sum(sum(relevant[:deep]) for relevant in ranked) / most if most else 0.0)
    return sum(parts) / depth


def accuracy(lists: list[Rows], least: float) -> float:
    rows = [row for each in lists for row in each]
    return sum((score >= least) == relevant for relevant, score in rows) / len(rows)
