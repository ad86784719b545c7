from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.reference.mining import walked
from tests.reference.thresholds import tried
from textkin.base.errors import DataError, PromiseError, UsageError
from textkin.base.json_records import restored
from textkin.measures.decisions.fit_threshold import Threshold, fit_threshold
from textkin.measures.decisions.goal import Aim, Goal, GoalRule
from textkin.measures.metrics.binary_pairs import confusion

ONE = np.float32(1.0)
SCORES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, float(np.nextafter(ONE, np.float32(2))), -1.0, 1e30])
ROWS = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), SCORES), min_size=2, max_size=25).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)
GOALS = st.one_of(
    st.builds(
        Goal,
        st.sampled_from([Aim.PRECISION, Aim.RECALL]),
        st.sampled_from([0.3, 0.5, 0.75, 0.95, 1.0]),
        st.just(GoalRule.ESTIMATE),
    ),
    st.builds(Goal, st.sampled_from([Aim.F1, Aim.ACCURACY])),
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(ROWS, GOALS)
def test_equals_trying_every_threshold(rows: list, goal: Goal) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    results = tried(labels.tolist(), scores.astype(np.float32).tolist())
    good = [one["recall"] for one in results[1:] if one["precision"] >= (goal.level or 0)]
    if goal.aim is Aim.PRECISION and not good:
        best = max(one["precision"] for one in results)
        with pytest.raises(PromiseError, match=f"of at least .*; the highest is {best:.3f}"):
            fit_threshold(labels, scores, goal)
        return
    fitted = fit_threshold(labels, scores, goal)
    if goal.aim is Aim.PRECISION:
        assert fitted.precision >= goal.level
        assert fitted.recall == max(good)
    elif goal.aim is Aim.RECALL:
        assert fitted.recall >= goal.level
        assert fitted.precision == max(one["precision"] for one in results if one["recall"] >= goal.level)
    else:
        assert getattr(fitted, goal.aim) == pytest.approx(max(one[goal.aim] for one in results))
    # On the same pairs, it keeps its promise.
    decided = fitted.decide(scores)
    again = confusion(labels, decided.astype(float), 0.5)
    assert (again.precision, again.recall, again.f1) == (fitted.precision, fitted.recall, fitted.f1)
    assert again.accuracy == fitted.accuracy
    assert float(np.float32(fitted.value)) == fitted.value
    assert (fitted.pairs, fitted.positives) == (len(rows), int(labels.sum()))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ROWS, GOALS)
def test_lies_between_scores_that_differ(rows: list, goal: Goal) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    single = scores.astype(np.float32)
    try:
        fitted = fit_threshold(labels, scores, goal)
    except PromiseError:
        assume(False)
    above, below = single[single >= fitted.value], single[single < fitted.value]
    assume(len(above) and len(below))
    upper, lower = float(above.min()), float(below.max())
    assert lower < fitted.value <= upper
    assert abs(fitted.value - (upper + lower) / 2) <= np.spacing(np.float32(max(abs(upper), abs(lower))))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 4))
def test_no_threshold_takes_what_was_not_found(rows: list, missed: int) -> None:
    labels, scores = (np.array(column) for column in zip(*rows, strict=True))
    single = scores.astype(np.float32).astype(float)
    gold = int(labels.sum()) + missed
    everything = np.append(labels, np.ones(missed)), np.append(single, np.full(missed, -np.inf))
    fitted = fit_threshold(*everything, Goal.parse("f1"))
    _, best, threshold = walked(single.tolist(), (labels == 1).tolist(), gold)
    assert fitted.f1 == pytest.approx(best)
    assert fitted.value == pytest.approx(threshold)
    assert fitted.positives == gold
    with pytest.raises(PromiseError, match=f"the highest is {labels.sum() / gold:.3f}"):
        fit_threshold(*everything, Goal.parse("recall=1.0:estimate"))


def test_ties_are_never_split() -> None:
    fitted = fit_threshold(np.array([1.0, 0.0]), np.array([0.5, 0.5]), Goal.parse("accuracy"))
    assert fitted.accuracy == 0.5


def test_a_goal_out_of_reach_is_said_to_be() -> None:
    labels, scores = np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.1])
    with pytest.raises(PromiseError):
        fit_threshold(labels, scores, Goal.parse("precision=0.95:estimate"))
    with pytest.raises(PromiseError):
        fit_threshold(labels, scores, Goal.parse("precision=0.95"))


def test_worked_example() -> None:
    labels = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    expected = {"precision=1": 0.75, "precision=0.75": 0.55, "recall=0.6": 0.75, "recall=1": 0.55, "f1": 0.55}
    for name, value in expected.items():
        goal = name + (":estimate" if "=" in name else "")
        assert fit_threshold(labels, scores, Goal.parse(goal)).value == pytest.approx(value), goal


def test_accuracy_counts_right_decisions_of_both_kinds() -> None:
    labels = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    fitted = fit_threshold(labels, np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), Goal.parse("accuracy"))
    assert (fitted.value, fitted.accuracy) == (pytest.approx(0.85), pytest.approx(4 / 6))


@pytest.mark.parametrize(
    "text", ["precision=0.95", "precision=0.95:estimate", "recall=0.9", "f1", "accuracy"]
)
def test_goals_parse_back(text: str) -> None:
    assert str(Goal.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("precison=0.9", ("goal",)),
        ("precision", ("goal",)),
        ("f1=0.9", ("goal",)),
        ("recall=much", ("goal",)),
        ("recall=1.5", ("recall",)),
        ("recall=nan", ("level",)),
        ("precision=0.9:estimated", ("rule",)),
        ("", ("goal",)),
    ],
)
def test_goals_that_are_none(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        Goal.parse(text)
    assert error.value.params == hint


def test_survives_json() -> None:
    fitted = fit_threshold(np.array([1.0, 0.0]), np.array([0.3, 0.1]), Goal.parse("f1"))
    assert restored(Threshold, json.loads(json.dumps(fitted.to_dict()))) == fitted
    with pytest.raises(ValueError, match="other is unknown"):
        restored(Threshold, {**fitted.to_dict(), "other": 1})


def test_refuses_what_it_can_not_be_fitted_on() -> None:
    goal = Goal.parse("f1")
    for label in (0.0, 1.0):
        with pytest.raises(DataError, match="needs both kinds"):
            fit_threshold(np.full(3, label), np.arange(3.0), goal)
    with pytest.raises(DataError, match="needs both kinds"):
        fit_threshold(np.empty(0), np.empty(0), goal)
    with pytest.raises(DataError) as error:
        fit_threshold(np.array([1.0, 0.0]), np.array([np.nan, 0.0]), goal)
    assert (error.value.params, error.value.value) == (("score",), 0)
    with pytest.raises(DataError, match="infinite"):
        fit_threshold(np.array([1.0, 0.0]), np.array([1e300, 0.0]), goal)
