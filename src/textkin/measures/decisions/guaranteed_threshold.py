"""Thresholds whose guarantees hold on other pairs of the same kind.

A threshold results from a search, and the luckiest of many estimates is too good. So thresholds are tested in
an order that doesn't depend on the labels, each by its lower confidence bound, and Wiens' procedure
(``prefix_precision.py``) controls the joint error: with probability 0.95 or more, no threshold that passes
falls short. Pairs connected through shared texts count as fewer independent pairs.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from textkin.base.arrays import Bools, Ints
from textkin.base.errors import PromiseError
from textkin.measures.decisions.candidate_thresholds import Cuts, first_best
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.intervals.prefix_precision import FirstShares, fallback, shares_found, shares_of_first

ERROR: Final = 0.05
"""Maximum probability that any threshold that passes falls short."""
SINGLE: Final = 0.025
"""Error of a single test: the goal is above the lower bound of a 95 % interval."""
_STEP: Final = 1.1  # ratio of independent pairs between consecutive thresholds
_BEGIN: Final = 2.0  # ratio between starting points: one error at a high score doesn't end the search
_QUANTILE: Final = 1.96


def promised_cut(cuts: Cuts, same: Bools, clusters: Ints, goal: Goal) -> int:
    """The position of the best cut whose lower confidence bound reaches the goal.

    Args:
        cuts: all thresholds.
        same: True for positive pairs, by decreasing score. Shape [pairs].
        clusters: the component of each of these pairs. Shape [pairs].
        goal: a goal that is a guarantee.

    Raises:
        PromiseError: no threshold reaches the goal.
    """
    level = goal.level or 0.0
    if goal.aim is Aim.PRECISION:
        shares = shares_of_first(same, clusters, cuts.taken[1:])
        passing = [place + 1 for place in _precise(shares, level)]
        why = "" if passing else _why_not_precise(shares, level)
    else:
        found = shares_found(clusters[same], cuts.found)
        passing = _finding(found, level)  # if none pass, the lowest threshold failed
        why = f"the lower end of the one that finds most is {found.lower(SINGLE)[-1]:.3f}"
    if not passing:
        raise _not_shown(goal, len(same), why)
    kept = np.zeros(len(cuts.values), dtype=np.bool_)
    kept[passing] = True
    keys = (cuts.recall, cuts.precision) if goal.aim is Aim.PRECISION else (cuts.precision, cuts.recall)
    return first_best(np.where(kept, keys[0], -1.0), keys[1])


def missed(goal: Goal, pairs: int, *, best: float) -> PromiseError:
    """The error for a goal that no estimate reaches; ``best`` is the highest estimate."""
    return PromiseError(
        f"no threshold is fitted: on {pairs:,} pairs, none has a {goal.aim} of at least {goal.level:g}; the "
        f"highest is {best:.3f}",
        fix="lower the goal, or label more pairs",
    )


def _not_shown(goal: Goal, pairs: int, why: str) -> PromiseError:
    return PromiseError(
        f"no threshold is fitted: on {pairs:,} pairs, none is shown to have a {goal.aim} of at least "
        f"{goal.level:g}; {why}",
        fix="label more pairs, lower the goal, or use the rule 'estimate', which promises nothing",
    )


def tested_alone(starts: Sequence[bool]) -> float:
    """The error level of a starting point if none before it has passed."""
    return min(ERROR / max(sum(starts), 1), SINGLE)


def _why_not_precise(shares: FirstShares, level: float) -> str:
    """A description of the failed tests, those of the starting points."""
    if level >= 1:
        return f"the best lower bound is {shares.lower(SINGLE).max():.3f}, and none reaches 1"
    places, starts = tried(shares.clusters, level)
    begun = [place for place, begins in zip(places, starts, strict=True) if begins]
    if not begun:
        return (
            f"that takes {math.ceil(_fewest(level)):,} independent pairs, all of them the same, and there "
            f"are {int(shares.clusters[-1]):,}"
        )
    error = tested_alone(starts)
    best = max(float(shares.lower(error, slice(place, place + 1))[0]) for place in begun)
    return f"the best lower bound of those tried is {best:.3f}"


def _precise(shares: FirstShares, level: float) -> list[int]:
    """Positions whose precision is at least ``level``, jointly with probability 0.95."""
    if level >= 1:
        return []  # no number of positive pairs proves a precision of 1
    places, starts = tried(shares.clusters, level)

    def passes(claim: int, error: float) -> bool:
        place = places[claim]
        return bool(shares.lower(error, slice(place, place + 1))[0] >= level)

    return [places[claim] for claim in fallback(passes, starts, error=ERROR, most=SINGLE)]


def tried(clusters: Ints, level: float) -> tuple[list[int], list[bool]]:
    """Thresholds to test for a precision, highest first, and flags for the starting points.

    Args:
        clusters: number of independent pairs at each threshold. Shape [thresholds].
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
    """The minimum number of independent pairs that can prove a precision, if all are positive."""
    return level / (1 - level) * _QUANTILE**2


def _finding(shares: FirstShares, level: float) -> list[int]:
    """Positions with enough recall, from the lowest threshold up to the first that fails.

    Lower thresholds have at least the recall of higher ones, so a fixed sequence from below needs no
    correction. It begins at the first missed pair; until then the correlation of pairs is unknown.
    """
    sure = (shares.lower(SINGLE) >= level) | (shares.share >= 1)
    if not sure[shares.share < 1].any():
        sure = shares.lower(SINGLE) >= level
    failed = np.flatnonzero(~sure)
    return list(range(int(failed[-1]) + 1 if len(failed) else 0, len(sure)))
