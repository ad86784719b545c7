"""Risk of answering an increasing proportion of questions, most confident first."""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints, is_new
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight


@dataclass(frozen=True, slots=True, eq=False)
class RiskCoverage:
    """Risk-coverage curve: the error rate when only the most confident questions are answered.

    Attributes:
        coverage: proportion of answered questions, rising to 1. Shape [points].
        risk: mean loss of the answered questions. Shape [points].
        area: mean risk over all numbers of answered questions; lower is better.
    """

    coverage: Floats
    risk: Floats
    area: float


def risk_coverage(losses: Floats, confidence: Floats) -> RiskCoverage:
    """The risk of answering as a function of coverage.

    Questions of equal confidence are answered together, so the curve has one point for each distinct value.
    In the area, each of them counts with their common risk. Source: El-Yaniv and Wiener, "On the foundations
    of noise-free selective classification" (2010).

    Args:
        losses: from 0 (correct) to 1 (wrong). Shape [questions].
        confidence: higher values are answered first. Shape [questions].

    Raises:
        DataError: the shapes differ, there are no questions, or a number is not finite.
    """
    if losses.shape != confidence.shape or losses.ndim != 1 or not len(losses):
        raise DataError(f"losses of shape {losses.shape} and confidences of shape {confidence.shape}")
    if not (np.isfinite(losses).all() and np.isfinite(confidence).all()):
        raise DataError("a loss or a confidence is not a finite number")
    order, first = _points(confidence)
    answered = np.append(first[1:], len(losses))
    risk = np.cumsum(losses[order])[answered - 1] / answered
    area = float(risk_area_by_weight(losses, confidence)(np.ones((len(losses), 1)))[0])
    return RiskCoverage(answered / len(losses), risk, area)


def risk_area_by_weight(losses: Floats, confidence: Floats) -> ByWeight:
    """The area of :func:`risk_coverage` as a function of the questions' weights."""
    order, first = _points(confidence)

    def area(weights: Floats) -> Floats:
        sizes = np.add.reduceat(weights[order], first, axis=0)
        lost = np.add.reduceat(losses[order, None] * weights[order], first, axis=0)
        answered = np.cumsum(sizes, axis=0)
        # If no drawn question is answered yet, the risk is 0, and so is the weight of the step.
        risk = np.cumsum(lost, axis=0) / np.maximum(answered, 1e-300)
        return np.asarray((risk * sizes).sum(axis=0) / answered[-1])

    return area


def _points(confidence: Floats) -> tuple[Ints, Ints]:
    """The order of decreasing confidence, and the first position of each distinct value."""
    order = np.argsort(-confidence, kind="stable")
    return order, np.flatnonzero(is_new(confidence[order]))
