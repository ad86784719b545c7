"""What is risked by answering more and more questions, the surest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError

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
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    answered = last + 1
    risk = np.cumsum(losses[order])[last] / answered
    sizes = np.diff(np.concatenate(([0], answered)))
    return RiskCoverage(answered / len(losses), risk, float(risk @ sizes) / len(losses))
