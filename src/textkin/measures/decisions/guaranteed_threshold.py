"""Thresholds that keep what they promise on other pairs of the same kind.

A threshold is the end of a search, and the luckiest of many estimates is too good. So thresholds are tried in
an order that the labels have no say in, each by the lower end of its interval, and are believed together by
Wiens' procedure (``prefix_precision.py``): with probability 0.95 or more, none that passes falls short.
Pairs that hang together through shared texts count as fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import PromiseError
from textkin.measures.decisions.candidate_thresholds import Cuts, first_best
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.intervals.prefix_precision import FirstShares, fallback, shares_found, shares_of_first

ERROR: Final = 0.05
"""The probability that any threshold which passes falls short."""
SINGLE: Final = 0.025
"""That of one alone: its goal is above the lower end of a 95 % interval."""
_STEP: Final = 1.1  # from one threshold that is tried to the next, in independent pairs
_BEGIN: Final = 2.0  # from one beginning to the next: an error high up does not stop the search for good
_QUANTILE: Final = 1.96


def promised_cut(cuts: Cuts, same: NDArray[np.bool_], clusters: NDArray[np.int64], goal: Goal) -> int:
    """The position of the best cut whose lower end reaches the goal.

    Args:
        cuts: all thresholds.
        same: which pairs are the same, by falling score. Shape [pairs].
        clusters: the component of each of these pairs. Shape [pairs].
        goal: a promise.

    Raises:
        PromiseError: there is none.
    """
    level = goal.level or 0.0
    if goal.aim is Aim.PRECISION:
        shares = shares_of_first(same, clusters, cuts.taken[1:])
        passing = [place + 1 for place in _precise(shares, level)]
        why = "" if passing else _why_not_precise(shares, level)
    else:
        found = shares_found(clusters[same], cuts.found)
        passing = _finding(found, level)  # what failed is the first that was tried, the lowest threshold
        why = f"the lower end of the one that finds most is {found.lower(SINGLE)[-1]:.3f}"
    if not passing:
        raise _not_shown(goal, len(same), why)
    kept = np.zeros(len(cuts.values), dtype=np.bool_)
    kept[passing] = True
    keys = (cuts.recall, cuts.precision) if goal.aim is Aim.PRECISION else (cuts.precision, cuts.recall)
    return first_best(np.where(kept, keys[0], -1.0), keys[1])


def missed(goal: Goal, pairs: int, *, best: float) -> PromiseError:
    """The error where no threshold's estimate reaches a goal; ``best`` is the highest of any."""
    return PromiseError(
        f"no threshold is fitted: on {pairs:,} pairs, none has a {goal.aim} of at least {goal.level:g}; the "
        f"highest is {best:.3f}",
        fix="ask for less, or label more pairs",
    )


def _not_shown(goal: Goal, pairs: int, why: str) -> PromiseError:
    return PromiseError(
        f"no threshold is fitted: on {pairs:,} pairs, none is shown to have a {goal.aim} of at least "
        f"{goal.level:g}; {why}",
        fix="label more pairs or ask for less; the rule 'estimate' promises nothing, and asks for less",
    )


def tested_alone(starts: Sequence[bool]) -> float:
    """The error that a beginning is held to, where none before it has passed."""
    return min(ERROR / max(sum(starts), 1), SINGLE)


def _why_not_precise(shares: FirstShares, level: float) -> str:
    """What the tests gave that failed, which are those of the beginnings."""
    if level >= 1:
        return f"the highest lower end of any is {shares.lower(SINGLE).max():.3f}, and none reaches 1"
    places, starts = tried(shares.clusters, level)
    begun = [place for place, begins in zip(places, starts, strict=True) if begins]
    if not begun:
        return (
            f"that takes {math.ceil(_fewest(level)):,} independent pairs, all of them the same, and there "
            f"are {int(shares.clusters[-1]):,}"
        )
    error = tested_alone(starts)
    best = max(float(shares.lower(error, slice(place, place + 1))[0]) for place in begun)
    return f"the highest lower end of those that were tried is {best:.3f}"


def _precise(shares: FirstShares, level: float) -> list[int]:
    """Positions of shares that are at least so high, all of them with probability 0.95."""
    if level >= 1:
        return []  # no number of right pairs shows that all are
    places, starts = tried(shares.clusters, level)

    def passes(claim: int, error: float) -> bool:
        place = places[claim]
        return bool(shares.lower(error, slice(place, place + 1))[0] >= level)

    return [places[claim] for claim in fallback(passes, starts, error=ERROR, most=SINGLE)]


def tried(clusters: NDArray[np.int64], level: float) -> tuple[list[int], list[bool]]:
    """Which thresholds are tried for a precision, highest first, and which of them are beginnings.

    Args:
        clusters: how many independent pairs each takes. Shape [thresholds].
        level: the precision, below 1.
    """
    places: list[int] = []
    starts: list[bool] = []
    wanted = begin = _fewest(level)
    while wanted <= clusters[-1]:
        place = int(np.searchsorted(clusters, wanted))
        if not places or place > places[-1]:
            places.append(place)
            starts.append(clusters[place] >= begin)
            if starts[-1]:
                begin = clusters[place] * _BEGIN
        wanted = max(wanted, float(clusters[place])) * _STEP
    return places, starts


def _fewest(level: float) -> float:
    """So many independent pairs show a precision if all of them are right; fewer show nothing."""
    return level / (1 - level) * _QUANTILE**2


def _finding(shares: FirstShares, level: float) -> list[int]:
    """Positions of thresholds that find so much, from the lowest up to the first that is not sure to.

    What a higher one finds a lower one finds too, so a fixed sequence from below needs no correction. It
    begins where a pair is missed: by how much pairs are alike can't be seen before.
    """
    sure = (shares.lower(SINGLE) >= level) | (shares.share >= 1)
    if not sure[shares.share < 1].any():
        sure = shares.lower(SINGLE) >= level
    failed = np.flatnonzero(~sure)
    return list(range(int(failed[-1]) + 1 if len(failed) else 0, len(sure)))
