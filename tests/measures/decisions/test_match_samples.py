"""Labels of matches drawn by score range."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_rule import MatchGoal, rule_of_drawn
from textkin.measures.decisions.match_samples import DrawnMatches, ScoreRange, ranges_of

RANGES = DrawnMatches((ScoreRange(0.9, 100, 50, 45, 0.8), ScoreRange(0.1, 900, 90, 9, 0.1)))


def test_the_rate_counts_each_range_by_its_size():
    assert RANGES.rate.value == pytest.approx(0.1 * 45 / 50 + 0.9 * 9 / 90)
    assert RANGES.rate.low < RANGES.rate.value < RANGES.rate.high


def test_recall_is_the_part_of_the_duplicates_in_the_first_ranges():
    assert RANGES.recall(0).value == pytest.approx(90 / 180)
    assert RANGES.recall(1).value == 1
    assert RANGES.recall(None).value == 0


def test_the_lowest_threshold_that_is_proven():
    assert RANGES.lowest(0.75, None) == (0, 0.8)
    assert RANGES.lowest(0.05, None) == (1, 0.1)
    assert RANGES.lowest(0.9, None) == (None, 0.8)


def test_another_base_rate_changes_the_odds():
    odds = 0.8 / 0.2 * (0.02 / 0.98) / (RANGES.rate.high / (1 - RANGES.rate.high))
    assert RANGES.lowest(0.99, 0.02)[1] == pytest.approx(odds / (1 + odds))


def test_it_goes_to_json_and_back():
    assert DrawnMatches.from_list(RANGES.to_list()) == RANGES
    with pytest.raises(DataError, match="can't be read"):
        DrawnMatches.from_list([[1, 2]])


def test_a_range_without_a_label_joins_the_next_one():
    thresholds = [(0.9, 10, 0.5), (0.8, 20, 0.4), (0.1, 40, 0.2)]
    found, weights = ranges_of(thresholds, {12: True, 15: False, 30: False})
    assert [(one.lowest, one.size, one.judged, one.same) for one in found.ranges] == [
        (0.8, 20, 2, 1),
        (0.1, 20, 1, 0),
    ]
    assert weights == {12: 10, 15: 10, 30: 20}
    with pytest.raises(DataError, match="the lowest scores have no label"):
        ranges_of(thresholds, {12: True})


def test_probabilities_are_those_of_the_texts_that_came():
    """Of 1,000 texts the 100 nearest were all labelled, and 90 of the others: by hand, a tenth."""
    random = np.random.default_rng(0)
    scores = np.concatenate([random.uniform(0.9, 1, 100), random.uniform(0.1, 0.9, 90)]).astype(np.float32)
    same = np.concatenate([random.random(100) < 0.8, random.random(90) < 0.1])
    weights = np.repeat([1.0, 10.0], [100, 90])
    arrivals = Arrivals(scores, same, same, np.arange(190), weights)
    again = Arrivals.from_dict(arrivals.to_dict())
    assert again.rate == arrivals.rate == pytest.approx((same[:100].sum() + 10 * same[100:].sum()) / 1000)
    drawn, _ = ranges_of([(0.9, 100, 0.7), (0.1, 1000, 0.1)], dict(enumerate(same.tolist())) | {999: False})
    rule = rule_of_drawn(drawn, arrivals, MatchGoal(precision=0.65), base_rate=None)
    assert rule.duplicate_from == np.float32(0.9)
    assert rule.probability(np.array([0.95]))[0] == pytest.approx(same[:100].mean(), abs=0.15)
    lower = rule_of_drawn(drawn, arrivals, MatchGoal(precision=0.65), base_rate=0.01)
    assert lower.probability(np.array([0.95]))[0] < 0.3 and lower.duplicate_from is None
    asked = np.array([one.value == "ask" for one in rule.decide(scores)])
    assert rule.asked == pytest.approx(np.average(asked, weights=weights))
