from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.base.errors import PromiseError
from textkin.measures.decisions import guaranteed_threshold as module
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.guaranteed_threshold import tried
from textkin.measures.intervals.standard_errors import wilson

_Floats = NDArray[np.float64]
DRAWS = 120


def drawn(rng: np.random.Generator, groups: int, size: int) -> tuple[_Floats, _Floats, NDArray[np.int64]]:
    """Labels, scores, groups: higher scores are more often the same; groups are alike."""
    clusters = np.repeat(np.arange(groups), size)
    scores = 0.8 * rng.random(groups)[clusters] + 0.2 * rng.random(len(clusters))
    luck = np.where(rng.random(len(clusters)) < 0.6, rng.random(groups)[clusters], rng.random(len(clusters)))
    return (luck < 0.3 + 0.69 * scores).astype(np.float64), scores, clusters


def share_kept(goal: Goal, measure: str, *, groups: int, size: int) -> tuple[float, float]:
    """The number of samples with a threshold, and the fraction of all that falls short elsewhere."""
    rng = np.random.default_rng(5)
    labels, scores, _ = drawn(rng, 200_000, 1)
    fitted, short = 0, 0
    for _ in range(DRAWS):
        of_labels, of_scores, clusters = drawn(rng, groups, size)
        try:
            found = fit_threshold(of_labels, of_scores, goal, clusters=clusters)
        except PromiseError:
            continue
        decided = found.decide(scores)
        true = labels[decided].mean() if measure == "precision" else decided[labels > 0].mean()
        fitted, short = fitted + 1, short + (true < goal.level)
    return fitted / DRAWS, short / DRAWS


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "size"), [(1500, 1), (900, 4)])
def test_a_promised_precision_holds_elsewhere(groups: int, size: int) -> None:
    fitted, short = share_kept(Goal.parse("precision=0.8"), "precision", groups=groups, size=size)
    assert fitted > 0.5
    assert short <= 0.05
    fitted, short = share_kept(Goal.parse("precision=0.8:estimate"), "precision", groups=groups, size=size)
    assert short > 0.3  # the rule of before


@pytest.mark.slow
def test_a_promised_recall_holds_elsewhere() -> None:
    fitted, short = share_kept(Goal.parse("recall=0.9"), "recall", groups=300, size=3)
    assert (fitted, short <= 0.05) == (1.0, True)
    assert share_kept(Goal.parse("recall=0.9:estimate"), "recall", groups=300, size=3)[1] > 0.3


def test_pairs_that_hang_together_promise_less() -> None:
    labels, scores = np.repeat([1.0, 0.0], 300), np.linspace(1, 0, 600)
    goal = Goal.parse("precision=0.95")
    assert fit_threshold(labels, scores, goal).precision >= 0.95
    with pytest.raises(PromiseError):
        fit_threshold(labels, scores, goal, clusters=np.arange(600) // 10)


def test_how_many_right_pairs_it_takes() -> None:
    # 73 right ones have Wilson's lower end above 0.95; Student's quantile asks for some more.
    goal = Goal.parse("precision=0.95")
    for right, is_enough in ((60, False), (200, True)):
        labels = np.repeat([1.0, 0.0], right)
        try:
            found = fit_threshold(labels, -np.arange(2.0 * right), goal)
        except PromiseError:
            found = None
        assert (found is not None) is is_enough
    assert found is not None
    assert found.by_estimate == 1.0 > found.recall * 0.99


def test_a_wrong_pair_at_the_top_is_no_end_of_the_search() -> None:
    labels = np.concatenate((np.zeros(8), np.ones(2000), np.zeros(1000)))
    found = fit_threshold(labels, -np.arange(len(labels)).astype(float), Goal.parse("precision=0.95"))
    assert found.recall > 0.8


def test_whole_certainty_is_never_promised() -> None:
    labels, scores = np.repeat([1.0, 0.0], 1000), -np.arange(2000.0)
    with pytest.raises(PromiseError):
        fit_threshold(labels, scores, Goal.parse("precision=1"))


def test_the_search_begins_where_right_pairs_could_show_the_goal() -> None:
    places, starts = tried(np.arange(1, 601), 0.95)
    first = float(np.arange(1, 601)[places[0]])
    lower, _ = wilson(np.ones(2), np.array([first, first - 1]), 1.96)
    assert lower[0] >= 0.95 > lower[1]
    assert starts[0]


def test_all_found_is_sure_enough_where_fewer_are_shown_to_be() -> None:
    """If none is missed, the correlation within a cluster can't be seen: 30 clusters show little."""
    labels = np.concatenate((np.ones(90), np.zeros(30)))
    clusters = np.concatenate((np.repeat(np.arange(30), 3), np.arange(30, 60)))
    scores = 1 - np.arange(120) / 200
    goal = Goal.parse("recall=0.9")
    everything = module.shares_found(clusters[:90], np.array([89, 90]))
    fewer, every = everything.lower(0.025)
    assert every < 0.9 < fewer
    assert module._finding(everything, 0.9) == [0, 1]
    assert fit_threshold(labels, scores, goal, clusters=clusters).recall == 1  # at equal precision


def test_all_found_alone_shows_what_its_own_lower_end_does() -> None:
    for pairs, is_enough in ((20, False), (60, True)):
        shares = module.shares_found(np.arange(pairs), np.array([1, pairs]))
        assert module._finding(shares, 0.9) == ([1] if is_enough else [])


def test_a_lower_end_at_the_goal_reaches_it() -> None:
    shares = module.shares_found(np.arange(100), np.array([10, 90, 99, 100]))
    lower = shares.lower(0.025)
    assert module._finding(shares, float(lower[1])) == [1, 2, 3]
    assert module._finding(shares, float(np.nextafter(lower[1], 1))) == [2, 3]
    alone = module.shares_found(np.arange(100), np.array([1, 100]))
    assert module._finding(alone, float(alone.lower(0.025)[1])) == [1]
    # The lowest that is not sure ends the sequence, whatever the higher ones say.
    assert module._finding(module.shares_found(np.arange(100), np.array([99, 10])), 0.9) == []


@pytest.mark.parametrize("goal", ["precision=0.8", "recall=0.9"])
def test_what_failed_is_told_by_the_test_that_it_failed(goal: str) -> None:
    told = []
    for seed in range(40):
        labels, scores, clusters = drawn(np.random.default_rng(seed), 150, 1)
        try:
            fit_threshold(labels, scores, Goal.parse(goal), clusters=clusters)
        except PromiseError as error:
            told += re.findall(r"best lower bound of those tried is (0\.\d+)", str(error))
    assert all(float(one) < Goal.parse(goal).level for one in told)
    assert told or "recall" in goal


def test_too_few_pairs_are_told_as_that() -> None:
    labels = np.repeat([1.0, 0.0], 20)
    with pytest.raises(PromiseError):
        fit_threshold(labels, -np.arange(40.0), Goal.parse("precision=0.95"))
