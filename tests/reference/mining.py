"""Duplicate mining by its definition: walk down the candidates, best first."""

from __future__ import annotations


def walked(scores: list[float], same: list[bool], gold: int) -> tuple[float, float, float]:
    """AP, the best F1 and its threshold.

    Args:
        scores: scores of the found candidates.
        same: a mask of gold pairs.
        gold: the number of gold pairs, found or not.
    """
    ordered = sorted(zip(scores, same, strict=True), key=lambda one: -one[0])
    area = best = threshold = 0.0
    taken = found = 0
    levels = sorted(set(scores), reverse=True)
    for place, level in enumerate(levels):
        step = [is_same for score, is_same in ordered if score == level]
        taken, found = taken + len(step), found + sum(step)
        area += sum(step) * found / taken
        f1 = 2 * found / (taken + gold)
        if f1 > best:
            below = levels[min(place + 1, len(levels) - 1)]
            best, threshold = f1, (level + below) / 2
    return area / gold, best, threshold
