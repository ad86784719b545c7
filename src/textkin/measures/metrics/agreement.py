"""Agreement of systems on the same items, and overlap of their errors.

Decisions are integers: the class, the index of the choice, the first document. All metrics of two systems are
prepared for resampling, see :data:`textkin.data.protocols.ByWeight`.

Sources: Cohen, "A coefficient of agreement for nominal scales" (1960), for kappa; Kendall, "The treatment of
ties in ranking problems" (1945), for tau-b; Krippendorff, "Computing Krippendorff's alpha-reliability"
(2011), for alpha; Kuncheva and Whitaker, "Measures of diversity in classifier ensembles" (2003), for shared
errors.
"""

from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.metrics.weighted import quotient, sums_by


def same_by_weight(a: Ints, b: Ints) -> ByWeight:
    """The proportion of items with the same decision of two systems. Both of shape [items]."""
    _check(a, b)
    same = (a == b).astype(np.float64)
    return lambda weights: quotient(same @ weights, weights.sum(axis=0))


def kappa_by_weight(a: Ints, b: Ints) -> ByWeight:
    """Cohen's kappa: (same - chance) / (1 - chance). Both of shape [items].

    Chance is the expected agreement of two independent systems with the same proportions of decisions: the
    sum over decisions of the product of their proportions. NaN if both systems always make one decision.
    """
    _check(a, b)
    levels, numbers = np.unique(np.concatenate((a, b)), return_inverse=True)
    of_a, of_b = (sums_by(side, len(levels)) for side in np.split(numbers, 2))
    same = (a == b).astype(np.float64)

    def figure(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        alike = quotient(same @ weights, total)
        chance = quotient(np.einsum("lr,lr->r", of_a(weights), of_b(weights)), total * total)
        # Rounding of the sums: chance may differ slightly from 1 if all decisions agree.
        room = np.where(1 - chance > 1e-12, 1 - chance, 0.0)
        return quotient(alike - chance, room)

    return figure


def alpha_by_weight(counts: Ints) -> ByWeight:
    """Krippendorff's alpha of nominal answers: 1 - disagreement / expected disagreement.

    Items may have any number of annotators, and not all need to answer the same items. NaN if all answers are
    equal.

    Args:
        counts: number of times each answer was given to an item, at least two in all. Shape [items, answers].

    Raises:
        DataError: an item has fewer than two answers.
    """
    given = counts.astype(np.float64)
    each = given.sum(axis=1, keepdims=True)
    if (each < 2).any():
        raise DataError("an item has fewer than two answers", fix="leave it out")
    apart = (given * (each - given) / (each - 1)).sum(axis=1)

    def figure(weights: Floats) -> Floats:
        totals = given.T @ weights
        all_ = totals.sum(axis=0)
        chance = quotient(all_ * all_ - (totals * totals).sum(axis=0), all_ - 1)
        return 1 - quotient(apart @ weights, chance)

    return figure


def shared_errors_by_weight(wrong_a: Bools, wrong_b: Bools) -> ByWeight:
    """The proportion of items with an error of both systems, among those with an error of either.

    It is 1 if both fail on the same items, and 0 if they never fail together. NaN if neither errs. Both of
    shape [items].
    """
    _check(wrong_a, wrong_b)
    both, either = ((one).astype(np.float64) for one in (wrong_a & wrong_b, wrong_a | wrong_b))
    return lambda weights: quotient(both @ weights, either @ weights)


def mean_by_weight(values: Floats) -> ByWeight:
    """The mean over items, ignoring NaN; NaN if no item has a value. Shape [items]."""
    known = np.isfinite(values)
    filled, there = np.where(known, values, 0.0), known.astype(np.float64)
    return lambda weights: quotient(filled @ weights, there @ weights)


def majority(decisions: Ints) -> Ints:
    """Majority vote of the systems on each item. Shape [items].

    Ties go to the decision of the first system among them.

    Args:
        decisions: shape [systems, items].

    Raises:
        DataError: there are no systems.
    """
    if not len(decisions):
        raise DataError("there is nobody to vote", fix="give two systems or more")
    votes = np.stack([(decisions == one).sum(axis=0) for one in decisions])
    return np.asarray(votes.argmax(axis=0), dtype=np.int64)


def vote_right(decisions: Ints, right: Bools) -> Bools:
    """True where the majority vote is correct.

    Both of shape [systems, items]. Shape [items].
    """
    return np.asarray(right[majority(decisions), np.arange(decisions.shape[1])])


def kendall_tau_b(scores: Sequence[Floats] | Floats) -> Floats:
    """Kendall's tau-b of all pairs of systems on one question's candidates. Shape [systems, systems].

    NaN if a system gives all candidates one score, or if there is a single candidate.

    Args:
        scores: shape [systems, candidates]; compared as float32, like rankings.
    """
    given = np.asarray(scores).astype(np.float32)
    first, second = np.triu_indices(given.shape[1], k=1)
    # Signs in float64: their products are integers, and therefore exact.
    signs = np.sign(given[:, first] - given[:, second]).astype(np.float64)
    shared = signs @ signs.T
    untied = np.diag(shared)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = shared / np.sqrt(np.outer(untied, untied))
    return np.asarray(np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), np.nan))


def _check(a: Ints | Bools, b: Ints | Bools) -> None:
    if a.shape != b.shape or a.ndim != 1:
        raise DataError(f"decisions of shapes {a.shape} and {b.shape} are not on the same items")
