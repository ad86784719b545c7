"""Whether something has changed, by tests that are valid however often and however long one looks.

A bettor who believes that something changes at some time puts a part of the stake on each time, divided
evenly among a few bets on what the change does. As long as nothing has changed, the stake is a non-negative
supermartingale that begins at 1, so it ever reaches 1 / error with probability ``error`` at most (Ville's
inequality): in 100,000 events as in a million. The part of time n is h(n) - h(n + 1), where h(n) is
1 / (1 + ln n); so a change after n events waits for evidence of about n (1 + ln n)^2 times that of one which
is there from the beginning.

Scores are compared with those of before by their ranks. If all are exchangeable, the rank of each among those
before it is uniform and independent of all ranks so far, whatever the distribution of the scores; ties are
broken at random. So a sample of before may be small: nothing is taken to be known of its distribution.

Sources: Vovk, Nouretdinov and Gammerman 2003, "Testing exchangeability on-line" (ranks); Shin, Ramdas and
Rinaldo 2024, "E-detectors: a nonparametric framework for sequential change detection" (sums over the time of
a change); Ville 1939. The sums here are weighted, so the error is that of ever being wrong rather than a mean
time between false alarms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_BLOCK = 512  # events whose ranks are found together
_SHARES = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)  # of scores at one end, on which bets are placed
_TIMES = (0.5, 1.5, 3.0, 10.0, 30.0)  # as frequent as before
_MOST = 0.9  # of all scores that a bet takes to be at one end
_LOWER = 64  # precisions below the goal on which bets are placed


@final
class ScoreChange:
    """Evidence that scores are not distributed as a sample of before.

    Each bet says of one end of the scores (the highest half, the lowest hundredth, ...) that half, one and a
    half, three, ten or thirty times as many fall there.

    Args:
        before: the sample. Shape [scores].
        seed: of the draws that break ties.

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
        """Take scores; the natural logarithm of the stake after each. Shape [scores]."""
        ranks = self._ranks.take(scores)
        gains = np.empty((len(ranks), len(self._bets)))
        for place, (end, share, times) in enumerate(self._bets):
            inside = ranks < share if end == 0 else ranks >= 1 - share
            gains[:, place] = np.where(inside, math.log(times), math.log((1 - share * times) / (1 - share)))
        return self._stake.take(gains)

    @property
    def since(self) -> int:
        """The number of the event, from 1, from which on the change is likeliest to have been there."""
        return self._stake.best[1]

    @property
    def words(self) -> str:
        """What the likeliest change is."""
        end, share, times = self._bets[self._stake.best[0]]
        return (
            f"{times * share:.3g} of the scores are where the {'lowest' if end else 'highest'} {share:g} were"
        )


@final
class PrecisionDrop:
    """Evidence that a precision is, or was for a while, below a goal.

    Each bet is on one of 64 precisions below the goal, evenly spaced: the ratio of the likelihoods.

    Args:
        goal: above 0 and below 1.

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
        """Take labels, in their order; the natural logarithm of the stake after each. Shape [labels]."""
        return self._stake.take(self._gains[np.asarray(same, dtype=np.int64)])

    @property
    def since(self) -> int:
        """The number of the label, from 1, from which on the precision is likeliest to have been lower."""
        return self._stake.best[1]


@final
class RanksSoFar:
    """RanksSoFar of scores among all before them, from 0 for the highest to 1; uniform if nothing changes.

    Args:
        before: scores that were there already. Shape [scores].
        seed: of the draws that break ties.
    """

    def __init__(self, before: ArrayLike, *, seed: int = 0) -> None:
        self._sorted = np.sort(np.asarray(before, dtype=np.float64))
        self._random = np.random.default_rng(seed)

    def take(self, scores: ArrayLike) -> Floats:
        """Rank scores, each among those before it, too. Shape [scores]."""
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
        found: Floats = (higher + self._random.random(len(scores)) * (equal + 1)) / (
            known + np.arange(len(scores)) + 1
        )
        return found


@final
class Stake:
    """The stake of a bettor who doesn't know when a change begins, nor which of some bets is right.

    Args:
        bets: how many.
    """

    def __init__(self, bets: int) -> None:
        self._events = 0
        self._placed = np.full(bets, -np.inf)  # logarithms of what each bet has made of its parts
        self._total = np.zeros(bets)  # and of what it would have made from the beginning on
        self._lowest = np.full(bets, np.inf)
        self._begins = np.zeros(bets, dtype=np.int64)

    def take(self, gains: Floats) -> Floats:
        """Take what each bet pays at each event, as logarithms. Shape [events, bets].

        Returns:
            The logarithm of the whole stake after each event. Shape [events].
        """
        parts = [self._block(gains[start : start + 4096]) for start in range(0, len(gains), 4096)]
        return np.concatenate([np.empty(0), *parts])

    @property
    def best(self) -> tuple[int, int]:
        """The bet that has won the most, and the number of the event from which on it has, from 1."""
        bet = int(np.argmax(self._total - self._lowest)) if self._events else 0
        return bet, int(self._begins[bet]) + 1

    def _block(self, gains: Floats) -> Floats:
        numbers = np.arange(self._events + 1, self._events + len(gains) + 1)
        entering = np.log((_left(numbers) - _left(numbers + 1)) / gains.shape[1])
        totals = self._total + np.cumsum(gains, axis=0)
        before = np.vstack([self._total, totals[:-1]])
        # A part that enters before event j has made the product of the gains from j on.
        worth = np.vstack([self._placed - self._total, entering[:, None] - before])
        placed = np.logaddexp.accumulate(worth, axis=0)[1:] + totals
        self._note_best(before)
        self._events, self._placed, self._total = self._events + len(gains), placed[-1], totals[-1]
        found: Floats = np.logaddexp(np.logaddexp.reduce(placed, axis=1), np.log(_left(numbers + 1)))
        return found

    def _note_best(self, before: Floats) -> None:
        place = before.argmin(axis=0)
        lowest = before[place, np.arange(before.shape[1])]
        self._begins = np.where(lowest < self._lowest, self._events + place, self._begins)
        self._lowest = np.minimum(lowest, self._lowest)


def _left(numbers: NDArray[np.int64]) -> Floats:
    """The part of the stake that enters at these events or later. Shape [events]."""
    found: Floats = 1 / (1 + np.log(numbers))
    return found


def first_alarm(stakes: Floats, error: float) -> int | None:
    """The place, from 0, at which a stake reaches 1 / error for the first time; None if it doesn't.

    Args:
        stakes: their natural logarithms. Shape [events].
        error: the probability of ever getting there if nothing has changed.
    """
    reached = np.flatnonzero(stakes >= math.log(1 / error))
    return int(reached[0]) if len(reached) else None


def wealths(found: Sequence[float] | Floats) -> Floats:
    """Stakes of their logarithms, without overflow. Shape [events]."""
    kept: Floats = np.exp(np.minimum(found, 700.0))
    return kept
