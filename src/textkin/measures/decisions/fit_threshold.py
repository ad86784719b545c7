"""Fit the score from which on a pair counts as the same, for a goal that the user states.

A threshold is fitted on one set of pairs (dev) and applied unchanged to others. It lies halfway between two
different scores, so pairs of equal score are never split; scores are compared as float32, the precision in
which scorers give them. A score of minus infinity says that a pair was not found at all: no threshold takes
it.

A goal of a level is a promise: of the thresholds, which are the ends of a search, only such are taken whose
lower confidence end reaches the level (``guaranteed_threshold.py``). The rule "estimate" takes the estimate
for it, which falls short elsewhere in about half of the cases.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.measures.decisions.candidate_thresholds import Cuts, first_best
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.guaranteed_threshold import missed, promised_cut
from textkin.measures.metrics.binary_pairs import Confusion
from textkin.measures.metrics.weighted import check_pairs, same_pairs

_Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class Threshold:
    """A fitted threshold and how it did on the pairs that it was fitted on.

    Attributes:
        value: pairs that score this or more are the same; a float32 number.
        goal: what it was fitted for, as :meth:`Goal.parse` reads it.
        precision: on these pairs.
        recall: on these pairs.
        f1: on these pairs.
        accuracy: on these pairs.
        pairs: how many there were.
        positives: how many of them are the same.
        by_estimate: what the rule "estimate" would have had: the recall at its threshold, of a goal of recall
            the precision. None where the goal is no promise.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    value: float
    goal: str
    precision: float
    recall: float
    f1: float
    accuracy: float
    pairs: int
    positives: int
    by_estimate: float | None = None

    def decide(self, scores: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
        """Which pairs are the same, shape [pairs]."""
        return np.greater_equal(scores.astype(np.float32), np.float32(self.value))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def fit_threshold(
    labels: _Floats,
    scores: NDArray[np.floating[Any]],
    goal: Goal,
    *,
    clusters: NDArray[np.int64] | None = None,
) -> Threshold:
    """The best threshold for ``goal`` on these pairs.

    A score of minus infinity is that of a pair that was not found at all.

    Where several do equally well, precision goals take the most precise, recall goals the one that finds
    most, and the others the highest threshold.

    Args:
        labels: 1 for pairs that are the same. Shape [pairs].
        scores: shape [pairs].
        goal: what to fit for.
        clusters: the component of each pair, for promises: pairs of one are not independent. Shape [pairs];
            None if each pair stands alone.

    Raises:
        DataError: the pairs are not of both kinds, or a label or score is not what it must be.
        PromiseError: no threshold reaches the goal.
    """
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    check_pairs(labels, single.astype(np.float64))
    if np.isposinf(single).any():
        raise DataError("a score is infinite; no threshold can be put beside it")
    same = same_pairs(labels)
    positives = int(same.sum())
    if positives in (0, len(same)):
        kind = "the same" if positives else "different"
        raise DataError(
            f"all {len(same)} pairs are {kind}; a threshold needs both kinds",
            fix="give a file with both labels",
        )
    cuts, by_estimate = Cuts.of(same, single), None
    if goal.is_promise:
        order = np.argsort(-single, kind="stable")
        alone = np.arange(len(same)) if clusters is None else clusters
        best = promised_cut(cuts, same[order], alone[order], goal)
        estimated = _choose(cuts, goal)
        other = cuts.recall if goal.aim is Aim.PRECISION else cuts.precision
        by_estimate = None if estimated is None else float(other[estimated])
    else:
        found = _choose(cuts, goal)
        if found is None:
            raise missed(goal, len(same), best=float(getattr(cuts, goal.aim.value).max()))
        best = found
    return _at(cuts, best, goal, pairs=len(same), by_estimate=by_estimate)


def _at(cuts: Cuts, best: int, goal: Goal, *, pairs: int, by_estimate: float | None) -> Threshold:
    found, taken, positives = int(cuts.found[best]), int(cuts.taken[best]), cuts.positives
    at = Confusion(
        true_positives=found,
        false_positives=taken - found,
        false_negatives=positives - found,
        true_negatives=pairs - positives - taken + found,
    )
    return Threshold(
        value=float(cuts.values[best]),
        goal=str(goal),
        precision=at.precision,
        recall=at.recall,
        f1=at.f1,
        accuracy=at.accuracy,
        pairs=pairs,
        positives=positives,
        by_estimate=by_estimate,
    )


def _choose(cuts: Cuts, goal: Goal) -> int | None:
    """The position of the best cut by the estimates; None if none reaches the goal."""
    level = goal.level or 0.0
    if goal.aim is Aim.PRECISION:
        fits = (cuts.precision >= level) & (cuts.taken > 0)
        return first_best(np.where(fits, cuts.recall, -1.0), cuts.precision) if fits.any() else None
    if goal.aim is Aim.RECALL:  # where too few of the same pairs were found at all, no cut reaches it
        fits = cuts.recall >= level
        return first_best(np.where(fits, cuts.precision, -1.0), cuts.recall) if fits.any() else None
    if goal.aim is Aim.F1:
        return first_best(2 * cuts.found / (cuts.taken + cuts.positives))
    return first_best(2 * cuts.found - cuts.taken)  # right decisions, but for a constant
