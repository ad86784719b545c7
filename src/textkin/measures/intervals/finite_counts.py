"""How many members of a finite whole are so, by draws without replacement; valid however often one looks.

The whole has parts of known sizes, and each draw is of the members of one part that were not drawn before,
all of them alike. From which part follows from the draws so far alone. For counts D of what is so in the
parts, L(D) is the probability of the draws, and m their mean probability over a prior on D that is fixed
before the first draw. If D is true, m / L(D) is a non-negative martingale that begins at 1, so it ever
reaches 1 / error with probability ``error`` at most (Ville's inequality). What it has not ruled out holds the
truth at any time.

The prior is an even mixture: what is so is as frequent in all parts; or in the first ones and in the others,
parted at any place; or in each part by itself. A frequency has the density x^(-3/4) / 4, so rare ones are
found soon.

Sources: Waudby-Smith and Ramdas 2020, "Confidence sequences for sampling without replacement" (the ratio of
prior and posterior); Ville 1939; Robbins 1970 (mixtures).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textkin.base.errors import DataError

Floats = NDArray[np.float64]

_A, _B = 0.25, 1.0  # of the beta distribution of a frequency
_STEPS = 50  # of the search for a price, at most
_CHEAPEST, _DEAREST = 1e-10, 60.0
_SLACK = 1e-7  # counts are whole but for rounding


@final
@dataclass(frozen=True, slots=True, eq=False)
class MostSo:
    """How many may be so at most.

    Attributes:
        total: in all parts together.
        parts: how many in each part make this total, about. Shape [parts].
    """

    total: int
    parts: Floats


def most_so(yes: ArrayLike, drawn: ArrayLike, sizes: ArrayLike, *, error: float = 0.05) -> MostSo:
    """The most that are so, but with a probability of ``error`` that this is ever wrong.

    Args:
        yes: how many draws of each part are so; neighbours are taken to be alike. Shape [parts].
        drawn: how many of each part were drawn. Shape [parts].
        sizes: how many each part has. Shape [parts].
        error: the probability that the truth ever lies above.

    Raises:
        DataError: more are so than were drawn, or more were drawn than there are.

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
        # No counts within the budget sum to more, at any price: Lagrange's dual.
        bound = float(found.sum()) + (budget - spent) / price
        if bound < best:
            best, parts = bound, found
        if 0 <= budget - spent < price:  # then these counts are the most themselves
            break
        low, high = (math.log(price), high) if spent <= budget else (low, math.log(price))
    return MostSo(min(math.floor(best + _SLACK), int((size - n + so).sum())), parts)


def least_so(yes: ArrayLike, drawn: ArrayLike, sizes: ArrayLike, *, error: float = 0.05) -> int:
    """The fewest that are so, but with a probability of ``error`` that this is ever wrong.

    Args:
        yes: as of :func:`most_so`, as all others are.
        drawn: how many of each part were drawn.
        sizes: how many each part has.
        error: the probability that the truth ever lies below.

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
            fix="count again: what is so was drawn, and what was drawn is of its part",
        )


def _log_mean(so: Floats, n: Floats) -> float:
    """The logarithm of the mean probability of the draws, over the prior."""
    from scipy.special import betaln, logsumexp

    def of(yes: Floats, all_: Floats) -> Floats:
        found: Floats = betaln(_A + yes, _B + all_ - yes) - betaln(_A, _B)
        return found

    before = np.concatenate([[0.0], np.cumsum(so)[:-1]]), np.concatenate([[0.0], np.cumsum(n)[:-1]])
    parted = of(*before) + of(so.sum() - before[0], n.sum() - before[1])
    apart = of(so, n).sum()
    return float(logsumexp([*parted, apart])) - math.log(len(n) + 1)


def _worth(price: float, so: Floats, n: Floats, size: Floats) -> tuple[Floats, float]:
    """The counts D that maximise sum(D) + log L(D) / price, and their -log L(D)."""
    no, ends = n - so, size + 1
    # The step from D to D + 1 is worth it while (D + 1)(N - D - no) > r (D + 1 - yes)(N - D), where r is
    # exp(-price): up to the root of a quadratic equation in D + 1.
    r, rest = math.exp(-price), -math.expm1(-price)
    linear = rest * ends - no - r * so
    root = np.sqrt(linear**2 + 4 * rest * r * so * ends)
    rising = (
        2 * r * so * ends / np.maximum(root - linear, 1e-300)
    )  # the same root, where the other form cancels
    upto = np.where(linear > 0, (linear + root) / (2 * rest), rising) - 1
    below = np.clip(np.floor(upto), so, size - no)
    both = np.stack([below, np.minimum(below + 1, size - no)])
    costs = _surprise(both, so, no, size)
    takes = (both - costs / price).argmax(axis=0), np.arange(len(so))
    return both[takes], float(costs[takes].sum())


def _surprise(counts: Floats, so: Floats, no: Floats, size: Floats) -> Floats:
    """-log of the probability of each part's draws if so many of it are so, but for a constant."""
    from scipy.special import gammaln

    rest = size - counts
    terms: Floats = gammaln(np.stack([counts - so + 1, rest - no + 1, counts + 1, rest + 1]))
    found: Floats = terms[0] + terms[1] - terms[2] - terms[3]
    return found


def _surprise_of_none(n: Floats, size: Floats) -> Floats:
    """The constant of :func:`_surprise`."""
    from scipy.special import gammaln

    found: Floats = gammaln(size + 1) - gammaln(size - n + 1)
    return found
