from __future__ import annotations

import itertools

import numpy as np
import pytest

from textkin.base.errors import DataError, UsageError
from textkin.measures.decisions.combination import CombinedBy, Linear, Probabilities, Quantiles, Ranks
from textkin.measures.decisions.combination_fit import (
    cross_fitted,
    fit_combination,
    folds_of,
    normalisation,
    selected_weights,
)
from textkin.measures.decisions.member_scores import JudgedBy, Votes


def pairs(rows=120, seed=0, noise=(0.5, 0.5, 5.0)):
    """Members that observe the label with independent noise, on their own scales."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rows).astype(float)
    seen = labels[:, None] + rng.normal(size=(rows, 3)) * noise
    return Votes(seen * [1.0, 100.0, 0.01] + [0, 5, -3], labels, np.arange(rows) // 2, JudgedBy.PAIRS)


def questions(kind=JudgedBy.CHOSEN, rows=4, count=40, seed=0, probabilities=False):
    rng = np.random.default_rng(seed)
    asked = np.repeat(np.arange(count), rows)
    right = np.tile(np.eye(rows)[0], count)
    mixed = rng.permuted(right.reshape(count, rows), axis=1).ravel()
    level = np.repeat(rng.normal(size=count), rows)
    values = (mixed + level)[:, None] + rng.normal(size=(count * rows, 2)) * [0.5, 2.0]
    if probabilities:
        powers = np.exp(values).reshape(count, rows, 2)
        values = (powers / powers.sum(axis=1, keepdims=True)).reshape(-1, 2)
    return Votes(values, mixed, asked, kind, questions=asked, are_probabilities=probabilities)


ALL = [
    pairs(),
    questions(),
    questions(JudgedBy.RANKED),
    questions(probabilities=True),
]


def suiting(several):
    """Votes with suitable rules: ranks within a question need questions."""
    pairs = itertools.product(several, CombinedBy)
    return [(one, rule) for one, rule in pairs if rule is not CombinedBy.RRF or one.questions is not None]


def test_reciprocal_ranks_need_questions():
    alone = next(one for one in ALL if one.questions is None)
    with pytest.raises(UsageError) as error:
        fit_combination(alone, CombinedBy.RRF)
    assert error.value.params == ("combine",)


@pytest.mark.parametrize(("votes", "rule"), suiting(ALL))
def test_every_rule_does_better_than_chance_on_rows_that_it_was_not_fitted_on(votes, rule):
    folds = folds_of(votes.groups)
    combined = cross_fitted(votes, rule, folds)
    noise = votes.figure(np.random.default_rng(5).normal(size=len(combined)))
    assert votes.figure(combined) > noise + 0.1


@pytest.mark.parametrize(("votes", "rule"), suiting(ALL))
def test_a_fold_is_judged_by_what_was_fitted_on_the_others(votes, rule):
    folds = folds_of(votes.groups, folds=3)
    found = cross_fitted(votes, rule, folds)
    for fold in range(3):
        inside = folds == fold
        fitted = fit_combination(votes.select(~inside), rule)
        asked = None if votes.questions is None else votes.questions[inside]
        scores = fitted.combine(votes.values[inside], asked)
        if asked is None:
            scores = Quantiles.of(fitted.combine(votes.values[~inside])).share(scores)
        assert found[inside].tolist() == scores.tolist()


@pytest.mark.parametrize("rule", [CombinedBy.LOGISTIC, CombinedBy.SUM, CombinedBy.MEAN])
def test_folds_of_other_proportions_are_judged_on_one_scale(rule):
    # Each fit alone ranks as its only member does. So must all folds together.
    drawn = np.random.default_rng(0)
    worth = (drawn.random(300) < 0.2).astype(np.float64)
    scores = worth + drawn.normal(size=300)
    figures = []
    for seed in range(20):
        groups = drawn.integers(0, 30, 300)
        votes = Votes(scores[:, None], worth, groups, JudgedBy.PAIRS)
        figures.append(votes.figure(cross_fitted(votes, rule, folds_of(groups, seed=seed))))
    assert np.mean(figures) == pytest.approx(votes.figure(scores), abs=0.01)


@pytest.mark.parametrize(("votes", "rule"), suiting(ALL[:3]))
def test_scales_of_members_do_not_matter(votes, rule):
    moved = Votes(votes.values * 7 + 3, votes.worth, votes.groups, votes.judged, questions=votes.questions)
    own, other = (fit_combination(one, rule) for one in (votes, moved))
    a, b = own.combine(votes.values, votes.questions), other.combine(moved.values, votes.questions)
    assert votes.figure(a) == pytest.approx(votes.figure(b), abs=1e-6)


def test_the_noisy_member_counts_least():
    votes = pairs(rows=600)
    weighted = fit_combination(votes, CombinedBy.WEIGHTED)
    stacked = fit_combination(votes, CombinedBy.LOGISTIC)
    assert isinstance(weighted, Linear) and isinstance(stacked, Linear)
    assert sum(weighted.weights) == pytest.approx(1)
    for weights in (weighted.weights, stacked.weights):
        assert weights[2] < 0.3 * min(weights[:2])
    mean = fit_combination(votes, CombinedBy.MEAN)
    assert votes.figure(weighted.combine(votes.values)) >= votes.figure(mean.combine(votes.values))


def test_selection_is_never_worse_than_the_best_member_or_all_alike():
    for seed in range(5):
        votes = pairs(rows=60, seed=seed)
        values = (votes.values - votes.values.mean(axis=0)) / votes.values.std(axis=0)
        found = votes.figure(values @ selected_weights(votes, values))
        assert found >= max(votes.figure(values[:, one]) for one in range(3)) - 1e-9


def test_selection_by_brute_force():
    """With two members the best of all multiples on the path is found if the metric is unimodal."""
    votes = pairs(rows=200, noise=(1.0, 1.0, 1.0))
    values = ((votes.values - votes.values.mean(axis=0)) / votes.values.std(axis=0))[:, :2]
    two = Votes(values, votes.worth, votes.groups, JudgedBy.PAIRS)
    best = max(two.figure(values @ [one, 1 - one]) for one in np.linspace(0, 1, 51))
    assert two.figure(values @ selected_weights(two, values)) >= best - 0.005


def test_where_no_figure_is_defined_all_count_alike():
    votes = Votes(np.ones((4, 2)), np.zeros(4), np.arange(4), JudgedBy.PAIRS)
    assert selected_weights(votes, votes.values).tolist() == [0.5, 0.5]


def test_what_rules_become():
    alone, asked, probable = pairs(), questions(), questions(probabilities=True)
    assert fit_combination(asked, CombinedBy.RANK) == Ranks(2)
    ranks = fit_combination(alone, CombinedBy.RANK)
    assert isinstance(ranks, Ranks) and not ranks.needs_questions
    assert fit_combination(probable, CombinedBy.SUM) == Probabilities((0.5, 0.5))
    assert isinstance(fit_combination(probable, CombinedBy.WEIGHTED), Probabilities)
    for votes in (alone, questions(JudgedBy.RANKED)):
        found = fit_combination(votes, CombinedBy.SUM)
        assert isinstance(found, Probabilities) and found.curves is not None
    found = fit_combination(asked, CombinedBy.SUM)
    assert isinstance(found, Probabilities) and found.slopes is not None and min(found.slopes) > 0


def test_the_scale_of_competing_rows_is_that_within_a_question():
    votes = questions()
    assert votes.questions is not None
    _, scales = normalisation(votes.values, votes.questions)
    shifted = votes.values + votes.questions[:, None] * 100
    assert normalisation(shifted, votes.questions)[1] == pytest.approx(scales)
    off = [
        votes.values[votes.questions == one] - votes.values[votes.questions == one].mean(axis=0)
        for one in range(40)
    ]
    assert scales == pytest.approx(np.sqrt((np.concatenate(off) ** 2).mean(axis=0)))


def test_a_member_that_says_one_thing_has_a_scale_of_one():
    locations, scales = normalisation(np.full((5, 1), 0.1 + 0.2), None)
    assert scales.tolist() == [1.0] and locations == pytest.approx([0.3])


def test_graded_pairs_have_no_probabilities():
    votes = Votes(np.random.default_rng(0).normal(size=(9, 2)), np.arange(9.0), np.arange(9), JudgedBy.GRADED)
    for rule in (CombinedBy.SUM, CombinedBy.LOGISTIC):
        with pytest.raises(UsageError) as error:
            fit_combination(votes, rule)
        assert error.value.params == ("combine",)
    assert isinstance(fit_combination(votes, CombinedBy.WEIGHTED), Linear)


def test_folds_keep_groups_whole_and_are_about_equal():
    groups = np.random.default_rng(0).integers(0, 30, 200)
    folds = folds_of(groups, folds=4, seed=1)
    for group in range(30):
        assert len(set(folds[groups == group].tolist())) <= 1
    sizes = np.bincount(folds)
    assert len(sizes) == 4 and sizes.max() - sizes.min() <= np.bincount(groups).max()
    assert folds.tolist() == folds_of(groups, folds=4, seed=1).tolist()
    assert folds.tolist() != folds_of(groups, folds=4, seed=2).tolist()


def test_of_few_groups_there_are_fewer_folds():
    assert folds_of(np.array([0, 0, 1]), folds=5).tolist() in ([0, 0, 1], [1, 1, 0])
    with pytest.raises(DataError, match="hang together"):
        folds_of(np.zeros(5, dtype=int))
