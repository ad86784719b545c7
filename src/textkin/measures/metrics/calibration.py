"""Calibration metrics of probabilities."""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.metrics.weighted import check_pairs, same_pairs


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of similar probability.

    Attributes:
        low: the smallest probability in it.
        high: the largest probability in it.
        predicted: mean predicted probability.
        observed: proportion of positive pairs.
        pairs: number of pairs.
    """

    low: float
    high: float
    predicted: float
    observed: float
    pairs: int


def brier(labels: Floats, probabilities: Floats) -> float:
    """Mean squared error of the probabilities; 0 is perfect, lower is better. Both of shape [pairs]."""
    _check(labels, probabilities)
    return float(np.mean((probabilities - labels) ** 2))


def reliability(labels: Floats, probabilities: Floats, *, bins: int = 10) -> tuple[Bin, ...]:
    """Compare predicted probabilities with observed proportions, in bins of equal numbers of pairs.

    Equal probabilities always share a bin, so bins can differ in size, and empty ones are dropped.
    """
    _check(labels, probabilities)
    number = _bin_numbers(probabilities, bins)
    found = []
    for index in range(bins):
        inside = probabilities[number == index]
        if len(inside):
            observed = float(labels[number == index].mean())
            ends = float(inside.min()), float(inside.max())
            found.append(Bin(*ends, float(inside.mean()), observed, len(inside)))
    return tuple(found)


def expected_calibration_error(labels: Floats, probabilities: Floats, *, bins: int = 10) -> float:
    """Mean difference between predicted and observed proportions, weighted by the size of the bins."""
    found = reliability(labels, probabilities, bins=bins)
    return sum(one.pairs * abs(one.predicted - one.observed) for one in found) / len(labels)


def calibration_error_by_weight(labels: Floats, probabilities: Floats, *, bins: int = 10) -> ByWeight:
    """:func:`expected_calibration_error` by weight, with the bins of all pairs."""
    _check(labels, probabilities)
    inside = _bin_numbers(probabilities, bins) == np.arange(bins)[:, None]
    off = inside * (probabilities - labels)
    return lambda weights: np.asarray(np.abs(off @ weights).sum(axis=0) / weights.sum(axis=0))


def _bin_numbers(probabilities: Floats, bins: int) -> Ints:
    """The bin of each probability, from 0; shape [pairs]."""
    # Each value belongs to the bin of the first value equal to it.
    rising = np.sort(probabilities)
    return np.searchsorted(rising, probabilities, side="left") * bins // len(rising)


def _check(labels: Floats, probabilities: Floats) -> None:
    check_pairs(labels, probabilities)
    same_pairs(labels)
    if not len(labels):
        raise DataError("there are no pairs to compare probabilities with")
    if not bool(np.all((probabilities >= 0) & (probabilities <= 1))):
        raise DataError("a probability is not between 0 and 1", fix="calibrate the scores first")
