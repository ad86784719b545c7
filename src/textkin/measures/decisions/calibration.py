"""Turn scores into probabilities: fitted on one set of pairs (dev), applied unchanged to others.

Platt's sigmoid has two parameters and suits small sets; it falls where lower scores mean the same more often.
Isotonic regression follows any rising curve and needs a thousand pairs or more. It never reverses the order
of two pairs, but creates ties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats
from textkin.base.errors import DataError, ModelError
from textkin.base.json_records import restored_by
from textkin.measures.metrics.weighted import check_pairs, same_pairs

_Scores = NDArray[np.floating[Any]]
_NEWTON_STEPS = 100


class Method(StrEnum):
    """Shape of the curve from scores to probabilities."""

    PLATT = "platt"
    ISOTONIC = "isotonic"


@dataclass(frozen=True, slots=True)
class Platt:
    """Probability = 1 / (1 + exp(-(slope * score + intercept)))."""

    slope: float
    intercept: float
    method: Literal["platt"] = "platt"

    def probability(self, scores: _Scores) -> Floats:
        """The probability that each pair is the same, shape [pairs]."""
        from scipy.special import expit

        return np.asarray(expit(self.slope * scores.astype(np.float64) + self.intercept))

    def to_dict(self) -> dict[str, Any]:
        """The curve as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """Linear interpolation between knots, constant beyond the first and the last.

    Attributes:
        scores: increasing.
        probabilities: non-decreasing, as many as ``scores``.
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    method: Literal["isotonic"] = "isotonic"

    def __post_init__(self) -> None:
        require_rising(self.scores, self.probabilities)

    def probability(self, scores: _Scores) -> Floats:
        """The probability that each pair is the same, shape [pairs]."""
        return np.interp(scores.astype(np.float64), self.scores, self.probabilities)

    def to_dict(self) -> dict[str, Any]:
        """The curve as JSON-compatible values."""
        return asdict(self)


Calibration = Platt | Isotonic


def fit_calibration(labels: Floats, scores: _Scores, *, method: Method = Method.ISOTONIC) -> Calibration:
    """Fit probabilities to labels and scores, both of shape [pairs].

    Raises:
        DataError: all labels are equal, or a label or score is invalid.
    """
    exact = scores.astype(np.float64)
    check_pairs(labels, exact)
    same = same_pairs(labels)
    if len(set(same.tolist())) < 2:
        raise DataError(
            f"all {len(same)} pairs have one label; calibration needs both",
            fix="give a file with both labels",
            params=("labels",),
            value=len(same),
        )
    if not np.isfinite(exact).all():
        raise DataError("a score is infinite; it can't be calibrated")
    return _fit_platt(same, exact) if method is Method.PLATT else _fit_isotonic(same, exact)


def calibration_from_dict(values: Mapping[str, Any]) -> Calibration:
    """Read a curve from the result of ``to_dict``.

    Raises:
        ModelError: the values describe neither curve, or a curve that falls.
    """
    try:
        found: Calibration = restored_by("method", {"platt": Platt, "isotonic": Isotonic}, values)
    except ValueError as error:
        raise ModelError(f"a stored calibration can't be read: {error}") from error
    return found


def require_rising(places: Sequence[float], values: Sequence[float]) -> None:
    """Check the knots of a curve: increasing places, as many values, none below the one before.

    Raises:
        ValueError: they are none.
    """
    rising = np.all(np.diff(places) > 0) and np.all(np.diff(values) >= 0)
    if not (rising and len(places) == len(values) > 0):
        raise ValueError("the knots of a curve don't rise, or are none")


def _fit_platt(same: Bools, scores: Floats) -> Platt:
    """Newton's method on the likelihood with Platt's (1999) smoothed targets, which keep it finite."""
    from scipy.special import expit

    positives = int(same.sum())
    negatives = len(same) - positives
    targets = np.where(same, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    centre = float(scores.mean())
    spread = float(scores.std()) if scores.min() < scores.max() else 1.0
    features = np.stack((np.ones(len(scores)), (scores - centre) / spread), axis=1)
    line = np.array([np.log((positives + 1) / (negatives + 1)), 0.0])
    loss = _loss(features @ line, targets)
    for _ in range(_NEWTON_STEPS):
        predicted = expit(features @ line)
        gradient = features.T @ (predicted - targets)
        curvature = (features * (predicted * (1 - predicted))[:, None]).T @ features
        step = np.linalg.solve(curvature + 1e-12 * np.eye(2), gradient)
        while (now := _loss(features @ (line - step), targets)) > loss and np.abs(step).max() > 1e-12:
            step /= 2
        line, gained, loss = line - step, loss - now, now
        if gained <= 1e-12 * len(same):
            break
    slope = float(line[1]) / spread
    return Platt(slope=slope, intercept=float(line[0]) - slope * centre)


def _loss(logits: Floats, targets: Floats) -> float:
    return float(np.sum(np.logaddexp(0.0, logits) - targets * logits))


def _fit_isotonic(same: Bools, scores: Floats) -> Isotonic:
    from scipy.optimize import isotonic_regression

    levels, step, pairs = np.unique(scores, return_inverse=True, return_counts=True)
    shares = np.bincount(step, weights=same) / pairs
    fitted = np.clip(isotonic_regression(shares, weights=pairs).x, 0.0, 1.0)
    # A constant stretch needs only its two ends as knots.
    inner = np.zeros(len(levels), dtype=bool)
    inner[1:-1] = (fitted[1:-1] == fitted[:-2]) & (fitted[1:-1] == fitted[2:])
    return Isotonic(tuple(levels[~inner].tolist()), tuple(fitted[~inner].tolist()))
