"""Change detection: by definition, by simulation without a change, and the delay."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from tests.reference.change import best_of, rank_of, stake_of
from textkin.measures.intervals.change_detection import (
    PrecisionDrop,
    RanksSoFar,
    ScoreChange,
    Stake,
    first_alarm,
    wealths,
)

GAINS = st.lists(st.lists(st.sampled_from([0.5, 0.8, 1.0, 1.25, 3.0]), min_size=3, max_size=3), max_size=12)


@given(GAINS, st.integers(0, 12))
def test_the_stake_is_the_sum_over_all_beginnings(gains: list[list[float]], cut: int) -> None:
    stake = Stake(3)
    logs = np.log(np.array(gains).reshape(-1, 3))
    found = [*stake.take(logs[:cut]), *stake.take(logs[cut:])]
    expected = [stake_of(gains[: place + 1]) for place in range(len(gains))]
    assert wealths(found) == pytest.approx(expected, rel=1e-9)
    if gains:
        bet, since = stake.best
        gain = math.prod(gains[event][bet] for event in range(since - 1, len(gains)))
        best, begins = best_of(gains)
        assert gain == pytest.approx(math.prod(gains[event][best] for event in range(begins - 1, len(gains))))


@given(st.lists(st.integers(0, 4), max_size=8), st.lists(st.integers(0, 4), max_size=40), st.integers(1, 9))
def test_ranks_are_among_all_before(before: list[int], scores: list[int], part: int) -> None:
    draws = np.random.default_rng(3).random(len(scores))
    ranks = RanksSoFar(before, seed=3)
    found = np.concatenate(
        [np.empty(0), *(ranks.take(scores[start : start + part]) for start in range(0, len(scores), part))]
    )
    expected = [
        rank_of(score, [*before, *scores[:place]], draws[place]) for place, score in enumerate(scores)
    ]
    assert found == pytest.approx(np.array(expected))


def test_many_ranks_at_once_are_those_of_one_after_another() -> None:
    scores = np.random.default_rng(1).integers(0, 400, size=1_500).astype(float)
    scores[::50] = -np.inf
    one_by_one = RanksSoFar(scores[:100], seed=5)
    expected = [one_by_one.take([score])[0] for score in scores[100:]]
    assert RanksSoFar(scores[:100], seed=5).take(scores[100:]) == pytest.approx(np.array(expected))


def test_ranks_are_uniform_whatever_the_scores() -> None:
    random = np.random.default_rng(2)
    scores = np.round(random.standard_cauchy(size=6_000), 1)
    assert kstest(RanksSoFar(scores[:200], seed=1).take(scores[200:]), "uniform").pvalue > 0.001


@given(GAINS.filter(bool))
def test_at_fair_odds_nothing_is_gained(gains: list[list[float]]) -> None:
    """An event that pays each bet 1.5 or .5, equally often, leaves the expected stake unchanged."""
    stakes = []
    for more in (1.5, 0.5):
        stake = Stake(3)
        stakes.append(wealths(stake.take(np.log([*gains, [more] * 3]))))
    assert np.mean([one[-1] for one in stakes]) == pytest.approx(stakes[0][-2], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("changing", ["scores", "labels"])
def test_where_nothing_changes_few_alarms_ever_come(changing: str) -> None:
    random, alarms, runs = np.random.default_rng(4), 0, 200
    for run in range(runs):
        if changing == "scores":
            scores = np.round(random.beta(2, 5, size=2_300), 2)  # with many ties, and a small sample
            stakes = ScoreChange(scores[:300], seed=run).take(scores[300:])
        else:
            stakes = PrecisionDrop(0.95).take(random.random(2_000) < 0.95)
        alarms += first_alarm(stakes, 0.1) is not None
    assert alarms <= 0.1 * runs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "most"),
    [
        (lambda random, count: random.normal(1.5, 1, size=count), 60),
        (lambda random, count: random.normal(0, 2, size=count), 150),
        (lambda random, count: random.normal(0, 1, size=count) + 4 * (random.random(count) < 0.1), 250),
    ],
)
def test_a_change_is_seen_soon_and_its_beginning_told(after, most: int) -> None:
    delays, begun = [], []
    for run in range(10):
        random = np.random.default_rng(run)
        test = ScoreChange(random.normal(size=2_000), seed=run)
        assert first_alarm(test.take(random.normal(size=1_000)), 0.05) is None
        alarm = first_alarm(test.take(after(random, 2_000)), 0.05)
        assert alarm is not None
        delays.append(alarm)
        begun.append(test.since)
        assert "of the scores are where" in test.words
    assert np.median(delays) <= most
    assert abs(np.median(begun) - 1_001) < 50


def test_a_precision_that_has_dropped_is_seen() -> None:
    random, test = np.random.default_rng(0), PrecisionDrop(0.95)
    assert first_alarm(test.take(random.random(300) < 0.97), 0.05) is None
    alarm = first_alarm(test.take(random.random(300) < 0.7), 0.05)
    assert alarm is not None and alarm < 60 and 280 < test.since < 330


def test_the_stake_has_no_overflow() -> None:
    found = PrecisionDrop(0.95).take([False] * 5_000)
    assert np.isfinite(found).all() and np.isfinite(wealths(found)).all()
