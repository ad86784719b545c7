"""Anytime-valid bounds on the number of positives in a finite population.

The population has strata of known sizes. Each draw is uniform among the members of one stratum that were not
drawn before. The choice of the stratum may depend on earlier draws only. For counts D of positives in the
strata, L(D) is the probability of the draws, and m their mean probability over a prior on D that is fixed
before the first draw. If D is true, m / L(D) is a non-negative martingale that starts at 1, so it ever
reaches 1 / error with probability ``error`` at most (Ville's inequality). The counts not ruled out contain
the truth at any time.

The prior is an even mixture of three cases: one frequency for all strata; one for the first strata and one
for the others, split at any position; and one frequency for each stratum. A frequency has the density
x^(-3/4) / 4, so rare positives are detected early.

Sources: Waudby-Smith and Ramdas 2020, "Confidence sequences for sampling without replacement" (the ratio of
prior and posterior); Ville 1939; Robbins 1970 (mixtures).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from textkin.base.arrays import Floats
from textkin.base.errors import DataError

_A, _B = 0.25, 1.0  # parameters of the beta prior of a frequency
_STEPS = 50  # maximum steps of the search for a price
_CHEAPEST, _DEAREST = 1e-10, 60.0
_SLACK = 1e-7  # counts are integers up to rounding


@dataclass(frozen=True, slots=True, eq=False)
class MostSo:
    """An upper bound on the number of positives.

    Attributes:
        total: bound on the number in all strata together.
        parts: approximate counts in each stratum for this total. Shape [strata].
    """

    total: int
    parts: Floats


def most_so(yes: ArrayLike, drawn: ArrayLike, sizes: ArrayLike, *, error: float = 0.05) -> MostSo:
    """Upper confidence bound on the positives; ever exceeded with probability at most ``error``.

    Args:
        yes: number of positive draws of each stratum. Neighbouring strata are assumed similar. Shape
            [strata].
        drawn: number of draws from each stratum. Shape [strata].
        sizes: size of each stratum. Shape [strata].
        error: maximum probability that the truth ever exceeds the bound.

    Raises:
        DataError: a stratum has more positives than draws, or more draws than members.

    Example:
        >>> most_so([0], [0], [1000]).total, most_so([0], [100], [1000]).total
        (1000, 39)
        >>> most_so([2, 0], [50, 100], [50, 1000]).total
        70
    """
    so, n, size = (np.asarray(one, dtype=np.float64) for one in (yes, drawn, sizes))
    _check(so, n, size)
    if not len(size):
        return MostSo(0, np.zeros(0))
    budget = math.log(1 / error) - _log_mean(so, n) - float(_surprise_of_none(n, size).sum())
    low, high = math.log(_CHEAPEST), math.log(_DEAREST)
    best, parts = math.inf, size
    for _ in range(_STEPS):
        price = math.exp((low + high) / 2)
        found, spent = _worth(price, so, n, size)
        # By Lagrangian duality, no counts within the budget have a larger sum, at any price.
        bound = float(found.sum()) + (budget - spent) / price
        if bound < best:
            best, parts = bound, found
        if 0 <= budget - spent < price:  # these counts attain the maximum
            break
        low, high = (math.log(price), high) if spent <= budget else (low, math.log(price))
    return MostSo(min(math.floor(best + _SLACK), int((size - n + so).sum())), parts)


def least_so(yes: ArrayLike, drawn: ArrayLike, sizes: ArrayLike, *, error: float = 0.05) -> int:
    """Lower confidence bound on the positives; ever above the truth with probability at most ``error``.

    Args:
        yes: number of positive draws of each stratum, as in :func:`most_so`.
        drawn: number of draws from each stratum.
        sizes: size of each stratum.
        error: maximum probability that the truth ever lies below the bound.

    Raises:
        DataError: as :func:`most_so`.

    Example:
        >>> least_so([100], [100], [1000]), least_so([10], [10], [10])
        (961, 10)
    """
    so, n, size = (np.asarray(one, dtype=np.float64) for one in (yes, drawn, sizes))
    return int(size.sum()) - most_so(n - so, n, size, error=error).total


def _check(so: Floats, n: Floats, size: Floats) -> None:
    if not (so.shape == n.shape == size.shape) or (so < 0).any() or (so > n).any() or (n > size).any():
        raise DataError(
            f"draws of {n.tolist()} with {so.tolist()} that are so, from parts of {size.tolist()}",
            fix="check the counts: positives <= drawn <= size in every stratum",
        )


def _log_mean(so: Floats, n: Floats) -> float:
    """The logarithm of the mean probability of the draws, over the prior."""
    from scipy.special import betaln, logsumexp

    def of(yes: Floats, all_: Floats) -> Floats:
        return betaln(_A + yes, _B + all_ - yes) - betaln(_A, _B)

    before = np.concatenate([[0.0], np.cumsum(so)[:-1]]), np.concatenate([[0.0], np.cumsum(n)[:-1]])
    parted = of(*before) + of(so.sum() - before[0], n.sum() - before[1])
    apart = of(so, n).sum()
    return float(logsumexp([*parted, apart])) - math.log(len(n) + 1)


def _worth(price: float, so: Floats, n: Floats, size: Floats) -> tuple[Floats, float]:
    """The counts D that maximise sum(D) + log L(D) / price, and their -log L(D)."""
    no, ends = n - so, size + 1
    # The step from D to D + 1 pays off while (D + 1)(N - D - no) > r (D + 1 - yes)(N - D), where r is
    # exp(-price): up to the root of a quadratic equation in D + 1.
    r, rest = math.exp(-price), -math.expm1(-price)
    linear = rest * ends - no - r * so
    root = np.sqrt(linear**2 + 4 * rest * r * so * ends)
    rising = (
        2 * r * so * ends / np.maximum(root - linear, 1e-300)
    )  # the same root, in the form without cancellation
    upto = np.where(linear > 0, (linear + root) / (2 * rest), rising) - 1
    below = np.clip(np.floor(upto), so, size - no)
    both = np.stack([below, np.minimum(below + 1, size - no)])
    costs = _surprise(both, so, no, size)
    takes = (both - costs / price).argmax(axis=0), np.arange(len(so))
    return both[takes], float(costs[takes].sum())


def _surprise(counts: Floats, so: Floats, no: Floats, size: Floats) -> Floats:
    """-log of the probability of each stratum's draws given its count, up to a constant."""
    from scipy.special import gammaln

    rest = size - counts
    terms: Floats = gammaln(np.stack([counts - so + 1, rest - no + 1, counts + 1, rest + 1]))
    return terms[0] + terms[1] - terms[2] - terms[3]


def _surprise_of_none(n: Floats, size: Floats) -> Floats:
    """The constant of :func:`_surprise`."""
    from scipy.special import gammaln

    return gammaln(size + 1) - gammaln(size - n + 1)
