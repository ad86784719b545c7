"""From scores to verdicts, at a base rate."""

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_rule import (
    MatchGoal,
    MatchVerdict,
    fit_match_rule,
    rule_of_pairs,
    rule_of_threshold,
)
from textkin.measures.decisions.saved_thresholds import SavedThreshold


def drawn(texts, *, rate, seed):
    """Scores whose precision at a threshold and a base rate is known in closed form."""
    draws = np.random.default_rng(seed)
    known = draws.random(texts) < rate
    scores = np.where(known, draws.beta(8, 2, texts), draws.beta(2, 8, texts)).astype(np.float32)
    right = known & (draws.random(texts) < 0.97)
    return Arrivals(scores, right, known, np.arange(texts))


def precision_at(threshold, base_rate):
    from scipy.stats import beta

    linked, wrong = beta(8, 2).sf(threshold), beta(2, 8).sf(threshold)
    return base_rate * linked * 0.97 / (base_rate * linked + (1 - base_rate) * wrong)


@pytest.mark.slow
@pytest.mark.parametrize(("base_rate", "goal"), [(0.5, 0.9), (0.1, 0.9), (0.1, 0.6), (0.02, 0.8)])
def test_the_precision_holds_at_a_base_rate_that_labels_do_not_have(base_rate, goal):
    kept, fitted = 0, 0
    for seed in range(60):
        rule = fit_match_rule(
            drawn(12_000, rate=0.5, seed=seed), MatchGoal(precision=goal), base_rate=base_rate
        )
        if rule.duplicate_from is not None:
            fitted += 1
            kept += precision_at(rule.duplicate_from, base_rate) >= goal
            assert rule.reached is not None and rule.reached >= goal
    assert fitted >= 40
    assert kept >= 0.93 * fitted


def test_a_rare_duplicate_takes_a_higher_score():
    arrivals = drawn(20_000, rate=0.5, seed=1)
    often, seldom = (
        fit_match_rule(arrivals, MatchGoal(precision=0.8), base_rate=rate) for rate in (0.5, 0.05)
    )
    assert often.duplicate_from is not None and seldom.duplicate_from is not None
    assert often.duplicate_from < seldom.duplicate_from
    assert often.recall is not None and seldom.recall is not None
    assert often.recall.value > seldom.recall.value
    assert often.ask_from is not None and seldom.ask_from is not None
    assert often.ask_from < seldom.ask_from


@pytest.mark.parametrize("seed", range(20))
def test_what_fails_is_told_by_the_test_that_it_failed(seed):
    arrivals = drawn(700, rate=0.5, seed=seed)
    for goal in np.linspace(0.5, 0.99, 10):
        rule = fit_match_rule(arrivals, MatchGoal(precision=float(goal)), base_rate=0.5)
        assert rule.reached is not None
        assert (rule.duplicate_from is not None) == (rule.reached >= goal)


def test_where_nothing_shows_the_goal_nothing_is_a_duplicate():
    arrivals = drawn(2000, rate=0.5, seed=1)
    rule = fit_match_rule(arrivals, MatchGoal(precision=0.99), base_rate=0.0001)
    assert rule.duplicate_from is None
    assert rule.reached is not None and rule.reached < 0.99
    assert MatchVerdict.DUPLICATE not in rule.decide(arrivals.scores)
    assert rule.recall is not None and rule.recall.value == 0


def test_the_lower_end_is_that_of_a_slow_restatement():
    arrivals = drawn(1500, rate=0.4, seed=5)
    rule = fit_match_rule(arrivals, MatchGoal(precision=0.7), base_rate=0.2)
    assert rule.duplicate_from is not None
    linked = arrivals.scores >= np.float32(rule.duplicate_from)
    known = arrivals.known
    ends = [
        _wilson((linked & known).sum(), known.sum(), known.sum())[0],
        _wilson((linked & arrivals.right).sum(), (linked & known).sum(), (linked & known).sum())[0],
        _wilson((linked & ~known).sum(), (~known).sum(), (~known).sum())[1],
    ]
    expected = 0.2 * ends[0] * ends[1] / (0.2 * ends[0] + 0.8 * ends[2])
    assert rule.reached == pytest.approx(expected, abs=2e-4)


def _wilson(yes, count, clusters):
    from scipy.stats import t

    z, share = t.isf(0.025 / 3, clusters - 1), yes / count
    centre = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2)) / (1 + z**2 / count)
    return centre - half, centre + half


def test_verdicts_follow_score_and_probability():
    rule = fit_match_rule(drawn(5000, rate=0.5, seed=2), MatchGoal(precision=0.9, ask=0.2), base_rate=0.3)
    scores = np.linspace(0, 1, 101, dtype=np.float32)
    likely = rule.probability(scores)
    assert likely is not None
    for score, probability, verdict in zip(scores, likely, rule.decide(scores), strict=True):
        if score >= np.float32(rule.duplicate_from):
            assert verdict is MatchVerdict.DUPLICATE
        else:
            assert verdict is (MatchVerdict.ASK if probability >= 0.2 else MatchVerdict.NEW)
    assert rule.decide(np.array([-np.inf])) == [MatchVerdict.NEW]


def test_the_rule_of_a_passport_is_corrected_by_the_base_rate():
    fitted = Threshold(0.5, "f1", 0.9, 0.9, 0.9, 0.9, pairs=1000, positives=500)
    platt = Platt(slope=20.0, intercept=-10.0)
    half, rare = (
        rule_of_pairs(SavedThreshold(fitted, "pairs"), platt, MatchGoal(precision=0.9), base_rate=rate)
        for rate in (0.5, 0.01)
    )
    # At half: 20 s - 10 = log 9. At one in a hundred the odds are 99 times lower.
    assert half.duplicate_from == pytest.approx(0.5 + np.log(9) / 20, abs=0.001)
    assert rare.duplicate_from == pytest.approx(0.5 + np.log(9 * 99) / 20, abs=0.001)
    assert (
        rule_of_pairs(
            SavedThreshold(fitted, "pairs"), platt, MatchGoal(precision=0.99), base_rate=0.0001
        ).duplicate_from
        is None
    )
    assert half.reached is None
    falling = Platt(-platt.slope, -platt.intercept)
    saved = SavedThreshold(fitted, "pairs")
    assert rule_of_pairs(saved, falling, MatchGoal(precision=0.9), base_rate=0.5).duplicate_from is None


def test_a_threshold_that_is_given_knows_no_probability():
    rule = rule_of_threshold(0.9)
    assert rule.probability(np.array([0.95])) is None
    assert [one.value for one in rule.decide(np.array([0.95, 0.89]))] == ["duplicate", "new"]
    with pytest.raises(UsageError) as error:
        rule_of_threshold(1.5)
    assert (error.value.params, error.value.value) == (("threshold",), 1.5)


@pytest.mark.parametrize("values", [{"precision": 1.0}, {"precision": 0.0}, {"ask": 0.0}])
def test_goals_are_proportions(values):
    with pytest.raises(UsageError):
        MatchGoal(**values)
