"""Proof by betting: the wealth by its definition, its guarantee by simulation, and how fast it proves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.betting import wealth_of
from textkin.errors import UsageError
from textkin.stats.betting import labels_left, least_precision, proven_after, wealth


@given(st.lists(st.booleans(), min_size=1, max_size=25), st.sampled_from([0.5, 0.8, 0.95]))
def test_the_wealth_is_the_mixed_ratio_of_likelihoods(same: list[bool], goal: float) -> None:
    assert wealth(same, goal=goal)[-1] == pytest.approx(wealth_of(same, goal), rel=2e-3)


def test_the_wealth_of_wins_alone_has_a_closed_form() -> None:
    goal, count = 0.95, 60
    expected = (1 - goal ** (count + 1)) / (count + 1) / goal**count / (1 - goal)
    assert wealth([True] * count, goal=goal)[-1] == pytest.approx(expected, rel=1e-3)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2)), max_size=30), st.sampled_from([0.6, 0.9]))
def test_the_wealth_is_never_negative_and_at_the_goal_expects_no_gain(
    labels: list[tuple[bool, float]], goal: float
) -> None:
    same, weights = [one for one, _ in labels], [weight for _, weight in labels]
    found = wealth(same, goal=goal, weights=weights, heaviest=2.0)
    assert (found >= 0).all()
    before = found[-1] if len(found) else 1.0
    # Two strata, half of all pairs each, drawn with 3/4 and 1/4: weights 2/3 and 2; both just at the goal.
    after = [
        (wealth([*same, x], goal=goal, weights=[*weights, w], heaviest=2.0)[-1], q * p)
        for w, q in ((2 / 3, 0.75), (2.0, 0.25))
        for x, p in ((True, goal), (False, 1 - goal))
    ]
    assert sum(value * probability for value, probability in after) == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_just_below_the_goal_few_are_proven_whenever_one_stops(weighted: bool) -> None:
    random = np.random.default_rng(7)
    goal, replays, labels = 0.95, 400, 800
    proven = 0
    for _ in range(replays):
        if weighted:
            # Halves with .999 and .899, so .949 of all; the second is drawn twice as often.
            second = random.random(labels) < 2 / 3
            same = random.random(labels) < np.where(second, 0.899, 0.999)
            found = wealth(same, goal=goal, weights=np.where(second, 0.75, 1.5), heaviest=1.5)
        else:
            found = wealth(random.random(labels) < 0.949, goal=goal)
        proven += proven_after(found) is not None
    assert proven / replays <= 0.05


@pytest.mark.parametrize(("precision", "labels"), [(1.0, 76), (0.99, 129), (0.98, 248), (0.97, 608)])
def test_a_proof_takes_about_as_many_labels_as_it_must(precision: float, labels: int) -> None:
    random = np.random.default_rng(3)
    took = [proven_after(wealth(random.random(6_000) < precision, goal=0.95)) or 6_000 for _ in range(100)]
    assert abs(float(np.median(took)) / labels - 1) < 0.25


@given(st.lists(st.booleans(), max_size=60))
def test_the_least_precision_never_falls_and_is_what_is_proven(same: list[bool]) -> None:
    bound = least_precision(same)
    assert least_precision([*same, False]) >= bound - 2e-4
    if bound > 0.002:
        assert proven_after(wealth(same, goal=bound - 0.001)) is not None
    assert proven_after(wealth(same, goal=min(bound + 0.002, 0.999))) is None


def test_labels_left() -> None:
    assert labels_left([], goal=0.95) == 88
    assert labels_left([True] * 80, goal=0.95) == 8
    assert labels_left([True] * 88, goal=0.95) == 0
    assert labels_left([True, False] * 20, goal=0.95) is None
    some = labels_left([True] * 98 + [False] * 2, goal=0.95)
    assert some is not None and 50 < some < 300


@pytest.mark.parametrize("goal", [0.0, 1.0, -1.0, float("nan")])
def test_a_goal_out_of_range(goal: float) -> None:
    with pytest.raises(UsageError):
        wealth([True], goal=goal)


def test_a_weight_out_of_range() -> None:
    with pytest.raises(UsageError):
        wealth([True], goal=0.9, weights=[1.5])
    with pytest.raises(UsageError):
        wealth([True, False], goal=0.9, weights=[1.0])
