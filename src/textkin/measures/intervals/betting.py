"""Anytime-valid proof of the number of positives in a population, by betting.

Each draw is uniform among the members not judged before. The bettor believes that at least ``least`` members
are positive, and bets on each label. The odds are fair if there is exactly one fewer, since the composition
of the remaining members is then known. If fewer than ``least`` are positive, the bettor's wealth is a
non-negative supermartingale that starts at 1, so it ever reaches 1 / error with probability ``error`` at most
(Ville's inequality). The proof holds for any stopping rule.

Sources: Ville 1939; Robbins 1970, "Statistical methods related to the law of the iterated logarithm"
(mixtures); Waudby-Smith and Ramdas 2020, "Confidence sequences for sampling without replacement", and 2024,
"Estimating means of bounded random variables by betting".
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from textkin.base.arrays import Floats
from textkin.base.errors import UsageError, invalid

_BETS = 128  # the initial wealth is divided evenly among them
_NONE = 1e-200  # fraction of positives when all have been drawn: one more completes the proof
_MOST = 700.0  # the largest logarithm, so that its exponential is finite


@dataclass(frozen=True, slots=True, eq=False)
class BlindDraws:
    """Labels of draws, each uniform among the members not judged before.

    Attributes:
        so: 1 for positive draws, else 0, in the order of the draws. Shape [draws].
        judged: number of members judged before each draw, by any means. Shape [draws].
        found: number of positives among these. Shape [draws].
        whole: size of the population.

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
                value=(len(self.so), self.whole),
            )

    @classmethod
    def of(cls, so: ArrayLike, *, whole: int) -> Self:
        """Draws from a population with no other judged members.

        Raises:
            UsageError: there are more labels than members.
        """
        labels = np.asarray(so, dtype=np.float64)
        before = np.concatenate([[0.0], np.cumsum(labels)])[: len(labels)]
        return cls(labels, np.arange(len(labels), dtype=np.float64), before, whole)


def needed(share: float, whole: int) -> int:
    """The number of members that make up a fraction of a population.

    Raises:
        UsageError: the fraction is not strictly between 0 and 1.

    Example:
        >>> needed(0.95, 1000), needed(0.95, 1001)
        (950, 951)
    """
    if not 0 < share < 1:
        raise invalid("precision", share, expected="a number above 0 and below 1")
    return max(math.ceil(share * whole - 1e-9 * max(whole, 1)), 1)


def wealth(draws: BlindDraws, *, least: int) -> Floats:
    """The wealth after each label of a bet that at least ``least`` members are positive.

    Returns:
        Shape [draws].

    Example:
        >>> found = wealth(BlindDraws.of([True] * 73, whole=4000), least=3800)
        >>> bool(found[-1] >= 20), bool(found[-2] >= 20)
        (True, False)
    """
    if not len(draws.so):
        return np.empty(0)
    return np.exp(np.minimum(_mean_of_powers(_logarithms(draws, least)), _MOST))


def proven_after(found: Floats, *, error: float = 0.05) -> int | None:
    """The number of labels after which the wealth first reaches 1 / error; None if it doesn't.

    Example:
        >>> proven_after(wealth(BlindDraws.of([True] * 100, whole=4000), least=3800))
        73
    """
    reached = np.flatnonzero(found >= 1 / error)
    return int(reached[0]) + 1 if len(reached) else None


def proven_count(draws: BlindDraws, *, error: float = 0.05) -> int:
    """Anytime-valid lower bound on the number of positives.

    It is the best bound at any time so far, so it never falls.

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
    """Expected number of further labels for a proof, at the current rate; None if it isn't reachable.

    Without labels, all members are assumed positive.

    Args:
        draws: the draws so far.
        least: the count to prove.
        judged: number of members judged, by any means.
        found: number of positives among these.
        error: maximum probability of a false proof.

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
        if yes > so + 1e-9:  # then ``least`` positives have been found
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
    """The log wealth of each bet after each label. Shape [draws, bets].

    A bet assumes a fraction of negatives. It gains by the likelihood ratio against the highest count below
    ``least``. Nothing is at stake where that count implies a higher rate than the bet assumes.
    """
    rates = _rates(least, draws.whole)
    left = draws.whole - draws.judged
    so = np.maximum((least - 1 - draws.found) / left, _NONE)[:, None]
    other = np.maximum(1 - so, _NONE)
    gains = np.where(draws.so[:, None] > 0, np.log1p(-rates) - np.log(so), np.log(rates) - np.log(other))
    return np.cumsum(np.where(rates < other, gains, 0.0), axis=0)


def _rates(least: int, whole: int) -> Floats:
    """Fractions of negatives to bet on: up to the maximum with ``least`` positives, denser near 0.

    Their square roots are evenly spaced, since few negatives are expected.
    """
    most = (whole - least + 0.5) / whole
    return most * ((np.arange(_BETS) + 0.5) / _BETS) ** 2


def _mean_of_powers(logarithms: Floats) -> Floats:
    """The logarithm of the mean exponential of each row. Shape [..., bets] to [...]."""
    most = logarithms.max(axis=-1, keepdims=True)
    return most[..., 0] + np.log(np.exp(logarithms - most).mean(axis=-1))
