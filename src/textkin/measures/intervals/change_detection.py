"""Anytime-valid tests for a change in a stream.

A bettor who believes that something changes at an unknown time splits the stake over all times, and evenly
over a few bets on the kind of change. As long as nothing has changed, the stake is a non-negative
supermartingale that starts at 1, so it ever reaches 1 / error with probability ``error`` at most (Ville's
inequality), however long the stream. The fraction for time n is h(n) - h(n + 1), where h(n) is 1 / (1 + ln
n). So a change after n events needs about n (1 + ln n)^2 times the evidence of a change at the start.

Scores are compared by rank with those of a reference sample. If all are exchangeable, the rank of each score
among those before it is uniform and independent of all earlier ranks, whatever their distribution. Ties are
broken at random. The reference sample may be small, since nothing is assumed about its distribution.

Sources: Vovk, Nouretdinov and Gammerman 2003, "Testing exchangeability on-line" (ranks); Shin, Ramdas and
Rinaldo 2024, "E-detectors: a nonparametric framework for sequential change detection" (sums over the time of
a change); Ville 1939. The sums here are weighted, so the error bounds the probability of any false alarm
rather than the mean time between false alarms.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from textkin.base.arrays import Floats, Ints

_BLOCK = 512  # number of events ranked at once
_SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)  # tail fractions that bets are placed on
_TIMES = (0.5, 1.5, 3.0, 10.0, 30.0)  # factors by which a tail becomes more or less frequent
_MOST = 0.9  # maximum proportion of all scores that a bet expects in a tail
_LOWER = 64  # number of precisions below the goal to bet on


class ScoreChange:
    """Evidence that scores are distributed differently from a reference sample.

    Each bet is on one tail of the scores (the highest half, the lowest hundredth, ...) becoming 0.5, 1.5, 3,
    10 or 30 times as frequent.

    Args:
        before: the reference sample. Shape [scores].
        seed: seed for breaking ties.

    Example:
        >>> random = np.random.default_rng(0)
        >>> test = ScoreChange(random.normal(size=1_000))
        >>> bool(test.take(random.normal(size=1_000)).max() < 3)
        True
        >>> bool(test.take(random.normal(size=200) + 1)[-1] > 3)
        True
    """

    def __init__(self, before: ArrayLike, *, seed: int = 0) -> None:
        self._ranks = RanksSoFar(before, seed=seed)
        self._bets = [
            (end, share, times)
            for end in (0, 1)
            for share in _SHARES
            for times in _TIMES
            if share * times <= _MOST
        ]
        self._stake = Stake(len(self._bets))

    def take(self, scores: ArrayLike) -> Floats:
        """Add scores. Return the natural logarithm of the stake after each, shape [scores]."""
        ranks = self._ranks.take(scores)
        gains = np.empty((len(ranks), len(self._bets)))
        for place, (end, share, times) in enumerate(self._bets):
            inside = ranks < share if end == 0 else ranks >= 1 - share
            gains[:, place] = np.where(inside, math.log(times), math.log((1 - share * times) / (1 - share)))
        return self._stake.take(gains)

    @property
    def since(self) -> int:
        """The most likely time of the change, as the number of the event, from 1."""
        return self._stake.best[1]

    @property
    def words(self) -> str:
        """A description of the most likely change."""
        end, share, times = self._bets[self._stake.best[0]]
        return (
            f"{times * share:.3g} of the scores are where the {'lowest' if end else 'highest'} {share:g} were"
        )


class PrecisionDrop:
    """Evidence that a precision is, or temporarily was, below a goal.

    Each bet is the likelihood ratio of one of 64 evenly spaced precisions below the goal.

    Args:
        goal: the required precision, above 0 and below 1.

    Example:
        >>> test = PrecisionDrop(0.95)
        >>> bool(test.take([True] * 100).max() < 3), bool(test.take([False, True] * 10)[-1] > 3)
        (True, True)
    """

    def __init__(self, goal: float) -> None:
        below = goal * (np.arange(_LOWER) + 0.5) / _LOWER
        self._gains = np.log([(1 - below) / (1 - goal), below / goal])
        self._stake = Stake(_LOWER)

    def take(self, same: ArrayLike) -> Floats:
        """Add labels in order. Return the natural logarithm of the stake after each, shape [labels]."""
        return self._stake.take(self._gains[np.asarray(same, dtype=np.int64)])

    @property
    def since(self) -> int:
        """The most likely start of the lower precision, as the number of the label, from 1."""
        return self._stake.best[1]


class RanksSoFar:
    """Ranks of scores among all earlier ones, from 0 (highest) to 1; uniform without a change.

    Args:
        before: earlier scores. Shape [scores].
        seed: seed for breaking ties.
    """

    def __init__(self, before: ArrayLike, *, seed: int = 0) -> None:
        self._sorted = np.sort(np.asarray(before, dtype=np.float64))
        self._random = np.random.default_rng(seed)

    def take(self, scores: ArrayLike) -> Floats:
        """Rank each score among all earlier ones, this batch included. Shape [scores]."""
        given = np.asarray(scores, dtype=np.float64)
        parts = [self._block(given[start : start + _BLOCK]) for start in range(0, len(given), _BLOCK)]
        return np.concatenate([np.empty(0), *parts])

    def _block(self, scores: Floats) -> Floats:
        left, right = (np.searchsorted(self._sorted, scores, side=side) for side in ("left", "right"))
        known, earlier = len(self._sorted), np.tri(len(scores), k=-1, dtype=bool)
        higher = known - right + ((scores[None, :] > scores[:, None]) & earlier).sum(axis=1)
        equal = right - left + ((scores[None, :] == scores[:, None]) & earlier).sum(axis=1)
        order = np.argsort(scores, kind="stable")
        self._sorted = np.insert(self._sorted, right[order], scores[order])
        return (higher + self._random.random(len(scores)) * (equal + 1)) / (
            known + np.arange(len(scores)) + 1
        )


class Stake:
    """The stake of a bettor who knows neither the time of a change nor which bet is right.

    Args:
        bets: number of bets.
    """

    def __init__(self, bets: int) -> None:
        self._events = 0
        self._placed = np.full(bets, -np.inf)  # log wealth of each bet, over all its fractions
        self._total = np.zeros(bets)  # log wealth if all had been bet at the start
        self._lowest = np.full(bets, np.inf)
        self._begins = np.zeros(bets, dtype=np.int64)

    def take(self, gains: Floats) -> Floats:
        """Add the log gains of each bet at each event. Shape [events, bets].

        Returns:
            The logarithm of the total stake after each event. Shape [events].
        """
        parts = [self._block(gains[start : start + 4096]) for start in range(0, len(gains), 4096)]
        return np.concatenate([np.empty(0), *parts])

    @property
    def best(self) -> tuple[int, int]:
        """The most successful bet, and the number of the event, from 1, at which its gains start."""
        bet = int(np.argmax(self._total - self._lowest)) if self._events else 0
        return bet, int(self._begins[bet]) + 1

    def _block(self, gains: Floats) -> Floats:
        numbers = np.arange(self._events + 1, self._events + len(gains) + 1)
        entering = np.log((_left(numbers) - _left(numbers + 1)) / gains.shape[1])
        totals = self._total + np.cumsum(gains, axis=0)
        before = np.vstack([self._total, totals[:-1]])
        # A fraction that enters before event j has gained the product of the factors from j to the last.
        worth = np.vstack([self._placed - self._total, entering[:, None] - before])
        placed = np.logaddexp.accumulate(worth, axis=0)[1:] + totals
        self._note_best(before)
        self._events, self._placed, self._total = self._events + len(gains), placed[-1], totals[-1]
        return np.logaddexp(np.logaddexp.reduce(placed, axis=1), np.log(_left(numbers + 1)))

    def _note_best(self, before: Floats) -> None:
        place = before.argmin(axis=0)
        lowest = before[place, np.arange(before.shape[1])]
        self._begins = np.where(lowest < self._lowest, self._events + place, self._begins)
        self._lowest = np.minimum(lowest, self._lowest)


def _left(numbers: Ints) -> Floats:
    """The fraction of the stake that enters at these events or later. Shape [events]."""
    return 1 / (1 + np.log(numbers))


def first_alarm(stakes: Floats, error: float) -> int | None:
    """The index of the event at which a stake first reaches 1 / error; None if it doesn't.

    Args:
        stakes: natural logarithms of the stake. Shape [events].
        error: probability of a false alarm.
    """
    reached = np.flatnonzero(stakes >= math.log(1 / error))
    return int(reached[0]) if len(reached) else None


def wealths(found: Sequence[float] | Floats) -> Floats:
    """Stakes from their logarithms, without overflow. Shape [events]."""
    return np.exp(np.minimum(found, 700.0))
