"""What is risked by answering more and more questions, the surest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight

_Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """How wrong the answers are when only the surest questions are answered.

    Attributes:
        coverage: proportion of the questions that are answered, rising to 1. Shape [points].
        risk: the mean loss of these. Shape [points].
        area: the mean of the risk over all numbers of answered questions; lower is better.
    """

    coverage: _Floats
    risk: _Floats
    area: float


def risk_coverage(losses: _Floats, confidence: _Floats) -> RiskCoverage:
    """The risk of answering, by how many questions are answered.

    Questions of one confidence are answered together, so the curve has a point for each distinct one; in the
    area each of them counts with the risk of all. Source: El-Yaniv and Wiener, "On the foundations of
    noise-free selective classification" (2010).

    Args:
        losses: from 0, right, to 1, wrong. Shape [questions].
        confidence: higher is answered earlier. Shape [questions].

    Raises:
        DataError: the shapes differ, there are no questions, or a number is not finite.
    """
    if losses.shape != confidence.shape or losses.ndim != 1 or not len(losses):
        raise DataError(f"losses of shape {losses.shape} and confidences of shape {confidence.shape}")
    if not (np.isfinite(losses).all() and np.isfinite(confidence).all()):
        raise DataError("a loss or a confidence is no finite number")
    order, first = _points(confidence)
    answered = np.append(first[1:], len(losses))
    risk = np.cumsum(losses[order])[answered - 1] / answered
    area = float(risk_area_by_weight(losses, confidence)(np.ones((len(losses), 1)))[0])
    return RiskCoverage(answered / len(losses), risk, area)


def risk_area_by_weight(losses: _Floats, confidence: _Floats) -> ByWeight:
    """The area of :func:`risk_coverage` as a function of the questions' weights."""
    order, first = _points(confidence)

    def area(weights: _Floats) -> _Floats:
        sizes = np.add.reduceat(weights[order], first, axis=0)
        lost = np.add.reduceat(losses[order, None] * weights[order], first, axis=0)
        answered = np.cumsum(sizes, axis=0)
        # Where no question that was drawn is answered yet, nothing is risked, and the size is 0 too.
        risk = np.cumsum(lost, axis=0) / np.maximum(answered, 1e-300)
        return np.asarray((risk * sizes).sum(axis=0) / answered[-1])

    return area


def _points(confidence: _Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order of falling confidence, and where each distinct one begins in it."""
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    return order, np.flatnonzero(np.concatenate(([True], falling[1:] != falling[:-1])))
