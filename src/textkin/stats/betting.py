"""Proof that a precision reaches a goal, valid however often one looks: a bet against the opposite.

Whoever believes that the precision is above the goal bets on each label, with odds that are fair if it is
just the goal. If it is at most the goal, the bettor's wealth is a non-negative supermartingale that begins at
1, so it ever reaches 1 / error with probability ``error`` at most (Ville's inequality). Nothing is assumed on
when one stops.

Sources: Ville 1939; Robbins 1970, "Statistical methods related to the law of the iterated logarithm"
(mixtures); Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textkin.errors import UsageError

Floats = NDArray[np.float64]

_BETS = 128  # among which the wealth is divided evenly at first
_FURTHEST = 1_000_000  # labels that are looked ahead


def wealth(
    same: ArrayLike, *, goal: float, weights: ArrayLike | None = None, heaviest: float = 1.0
) -> Floats:
    """The wealth after each label of those who bet that the precision is above a goal.

    With draws from all pairs alike every weight is 1. Where some pairs are drawn more often, a label's weight
    is the probability of its pair among all pairs by that with which it was drawn.

    Args:
        same: whether each drawn pair is the same, in the order of the draws. Shape [labels].
        goal: the precision to be proven, above 0 and below 1.
        weights: of the labels. Shape [labels].
        heaviest: what no weight passes, fixed before the first draw.

    Returns:
        Shape [labels].

    Raises:
        UsageError: the goal or a weight is out of range.

    Example:
        >>> found = wealth([True] * 88, goal=0.95)
        >>> bool(found[-1] >= 20), bool(found[-2] >= 20)
        (True, False)
    """
    if not 0 < goal < 1:
        raise UsageError(f"a precision of {goal:g}", fix="give a goal above 0 and below 1")
    drawn = np.asarray(same, dtype=np.float64)
    heavy = np.ones(len(drawn)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(heavy) != len(drawn) or (heavy < 0).any() or (heavy > heaviest * (1 + 1e-12)).any():
        raise UsageError("a label's weight is out of range", fix=f"give one a label, from 0 to {heaviest:g}")
    if not len(drawn):
        return np.empty(0)
    return np.exp(_logarithms(drawn, heavy, goal, heaviest))


def proven_after(found: Floats, *, error: float = 0.05) -> int | None:
    """After how many labels the wealth has reached 1 / error for the first time; None if it hasn't.

    Example:
        >>> proven_after(wealth([True] * 100, goal=0.95))
        88
    """
    reached = np.flatnonzero(found >= 1 / error)
    return int(reached[0]) + 1 if len(reached) else None


def least_precision(same: ArrayLike, *, error: float = 0.05) -> float:
    """The highest precision that labels of draws from all pairs alike prove; valid at any time.

    It is that of the best moment so far, and so never falls.

    Example:
        >>> least_precision([True] * 88) >= 0.95, least_precision([]) == 0
        (True, True)
    """
    drawn = np.asarray(same, dtype=np.float64)
    if not len(drawn):
        return 0.0
    weights, low, high = np.ones(len(drawn)), 0.0, 1.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        reached = _logarithms(drawn, weights, middle, 1.0).max() >= math.log(1 / error)
        low, high = (middle, high) if reached else (low, middle)
    return low


def labels_left(same: Sequence[bool] | NDArray[np.bool_], *, goal: float, error: float = 0.05) -> int | None:
    """How many more labels a proof will take if they come as those so far; None if they prove nothing then.

    Without a label all are taken to be the same.

    Example:
        >>> labels_left([], goal=0.95), labels_left([True] * 10 + [False] * 10, goal=0.95)
        (88, None)
    """
    drawn = np.asarray(same, dtype=np.float64)
    share = float(drawn.mean()) if len(drawn) else 1.0
    bets = _bets(goal, 1.0)
    won, lost = np.log1p(bets * (1 - goal)), np.log1p(-bets * goal)
    now = drawn.sum() * won + (len(drawn) - drawn.sum()) * lost
    rate = share * won + (1 - share) * lost
    wanted = math.log(1 / error)

    def reached(more: int) -> bool:
        return bool(_mean_of_powers(now + more * rate) >= wanted)

    if reached(0):
        return 0
    if not reached(_FURTHEST):
        return None
    low, high = 0, _FURTHEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _logarithms(same: Floats, weights: Floats, goal: float, heaviest: float) -> Floats:
    """The logarithm of the wealth after each label."""
    bets = _bets(goal, heaviest)
    steps = np.log1p(bets * (weights * (same - goal))[:, None])
    return _mean_of_powers(np.cumsum(steps, axis=0))


def _bets(goal: float, heaviest: float) -> Floats:
    """Bets that are evenly spaced up to the largest that can't lose all.

    With weights of 1, a bet b is that on the precision goal + b goal (1 - goal), so their mixture is the
    ratio of likelihoods with a uniform prior above the goal.
    """
    return (np.arange(_BETS) + 0.5) / _BETS / (goal * heaviest)


def _mean_of_powers(logarithms: Floats) -> Floats:
    """The logarithm of the mean of the exponentials of each row. Shape [..., bets] to [...]."""
    most = logarithms.max(axis=-1, keepdims=True)
    found: Floats = most[..., 0] + np.log(np.exp(logarithms - most).mean(axis=-1))
    return found
