"""Metrics of decisions between classes, counted pair by pair."""

from __future__ import annotations

from collections.abc import Sequence


def accuracy(labels: Sequence[float], decided: Sequence[float]) -> float:
    return sum(label == given for label, given in zip(labels, decided, strict=True)) / len(labels)


def f1(labels: Sequence[float], decided: Sequence[float], number: float) -> float:
    """The F1 of one class that some pair has or was given."""
    pairs = list(zip(labels, decided, strict=True))
    right = sum(label == given == number for label, given in pairs)
    missed = sum(label == number != given for label, given in pairs)
    wrong = sum(label != number == given for label, given in pairs)
    return 2 * right / (2 * right + missed + wrong)


def macro_f1(labels: Sequence[float], decided: Sequence[float]) -> float:
    seen = set(labels) | set(decided)
    return sum(f1(labels, decided, number) for number in seen) / len(seen)
