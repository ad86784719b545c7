"""Stratified estimates of proportions with intervals, and the allocation of samples.

Sources: Zou, Huang and Zhang, "A note on confidence interval estimation for a linear function of binomial
proportions", Computational Statistics and Data Analysis 53 (2009), for combining the limits of the strata by
squared distances; Donner and Zou, "Closed-form confidence intervals for functions of the normal mean and
standard deviation", Statistical Methods in Medical Research 21 (2012), for ratios; Clopper and Pearson's
limits (``standard_errors.py``) for each stratum, since Wilson's are inaccurate for small samples near 1;
Cochran, "Sampling Techniques" (1977), for large sampling fractions, and for Neyman's allocation.
"""

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.standard_errors import exact

_SLACK = 1e-9  # counts are integers up to rounding


def stratified_share(yes: Ints, judged: Ints, sizes: Ints, *, confidence: float = 0.95) -> Interval | None:
    """Estimate the proportion of positives in a population from random samples of its strata.

    Args:
        yes: number of positives in each sample. Shape [strata].
        judged: size of each sample. Shape [strata].
        sizes: size of each stratum. Shape [strata].
        confidence: coverage probability of the interval.

    Returns:
        The estimate with its interval; None for an empty population, or if a stratum has no sample.

    Raises:
        DataError: a sample has more positives than members, or more members than its stratum.
    """
    if not _known(yes, judged, sizes):
        return None
    value, low, high = _total(*_counts(yes, judged, sizes, confidence))
    whole = int(sizes.sum())
    return Interval(value / whole, max(low / whole, 0.0), min(high / whole, 1.0), int(judged.sum()))


def stratified_part(yes: Ints, judged: Ints, sizes: Ints, inside: Bools) -> Interval | None:
    """Estimate the proportion of all positives that lie in some of the strata.

    Args:
        yes: number of positives in each sample. Shape [strata].
        judged: size of each sample. Shape [strata].
        sizes: size of each stratum. Shape [strata].
        inside: True for the selected strata. Shape [strata].

    Returns:
        The estimate with its interval; None if there are no positives, or if a stratum has no sample.

    Raises:
        DataError: as :func:`stratified_share`.
    """
    if not _known(yes, judged, sizes) or not yes.any():
        return None
    parts = _counts(yes, judged, sizes, 0.95)
    here, here_low, here_high = _total(*(figures[inside[sizes > 0]] for figures in parts))
    other, other_low, other_high = _total(*(figures[~inside[sizes > 0]] for figures in parts))
    low = _ratio_limit(here, other, here - here_low, other_high - other, sign=-1)
    high = _ratio_limit(here, other, here_high - here, other - other_low, sign=1)
    return Interval(here / (here + other), low, high, int(judged.sum()))


def allocated(sizes: Ints, weights: Floats, size: int) -> Ints:
    """Sample sizes per stratum, proportional to weights: at least 1, at most the stratum's size.

    With a stratum's size times its standard deviation as weight, this is Neyman's allocation.

    Args:
        sizes: sizes of the strata, none empty. Shape [strata].
        weights: above 0. Shape [strata].
        size: total sample size; raised to the number of strata if smaller.
    """
    left = max(min(size, int(sizes.sum())) - len(sizes), 0)
    room = (sizes - 1).astype(np.float64)
    share = np.zeros(len(sizes))
    open_ = room > 0
    while open_.any():
        share[open_] = (left - room[~open_].sum()) * weights[open_] / weights[open_].sum()
        if not (full := open_ & (share >= room)).any():
            break
        share[full] = room[full]
        open_ &= ~full
    found = np.floor(share + _SLACK).astype(np.int64)
    rest = np.argsort(found - share, kind="stable")[: left - int(found.sum())]
    found[rest] += 1
    return found + 1


def _known(yes: Ints, judged: Ints, sizes: Ints) -> bool:
    """True if the population is not empty and each stratum has a sample."""
    if (yes > judged).any() or (judged > sizes).any():
        raise DataError(
            f"samples of {judged.tolist()} with {yes.tolist()} hits from parts of {sizes.tolist()}",
            fix="count again: hits are of the sample, and samples of their part",
        )
    there = sizes > 0
    return bool(there.any() and (judged[there] > 0).all())


def _counts(yes: Ints, judged: Ints, sizes: Ints, confidence: float) -> tuple[Floats, Floats, Floats]:
    """The estimated number of positives in each stratum, with integer limits."""
    there = sizes > 0
    yes, judged, sizes = yes[there], judged[there], sizes[there]
    shares = yes / judged
    low, high = exact(shares, _worth(judged, sizes), (1 - confidence) / 2)
    value = shares * sizes
    return (
        value,
        np.minimum(np.floor(low * sizes + _SLACK), value),
        np.maximum(np.ceil(high * sizes - _SLACK), value),
    )


def _total(value: Floats, low: Floats, high: Floats) -> tuple[float, float, float]:
    """The sum of independent estimates, with the limits of the sum."""
    whole = float(value.sum())
    below, above = (float(np.sqrt(np.sum((value - end) ** 2))) for end in (low, high))
    return whole, whole - below, whole + above


def _ratio_limit(here: float, other: float, here_off: float, other_off: float, *, sign: int) -> float:
    """A limit of the ratio here / (here + other).

    It is the q with (here - q other)^2 = here_off^2 + (q other_off)^2.

    Args:
        here: one estimate.
        other: the other estimate, independent of it.
        here_off: distance of the limit of ``here``, in the direction of ``sign``.
        other_off: distance of the limit of ``other``, in the other direction.
        sign: 1 for the upper limit, -1 for the lower.
    """
    square = (here * other_off) ** 2 + here_off**2 * (other**2 - other_off**2)
    both = here * other + float(np.sqrt(max(square, 0.0)))
    above, below = (both, other**2 - other_off**2) if sign > 0 else (here**2 - here_off**2, both)
    if below <= 0:
        return 1.0 if above > 0 or sign > 0 else 0.0
    return above / (above + below)


def _worth(judged: Ints, sizes: Ints) -> Floats:
    """The equivalent sample size for an infinite population; infinite if everything was judged."""
    left = (sizes - judged).astype(np.float64)
    worth = np.full(len(judged), np.inf)
    np.divide(judged * (sizes - 1.0), left, out=worth, where=left > 0)
    return worth
