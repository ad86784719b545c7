"""The share of a whole that was judged by samples from its parts, with an interval.

Sources: Zou, Huang and Zhang, "A note on confidence interval estimation for a linear function of binomial
proportions", Computational Statistics and Data Analysis 53 (2009), which combines the limits of the parts
by the squares of their distances; ``share.py`` for those of each part; Cochran, "Sampling Techniques"
(1977), for parts of which the sample takes much or all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError
from textkin.stats.interval import Interval
from textkin.stats.limits import wilson

_Counts = NDArray[np.int64]


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
    from scipy.special import ndtri

    if (yes > judged).any() or (judged > sizes).any():
        raise DataError(
            f"samples of {judged.tolist()} with {yes.tolist()} hits from parts of {sizes.tolist()}",
            fix="count again: hits are of the sample, and samples of their part",
        )
    there = sizes > 0
    if not there.any() or (judged[there] == 0).any():
        return None
    weights = sizes[there] / sizes.sum()
    shares = yes[there] / judged[there]
    quantile = float(ndtri((1 + confidence) / 2))
    low, high = wilson(shares, _worth(judged[there], sizes[there]), quantile)
    value = float(sizes[there] @ shares / sizes.sum())
    below = float(np.sqrt(np.sum((weights * (shares - low)) ** 2)))
    above = float(np.sqrt(np.sum((weights * (high - shares)) ** 2)))
    return Interval(value, max(value - below, 0.0), min(value + above, 1.0), int(judged.sum()))


def _worth(judged: _Counts, sizes: _Counts) -> NDArray[np.float64]:
    """The size of the sample from an endless part that would tell as much; infinite where all was judged."""
    left = (sizes - judged).astype(np.float64)
    worth = np.full(len(judged), np.inf)
    np.divide(judged * (sizes - 1.0), left, out=worth, where=left > 0)
    return worth
