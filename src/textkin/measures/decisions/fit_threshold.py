"""Fit the minimum score of duplicates for a goal that the user states.

A threshold is fitted on one set of pairs (dev) and applied unchanged to others. It lies halfway between two
distinct scores, so pairs of equal score are never split. Scores are compared as float32, the precision in
which scorers return them. A score of minus infinity marks a pair that was not retrieved: no threshold accepts
it.

A goal with a level is a guarantee: the fit searches only thresholds whose lower confidence bound reaches the
level (``guaranteed_threshold.py``). The rule "estimate" compares the point estimate instead, which falls
short on other data in about half of all cases.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.measures.decisions.candidate_thresholds import Cuts, first_best
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.guaranteed_threshold import missed, promised_cut
from textkin.measures.metrics.binary_pairs import Confusion
from textkin.measures.metrics.weighted import check_pairs, same_pairs


@dataclass(frozen=True, slots=True)
class Threshold:
    """A fitted threshold and its performance on the pairs it was fitted on.

    Attributes:
        value: the minimum score of positive pairs, a float32 number.
        goal: the goal it was fitted for, as :meth:`Goal.parse` reads it.
        precision: precision on these pairs.
        recall: recall on these pairs.
        f1: F1 on these pairs.
        accuracy: accuracy on these pairs.
        pairs: number of pairs.
        positives: number of positive pairs.
        by_estimate: recall at the threshold that the rule "estimate" would choose; precision if the goal is a
            recall. None if the goal is not a guarantee.
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

    def decide(self, scores: NDArray[np.floating[Any]]) -> Bools:
        """True for each pair at or above the threshold, shape [pairs]."""
        return np.greater_equal(scores.astype(np.float32), np.float32(self.value))

    def to_dict(self) -> dict[str, Any]:
        """The threshold as JSON-compatible values."""
        return asdict(self)


def fit_threshold(
    labels: Floats,
    scores: NDArray[np.floating[Any]],
    goal: Goal,
    *,
    clusters: Ints | None = None,
) -> Threshold:
    """The best threshold for ``goal`` on these pairs.

    A score of minus infinity marks a pair that was not retrieved.

    Ties: precision goals take the most precise threshold, recall goals the one with the highest recall, and
    the others the highest threshold.

    Args:
        labels: 1 for positive pairs. Shape [pairs].
        scores: shape [pairs].
        goal: the goal to fit for.
        clusters: the component of each pair, for guarantees: pairs of one component are not independent.
            Shape [pairs]; None if all pairs are independent.

    Raises:
        DataError: all labels are equal, or a label or score is invalid.
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
    """The position of the best cut by point estimates; None if none reaches the goal."""
    level = goal.level or 0.0
    if goal.aim is Aim.PRECISION:
        fits = (cuts.precision >= level) & (cuts.taken > 0)
        return first_best(np.where(fits, cuts.recall, -1.0), cuts.precision) if fits.any() else None
    if goal.aim is Aim.RECALL:  # no cut reaches it if too few positives were retrieved
        fits = cuts.recall >= level
        return first_best(np.where(fits, cuts.precision, -1.0), cuts.recall) if fits.any() else None
    if goal.aim is Aim.F1:
        return first_best(2 * cuts.found / (cuts.taken + cuts.positives))
    return first_best(2 * cuts.found - cuts.taken)  # correct decisions, up to a constant
