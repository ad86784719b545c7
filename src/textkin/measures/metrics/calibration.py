"""Calibration metrics of probabilities."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.metrics.weighted import check_pairs, same_pairs

_Floats = NDArray[np.float64]


class Binning(StrEnum):
    """Method of binning probabilities."""

    MASS = "mass"  # bins with equal numbers of pairs
    WIDTH = "width"  # bins of equal width from 0 to 1


@dataclass(frozen=True, slots=True)
class Bin:
    """Pairs of similar probability.

    Attributes:
        low: the smallest probability in it (MASS) or its lower edge (WIDTH).
        high: the largest probability in it (MASS) or its upper edge (WIDTH).
        predicted: mean predicted probability.
        observed: proportion of positive pairs.
        pairs: number of pairs.
    """

    low: float
    high: float
    predicted: float
    observed: float
    pairs: int


def brier(labels: _Floats, probabilities: _Floats) -> float:
    """Mean squared error of the probabilities; 0 is perfect, lower is better. Both of shape [pairs]."""
    _check(labels, probabilities)
    return float(np.mean((probabilities - labels) ** 2))


def reliability(
    labels: _Floats, probabilities: _Floats, *, bins: int = 10, binning: Binning = Binning.MASS
) -> tuple[Bin, ...]:
    """Compare predicted probabilities with observed proportions, bin by bin. Empty bins are dropped.

    Equal probabilities always share a bin, so MASS bins can differ in size if there are ties.
    """
    _check(labels, probabilities)
    number = _bin_numbers(probabilities, bins, binning)
    wide = binning is Binning.WIDTH
    edges = [(index / bins, (index + 1) / bins) for index in range(bins)] if wide else []
    found = []
    for index in range(bins):
        inside = probabilities[number == index]
        if len(inside):
            low, high = edges[index] if edges else (float(inside.min()), float(inside.max()))
            observed = float(labels[number == index].mean())
            found.append(Bin(low, high, float(inside.mean()), observed, len(inside)))
    return tuple(found)


def expected_calibration_error(
    labels: _Floats, probabilities: _Floats, *, bins: int = 10, binning: Binning = Binning.MASS
) -> float:
    """Mean difference between predicted and observed proportions, weighted by the size of the bins."""
    found = reliability(labels, probabilities, bins=bins, binning=binning)
    return sum(one.pairs * abs(one.predicted - one.observed) for one in found) / len(labels)


def calibration_error_by_weight(
    labels: _Floats, probabilities: _Floats, *, bins: int = 10, binning: Binning = Binning.MASS
) -> ByWeight:
    """:func:`expected_calibration_error` by weight, with the bins of all pairs."""
    _check(labels, probabilities)
    inside = _bin_numbers(probabilities, bins, binning) == np.arange(bins)[:, None]
    off = inside * (probabilities - labels)
    return lambda weights: np.asarray(np.abs(off @ weights).sum(axis=0) / weights.sum(axis=0))


def _bin_numbers(probabilities: _Floats, bins: int, binning: Binning) -> NDArray[np.int64]:
    """The bin of each probability, from 0; shape [pairs]."""
    if binning is Binning.WIDTH:
        return np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    # Each value belongs to the bin of the first value equal to it.
    rising = np.sort(probabilities)
    found: NDArray[np.int64] = np.searchsorted(rising, probabilities, side="left") * bins // len(rising)
    return found


def _check(labels: _Floats, probabilities: _Floats) -> None:
    check_pairs(labels, probabilities)
    same_pairs(labels)
    if not len(labels):
        raise DataError("there are no pairs to compare probabilities with")
    if not bool(np.all((probabilities >= 0) & (probabilities <= 1))):
        raise DataError("a probability is not between 0 and 1", fix="calibrate the scores first")
