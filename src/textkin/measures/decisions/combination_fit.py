"""Fit an ensemble's combination rule, and evaluate it on held-out rows."""

from dataclasses import replace

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError, invalid
from textkin.measures.decisions import combination
from textkin.measures.decisions.calibration import Method, Platt, fit_calibration
from textkin.measures.decisions.conditional_logit import fit_conditional_logit, fit_logit
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks, with_lowest

FOLDS = 5
_ROUNDS = 50  # steps of the selection: weights are multiples of 1/50 or more
_RIDGE = 1.0  # for scores with unit variance, as in scikit-learn
_NEGLIGIBLE = 1e-12


def fit_combination(votes: Votes, rule: combination.CombinedBy) -> combination.Combination:
    """Fit a rule to all votes.

    Raises:
        UsageError: the rule needs binary labels, and the labels are graded.
        DataError: the rule needs both positive and negative rows, and one kind is missing.
    """
    if votes.judged is JudgedBy.GRADED and rule in (
        combination.CombinedBy.LOGISTIC,
        combination.CombinedBy.SUM,
    ):
        raise invalid("combine", rule, expected="mean, rank or weighted for graded pairs")
    members, alone = votes.members, votes.questions is None
    if rule is combination.CombinedBy.RRF:
        if alone:
            raise invalid(
                "combine",
                rule,
                expected="mean, rank or weighted for pairs: rrf ranks the candidates of a question",
            )
        return ReciprocalRanks(members)
    votes = replace(votes, values=with_lowest(votes.values, votes.questions))
    if rule is combination.CombinedBy.RANK:
        known = tuple(map(combination.Quantiles.of, votes.values.T)) if alone else None
        return combination.Ranks(members, known)
    if rule is combination.CombinedBy.SUM:
        return _sum(votes)
    if rule is combination.CombinedBy.WEIGHTED and votes.are_probabilities:
        return combination.Probabilities(tuple(selected_weights(votes, votes.values).tolist()))
    logs = rule is combination.CombinedBy.LOGISTIC and votes.are_probabilities
    values = np.log(np.maximum(votes.values, combination.LEAST)) if logs else votes.values
    locations, scales = normalisation(values, votes.questions)
    normalised = (values - locations) / scales
    intercept = 0.0
    if rule is combination.CombinedBy.MEAN:
        weights = np.full(members, 1 / members)
    elif rule is combination.CombinedBy.WEIGHTED:
        weights = selected_weights(votes, normalised)
    elif votes.questions is None:
        weights, intercept = fit_logit(normalised, votes.worth, ridge=_RIDGE)
    else:
        worth = votes.worth if votes.judged is JudgedBy.CHOSEN else (votes.worth > 0).astype(np.float64)
        weights = fit_conditional_logit(normalised, worth, votes.questions, ridge=_RIDGE)
    return combination.Linear(
        tuple(locations.tolist()), tuple(scales.tolist()), tuple(weights.tolist()), intercept, logs
    )


def normalisation(values: Floats, questions: Ints | None) -> tuple[Floats, Floats]:
    """Location and scale of each member's scores, both of shape [members].

    The location is the mean. The scale is the standard deviation. For rows that compete for a question, it is
    the standard deviation around the question's mean, since differences between questions change no ranking.
    The scale of constant scores is 1.

    Args:
        values: shape [rows, members].
        questions: shape [rows]; None if rows are independent.
    """
    locations = values.mean(axis=0)
    off = values - locations
    if questions is not None:
        member = np.unique(questions, return_inverse=True)[1]
        counts = np.bincount(member)
        means = np.stack([np.bincount(member, weights=one) / counts for one in values.T], axis=1)
        off = values - means[member]
    scales = np.sqrt(np.mean(off * off, axis=0))
    floor = _NEGLIGIBLE * np.maximum(np.abs(values).max(axis=0), 1.0)
    return locations, np.where(scales > floor, scales, 1.0)


def selected_weights(votes: Votes, values: Floats) -> Floats:
    """Non-negative weights, chosen greedily on these votes. They sum to 1. Shape [members].

    Members are added one at a time, with replacement, and the best ensemble on the way is returned. Of
    equally good members, the one with the lowest weight so far is added. Source: Caruana, Niculescu-Mizil,
    Crew and Ksikes, "Ensemble selection from libraries of models" (2004), section 2.

    Args:
        votes: the labels and how to judge them.
        values: the scores to sum, shape [rows, members].
    """
    counts = np.zeros(votes.members, dtype=np.int64)
    total, best, chosen = np.zeros(len(values)), -np.inf, counts.copy()
    for _ in range(_ROUNDS):
        figures = np.nan_to_num(
            [votes.figure(total + values[:, one]) for one in range(votes.members)], nan=-np.inf
        )
        equal = np.flatnonzero(figures >= figures.max() - _NEGLIGIBLE)
        added = int(equal[np.argmin(counts[equal])])
        counts[added] += 1
        total += values[:, added]
        if figures[added] > best + _NEGLIGIBLE:
            best, chosen = figures[added], counts.copy()
    if not chosen.any():  # no metric was defined
        chosen[:] = 1
    return np.asarray(chosen / chosen.sum())


def folds_of(groups: Ints, *, folds: int = FOLDS, seed: int = 0) -> Ints:
    """The fold of each row, from 0.

    Groups stay in one fold, and folds are as equal in size as the groups allow.

    Args:
        groups: shape [rows].
        folds: number of folds, at least 2; fewer if there are fewer groups.
        seed: seed for the order of groups of equal size.

    Raises:
        DataError: all rows belong to one group.
    """
    member = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(member)
    if len(sizes) < 2:
        raise DataError(
            "all rows hang together, and nothing can be held out from them",
            fix="give dev data with more components, or more questions",
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled, fold = np.zeros(min(folds, len(sizes)), dtype=np.int64), np.empty(len(sizes), dtype=np.int64)
    for group in order.tolist():
        fold[group] = int(filled.argmin())
        filled[fold[group]] += sizes[group]
    return np.asarray(fold[member])


def cross_fitted(votes: Votes, rule: combination.CombinedBy, folds: Ints) -> Floats:
    """Out-of-fold scores of an ensemble: each row by a fit on the other folds. Shape [rows].

    Independent rows of all folds are judged together, although each fit has a scale of its own. So the score
    of such a row is the proportion of the rows of its fit that score lower.

    Raises:
        UsageError: the rule doesn't suit the votes.
        DataError: without one of the folds, only positive or only negative rows remain.
    """
    found = np.empty(len(votes.values))
    for fold in np.unique(folds).tolist():
        held_out = folds == fold
        fitted = fit_combination(votes.select(~held_out), rule)
        questions = None if votes.questions is None else votes.questions[held_out]
        found[held_out] = fitted.combine(votes.values[held_out], questions)
        if questions is None:
            own = combination.Quantiles.of(fitted.combine(votes.values[~held_out]))
            found[held_out] = own.share(found[held_out])
    return found


def _sum(votes: Votes) -> combination.Probabilities:
    equal = (1 / votes.members,) * votes.members
    if votes.are_probabilities:
        return combination.Probabilities(equal)
    if votes.judged is JudgedBy.CHOSEN and votes.questions is not None:
        slopes = [_slope(one[:, None], votes.worth, votes.questions) for one in votes.values.T]
        return combination.Probabilities(equal, slopes=tuple(slopes))
    right = (votes.worth > 0).astype(np.float64)
    curves = [fit_calibration(right, column, method=Method.PLATT) for column in votes.values.T]
    return combination.Probabilities(equal, curves=tuple(one for one in curves if isinstance(one, Platt)))


def _slope(own: Floats, worth: Floats, questions: Ints) -> float:
    """Fitted slope for splitting a question's probability by the softmax of slope * score.

    Args:
        own: scores of one member, shape [rows, 1].
        worth: shape [rows].
        questions: shape [rows].
    """
    _, scale = normalisation(own, questions)
    weight = fit_conditional_logit(own / scale, worth, questions, ridge=_RIDGE)
    return float(weight[0] / scale[0])
