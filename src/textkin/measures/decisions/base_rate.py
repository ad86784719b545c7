"""Adjust probabilities to a base rate other than that of the training labels.

A model calibrated on pairs of which half mean the same is overconfident in an inbox where one in a thousand
does. If the score distributions of texts with and without a duplicate stay the same, the odds change by the
ratio of the base rates' odds (Bayes' rule).

Source: Saerens, Latinne and Decaestecker, "Adjusting the outputs of a classifier to new a priori
probabilities: a simple procedure" (2002), equation 2.4, and 2.9 for the estimate of a base rate from scores
without labels.
"""

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import invalid

_ROUNDS = 500
_CLOSE = 1e-9
_RESAMPLES = 200


def check_rate(rate: float, name: str = "base_rate") -> None:
    """Refuse what is not a proportion between 0 and 1.

    Raises:
        UsageError: the rate is not between 0 and 1.
    """
    if not 0 < rate < 1:
        raise invalid(name, rate, expected="a number above 0 and below 1, such as 0.01")


def shifted(probabilities: Floats, *, before: float, after: float) -> Floats:
    """Probabilities adjusted to another base rate.

    Args:
        probabilities: shape [texts].
        before: the base rate that they were fitted at, between 0 and 1.
        after: the base rate to adjust to, between 0 and 1.
    """
    for_it = probabilities * (after / before)
    against = (1 - probabilities) * ((1 - after) / (1 - before))
    total = for_it + against
    return np.divide(for_it, total, out=np.zeros_like(total), where=total > 0)


def estimated_rate(probabilities: Floats, *, before: float) -> float:
    """The maximum-likelihood base rate of unlabelled texts, by the EM algorithm.

    Args:
        probabilities: calibrated at the base rate ``before``. Shape [texts], at least 1.
        before: the base rate that they were fitted at, between 0 and 1.
    """
    rate = before
    for _ in range(_ROUNDS):
        found = float(shifted(probabilities, before=before, after=rate).mean())
        found = min(max(found, _CLOSE), 1 - _CLOSE)
        if abs(found - rate) < _CLOSE:
            break
        rate = found
    return rate


def rate_interval(probabilities: Floats, *, before: float, seed: int = 0) -> tuple[float, float, float]:
    """An estimated base rate and its 95 % interval, from resampled texts.

    Args:
        probabilities: as in :func:`estimated_rate`.
        before: as in :func:`estimated_rate`.
        seed: seed of the resamples.
    """
    draws = np.random.default_rng(seed)
    found = [
        estimated_rate(
            probabilities[draws.integers(len(probabilities), size=len(probabilities))], before=before
        )
        for _ in range(_RESAMPLES)
    ]
    low, high = np.quantile(found, [0.025, 0.975])
    value = estimated_rate(probabilities, before=before)
    return value, min(float(low), value), max(float(high), value)
