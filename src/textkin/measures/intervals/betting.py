"""Proof that many of a whole are so, valid however often one looks: a bet against the opposite.

Each draw is of the members that were not judged before, all of them alike. Whoever believes that ``least``
of the whole are so bets on each label, with odds that are fair if it is just one fewer: of the members that
are left, what is then so is known. If it is fewer than ``least``, the bettor's wealth is a non-negative
supermartingale that begins at 1, so it ever reaches 1 / error with probability ``error`` at most (Ville's
inequality). Nothing is assumed on when one stops.

Sources: Ville 1939; Robbins 1970, "Statistical methods related to the law of the iterated logarithm"
(mixtures); Waudby-Smith and Ramdas 2020, "Confidence sequences for sampling without replacement", and 2024,
"Estimating means of bounded random variables by betting".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textkin.base.errors import UsageError, invalid

Floats = NDArray[np.float64]

_BETS = 128  # among which the wealth is divided evenly at first
_NONE = 1e-200  # the share of members so where all have been met: one more makes the proof sure
_MOST = 700.0  # a logarithm whose exponential is a number


@final
@dataclass(frozen=True, slots=True, eq=False)
class BlindDraws:
    """Labels of draws from a whole, each of the members that were not judged before, all of them alike.

    Attributes:
        so: whether what was drawn is so, in the order of the draws. Shape [draws].
        judged: how many members were judged before each draw, in whatever way. Shape [draws].
        found: how many of these are so. Shape [draws].
        whole: how many members there are.

    Example:
        >>> draws = BlindDraws.of([True, False, True], whole=1000)
        >>> draws.judged.tolist(), draws.found.tolist()
        ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
    """

    so: Floats
    judged: Floats
    found: Floats
    whole: int

    def __post_init__(self) -> None:
        left = self.whole - self.judged
        if len({one.shape for one in (self.so, self.judged, self.found)}) > 1 or (left < 1).any():
            raise UsageError(
                f"{len(self.so):,} labels of draws without replacement from {self.whole:,}",
                fix="give each member's label once",
            )

    @classmethod
    def of(cls, so: ArrayLike, *, whole: int) -> Self:
        """Draws beside which nothing was judged.

        Raises:
            UsageError: there are more labels than members.
        """
        labels = np.asarray(so, dtype=np.float64)
        before = np.concatenate([[0.0], np.cumsum(labels)])[: len(labels)]
        return cls(labels, np.arange(len(labels), dtype=np.float64), before, whole)


def needed(share: float, whole: int) -> int:
    """How many of a whole make a share of it.

    Raises:
        UsageError: the share is not above 0 and below 1.

    Example:
        >>> needed(0.95, 1000), needed(0.95, 1001)
        (950, 951)
    """
    if not 0 < share < 1:
        raise invalid("precision", share, expected="a number above 0 and below 1")
    return max(math.ceil(share * whole - 1e-9 * max(whole, 1)), 1)


def wealth(draws: BlindDraws, *, least: int) -> Floats:
    """The wealth after each label of those who bet that ``least`` of the whole or more are so.

    Returns:
        Shape [draws].

    Example:
        >>> found = wealth(BlindDraws.of([True] * 73, whole=4000), least=3800)
        >>> bool(found[-1] >= 20), bool(found[-2] >= 20)
        (True, False)
    """
    if not len(draws.so):
        return np.empty(0)
    found: Floats = np.exp(np.minimum(_mean_of_powers(_logarithms(draws, least)), _MOST))
    return found


def proven_after(found: Floats, *, error: float = 0.05) -> int | None:
    """After how many labels the wealth has reached 1 / error for the first time; None if it hasn't.

    Example:
        >>> proven_after(wealth(BlindDraws.of([True] * 100, whole=4000), least=3800))
        73
    """
    reached = np.flatnonzero(found >= 1 / error)
    return int(reached[0]) + 1 if len(reached) else None


def proven_count(draws: BlindDraws, *, error: float = 0.05) -> int:
    """How many of the whole are so at least, by labels; valid at any time.

    It is that of the best moment so far, and so never falls.

    Example:
        >>> proven_count(BlindDraws.of([True] * 73, whole=4000)), proven_count(BlindDraws.of([], whole=9))
        (3801, 0)
    """
    if not len(draws.so):
        return 0
    low, high = 0, draws.whole + 1
    while high - low > 1:
        middle = (low + high) // 2
        reached = _mean_of_powers(_logarithms(draws, middle)).max() >= math.log(1 / error)
        low, high = (middle, high) if reached else (low, middle)
    return low


def labels_left(draws: BlindDraws, *, least: int, judged: int, found: int, error: float = 0.05) -> int | None:
    """How many more labels a proof will take if they come as those so far; None if they prove nothing then.

    Without a label all are taken to be so.

    Args:
        draws: so far.
        least: what is to be proven.
        judged: how many members have been judged, in whatever way.
        found: how many of these are so.
        error: how probable a false proof may be.

    Example:
        >>> labels_left(BlindDraws.of([], whole=4000), least=3800, judged=0, found=0)
        73
        >>> mixed = BlindDraws.of([True, False] * 10, whole=4000)
        >>> labels_left(mixed, least=3800, judged=20, found=10) is None
        True
    """
    from scipy.special import gammaln

    share = float(draws.so.mean()) if len(draws.so) else 1.0
    rates = _rates(least, draws.whole)
    now = _logarithms(draws, least)[-1] if len(draws.so) else np.zeros(_BETS)
    so, other, left = least - 1 - found, draws.whole - least + 1 - (judged - found), draws.whole - judged

    def taken(of: float, many: float) -> float:
        return float(gammaln(of + 1) - gammaln(of - many + 1))

    def reached(more: int) -> bool:
        yes, no = share * more, (1 - share) * more
        if yes > so + 1e-9:  # then so many have been met
            return True
        if no > other + 1e-9:
            return False
        fair = taken(so, yes) + taken(other, no) - taken(left, more)
        grown = now + yes * np.log1p(-rates) + no * np.log(rates) - fair
        return bool(_mean_of_powers(grown) >= math.log(1 / error))

    if reached(0):
        return 0
    if not reached(left):
        return None
    low, high = 0, left
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _logarithms(draws: BlindDraws, least: int) -> Floats:
    """The logarithm of each bet's wealth after each label. Shape [draws, bets].

    A bet is on a share of the members that are not so. It gains by the ratio of its likelihood to that of the
    most that are so where fewer than ``least`` are; nothing is at stake where that is more than it believes.
    """
    rates = _rates(least, draws.whole)
    left = draws.whole - draws.judged
    so = np.maximum((least - 1 - draws.found) / left, _NONE)[:, None]
    other = np.maximum(1 - so, _NONE)
    gains = np.where(draws.so[:, None] > 0, np.log1p(-rates) - np.log(so), np.log(rates) - np.log(other))
    found: Floats = np.cumsum(np.where(rates < other, gains, 0.0), axis=0)
    return found


def _rates(least: int, whole: int) -> Floats:
    """What share is not so, as the bets believe: up to the most with ``least`` so, and closer near to none.

    Their square roots are evenly spaced, since whoever labels expects few.
    """
    most = (whole - least + 0.5) / whole
    found: Floats = most * ((np.arange(_BETS) + 0.5) / _BETS) ** 2
    return found


def _mean_of_powers(logarithms: Floats) -> Floats:
    """The logarithm of the mean of the exponentials of each row. Shape [..., bets] to [...]."""
    most = logarithms.max(axis=-1, keepdims=True)
    found: Floats = most[..., 0] + np.log(np.exp(logarithms - most).mean(axis=-1))
    return found
