"""The proportion of positive pairs, with an interval that holds near 0 and 1 too.

A bootstrap of nine correct pairs out of nine gives an interval from 1 to 1, as if the tenth couldn't be
wrong. Wilson's interval doesn't. Dependent pairs count as fewer.

Sources: Wilson, "Probable inference, the law of succession, and statistical inference" (1927); Kish, "Survey
Sampling" (1965), for the design effect, which reduces the effective size of clustered samples.
"""

import numpy as np

from textkin.base.arrays import Bools, Ints
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.standard_errors import wilson


def clustered_share(so: Bools, clusters: Ints) -> Interval | None:
    """The proportion of positive pairs, where pairs of one cluster may be correlated.

    Args:
        so: True for positive pairs. Shape [pairs].
        clusters: the component of each pair. Shape [pairs].

    Returns:
        The proportion, with an interval from 0 to 1 if all pairs are of one cluster. None if there are no
        pairs.
    """
    from scipy.special import stdtrit

    if not len(so):
        return None
    share = float(so.mean())
    member = np.unique(clusters, return_inverse=True)[1]
    n = int(member.max()) + 1
    if n == 1:
        return Interval(share, 0.0, 1.0, 1)
    quantile = float(stdtrit(n - 1, 0.975))
    low, high = wilson(np.array([share]), np.array([_worth(so, member)]), quantile)
    return Interval(share, float(low[0]), float(high[0]), n)


def _worth(so: Bools, member: Ints) -> float:
    """The effective number of independent pairs; never more than the actual number."""
    pairs, share = len(so), float(so.mean())
    n = int(member.max()) + 1
    if share in (0.0, 1.0):  # the correlation within clusters is unknown: assume 1
        return float(n)
    off = np.bincount(member, weights=so - share)
    variance = float(off @ off) / pairs**2 * n / (n - 1)
    design_effect = variance / (share * (1 - share) / pairs)
    return pairs / max(design_effect, 1.0)
