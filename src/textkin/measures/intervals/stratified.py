"""Shares of a whole that was judged by samples from its parts, with intervals; and how many to judge of each.

Sources: Zou, Huang and Zhang, "A note on confidence interval estimation for a linear function of binomial
proportions", Computational Statistics and Data Analysis 53 (2009), which combines the limits of the parts
by the squares of their distances; Donner and Zou, "Closed-form confidence intervals for functions of the
normal mean and standard deviation", Statistical Methods in Medical Research 21 (2012), for ratios; Clopper
and Pearson's limits (``standard_errors.py``) for those of each part, since Wilson's err on small samples near
1; Cochran, "Sampling Techniques" (1977), for parts of which the sample takes much or all, and for Neyman's
allocation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.standard_errors import exact

_Counts = NDArray[np.int64]
_Floats = NDArray[np.float64]
_SLACK = 1e-9  # counts are whole but for rounding


def stratified_share(
    yes: _Counts, judged: _Counts, sizes: _Counts, *, confidence: float = 0.95
) -> Interval | None:
    """Estimate which share of a whole is so, from random samples of each of its parts.

    Args:
        yes: how many of each sample are so. Shape [parts].
        judged: size of each sample. Shape [parts].
        sizes: size of each part. Shape [parts].
        confidence: how often an interval made like this holds the true share.

    Returns:
        The estimate with its interval; None if there is nothing, or nothing is known of a part.

    Raises:
        DataError: more are so than were judged, or more were judged than there are.
    """
    if not _known(yes, judged, sizes):
        return None
    value, low, high = _total(*_counts(yes, judged, sizes, confidence))
    whole = int(sizes.sum())
    return Interval(value / whole, max(low / whole, 0.0), min(high / whole, 1.0), int(judged.sum()))


def stratified_part(
    yes: _Counts, judged: _Counts, sizes: _Counts, inside: NDArray[np.bool_], *, confidence: float = 0.95
) -> Interval | None:
    """Estimate which share of all that is so lies in some of the parts.

    Args:
        yes: how many of each sample are so. Shape [parts].
        judged: size of each sample. Shape [parts].
        sizes: size of each part. Shape [parts].
        inside: which parts they are. Shape [parts].
        confidence: how often an interval made like this holds the true share.

    Returns:
        The estimate with its interval; None if nothing is so, or nothing is known of a part.

    Raises:
        DataError: as :func:`stratified_share`.
    """
    if not _known(yes, judged, sizes) or not yes.any():
        return None
    parts = _counts(yes, judged, sizes, confidence)
    here, here_low, here_high = _total(*(figures[inside[sizes > 0]] for figures in parts))
    other, other_low, other_high = _total(*(figures[~inside[sizes > 0]] for figures in parts))
    low = _ratio_limit(here, other, here - here_low, other_high - other, sign=-1)
    high = _ratio_limit(here, other, here_high - here, other - other_low, sign=1)
    return Interval(here / (here + other), low, high, int(judged.sum()))


def allocated(sizes: _Counts, weights: _Floats, size: int) -> _Counts:
    """How many to judge of each part: in proportion to weights, one at least, and never more than there are.

    With a part's size times the standard deviation within it for weights this is Neyman's allocation.

    Args:
        sizes: of the parts, none empty. Shape [parts].
        weights: above 0. Shape [parts].
        size: how many in all; more where there are more parts than that.
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


def _known(yes: _Counts, judged: _Counts, sizes: _Counts) -> bool:
    """Whether there is something, and something is known of each part."""
    if (yes > judged).any() or (judged > sizes).any():
        raise DataError(
            f"samples of {judged.tolist()} with {yes.tolist()} hits from parts of {sizes.tolist()}",
            fix="count again: hits are of the sample, and samples of their part",
        )
    there = sizes > 0
    return bool(there.any() and (judged[there] > 0).all())


def _counts(
    yes: _Counts, judged: _Counts, sizes: _Counts, confidence: float
) -> tuple[_Floats, _Floats, _Floats]:
    """How many of each part that there is are so, and the limits of that, which are whole numbers."""
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


def _total(value: _Floats, low: _Floats, high: _Floats) -> tuple[float, float, float]:
    """The sum of independent figures, and the limits of the sum."""
    whole = float(value.sum())
    below, above = (float(np.sqrt(np.sum((value - end) ** 2))) for end in (low, high))
    return whole, whole - below, whole + above


def _ratio_limit(here: float, other: float, here_off: float, other_off: float, *, sign: int) -> float:
    """A limit of here / (here + other), by the q with (here - q other)^2 = here_off^2 + (q other_off)^2.

    Args:
        here: one figure.
        other: the other figure, independent of it.
        here_off: how far the limit of ``here`` is from it, in the direction of ``sign``.
        other_off: how far the limit of ``other`` is from it, in the other direction.
        sign: 1 for the upper limit, -1 for the lower.
    """
    square = (here * other_off) ** 2 + here_off**2 * (other**2 - other_off**2)
    both = here * other + float(np.sqrt(max(square, 0.0)))
    above, below = (both, other**2 - other_off**2) if sign > 0 else (here**2 - here_off**2, both)
    if below <= 0:
        return 1.0 if above > 0 or sign > 0 else 0.0
    return above / (above + below)


def _worth(judged: _Counts, sizes: _Counts) -> _Floats:
    """The size of the sample from an endless part that would tell as much; infinite where all was judged."""
    left = (sizes - judged).astype(np.float64)
    worth = np.full(len(judged), np.inf)
    np.divide(judged * (sizes - 1.0), left, out=worth, where=left > 0)
    return worth
