"""Decisions fitted on one set and evaluated on another."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as theirs

from tests.report.example import bare_report
from textkin.base.errors import PromiseError, UsageError
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.kinds.decisions import (
    Decision,
    decision_judge,
    expected_on,
    expected_precision,
    fit_decision,
    goal_words,
    judge_decisions,
    require_threshold,
    threshold_on,
    with_decision,
)
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.decisions.calibration import Method
from textkin.measures.decisions.goal import Aim, Goal, GoalRule
from textkin.measures.intervals.sampling import Sampling
from textkin.report import content as say

_SAMPLING = Sampling(50, 99)


def judge(labels: np.ndarray, kind: LabelKind = LabelKind.BINARY) -> PairJudge:
    pairs = tuple(Pair(f"a {place}", f"b {place}", float(label)) for place, label in enumerate(labels))
    return PairJudge(PairSet(pairs, kind, name="made"), sampling=_SAMPLING)


def drawn(count: int, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores to two digits, so that some are equal."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(count) < 0.4).astype(np.float64)
    return labels, np.round(rng.normal(0.35 + 0.3 * labels, 0.15), 2)


def decided(count: int = 120, goal: str = "f1") -> tuple[PairJudge, Decision, np.ndarray]:
    """The judge of some pairs, a decision fitted on others, and the scores of the former."""
    labels, scores = drawn(count)
    fitted = fit_decision(judge(labels), scores, system="ours", goal=Goal.parse(goal))
    labels, scores = drawn(count, seed=1)
    found = judge(labels)
    for name, row in (("ours", scores), ("plain", np.round(scores, 1))):
        found.take_scores(name, row[None, :])
    return found, fitted, scores


@pytest.mark.parametrize(("count", "method"), [(999, Method.PLATT), (1000, Method.ISOTONIC)])
def test_a_free_curve_needs_a_thousand_pairs(count: int, method: Method) -> None:
    labels, scores = drawn(count)
    made, goal = judge(labels), Goal(Aim.F1)
    found = fit_decision(made, scores, system="ours", goal=goal)
    assert found.calibration.to_dict()["method"] == method
    assert (found.system, found.missed) == ("ours", "")
    other = Method.PLATT if method is Method.ISOTONIC else Method.ISOTONIC
    asked = fit_decision(made, scores, system="ours", goal=goal, method=other)
    assert asked.calibration.to_dict()["method"] == other


def test_where_no_threshold_reaches_the_goal_the_decision_says_why() -> None:
    labels, scores = drawn(60)
    found = fit_decision(judge(labels), -scores, system="ours", goal=Goal.parse("precision=0.99"))
    assert found.threshold is None and "precision of at least 0.99" in found.missed
    with pytest.raises(PromiseError):
        require_threshold(found)
    made = judge(labels)
    made.take_scores("ours", -scores[None, :])
    report = with_decision(bare_report(), made, found, -scores, reference="ours")
    assert report.threshold is report.errors is report.histogram.threshold is None
    assert report.no_threshold == found.missed


def test_the_threshold_is_applied_unchanged() -> None:
    made, decision, scores = decided()
    found, value = threshold_on(made, decision, scores), require_threshold(decision).value
    labels, same = made.test.labels, scores >= value
    cells = theirs.confusion_matrix(labels, same).ravel().tolist()
    counts = found.confusion
    assert [counts.true_negatives, counts.false_positives, counts.false_negatives, counts.true_positives] == (
        cells
    )
    expected = {
        "precision": theirs.precision_score(labels, same),
        "recall": theirs.recall_score(labels, same),
        "F1": theirs.f1_score(labels, same),
        "accuracy": theirs.accuracy_score(labels, same),
    }
    for name, figure in expected.items():
        assert found.test[name].value == pytest.approx(figure)
        assert found.test[name].low < figure < found.test[name].high
    assert found.dev["F1"].value == decision.threshold.f1 != found.test["F1"].value
    assert (found.value, found.system, found.goal, found.goal_measure, found.goal_value) == (
        *(value, "ours", "best F1", "", None),
    )


def test_figures_that_others_will_give_have_intervals_where_it_was_fitted() -> None:
    labels, scores = drawn(120)
    made = judge(labels)
    decision = fit_decision(made, scores, system="ours", goal=Goal.parse("recall=0.8:estimate"))
    found = expected_on(made, decision, scores)
    assert found.test == {}
    assert (found.goal_measure, found.goal_value, found.by_estimate) == ("recall", 0.8, None)
    ends = expected_precision(found.dev)
    assert ends is not None and 0 < ends[0] < ends[1] <= 1
    assert expected_precision({"precision": say.Estimate(0.5)}) is None
    assert expected_precision({"precision": say.Estimate(0.5, 0.0, 1.0)}) == (0.0, 1.0)


def test_nothing_that_is_called_the_same_has_a_precision_of_0() -> None:
    made, decision, scores = decided()
    assert threshold_on(made, decision, scores - 10).test["precision"] == say.Estimate(0.0)


def test_curves_are_those_of_scikit_learn() -> None:
    made, decision, scores = decided()
    report = with_decision(bare_report(), made, decision, scores, reference="plain")
    labels = made.test.labels
    ours, reference = report.precision_recall.curves
    assert (ours.system, ours.trained, reference.system, reference.trained) == ("ours", True, "plain", False)
    for curve, row in ((ours, scores), (reference, np.round(scores, 1))):
        precision, recall, thresholds = theirs.precision_recall_curve(labels, row)
        count = len(thresholds)
        assert list(curve.precision) == pytest.approx(precision[:count][::-1].tolist())
        assert list(curve.recall) == pytest.approx(recall[:count][::-1].tolist())
        assert curve.area.value == pytest.approx(theirs.average_precision_score(labels, row))
    assert report.precision_recall.positive_share == labels.mean()


def test_a_long_curve_keeps_its_ends() -> None:
    rng = np.random.default_rng(3)
    labels = (rng.random(900) < 0.5).astype(np.float64)
    scores = labels + rng.normal(size=900)
    made = judge(labels)
    made.take_scores("ours", scores[None, :])
    decision = fit_decision(made, scores, system="ours", goal=Goal(Aim.F1))
    curve = with_decision(bare_report(), made, decision, scores, reference="ours").precision_recall.curves[0]
    assert len(curve.recall) == len(curve.precision) == 200
    assert curve.recall[-1] == 1 and curve.precision[-1] == labels.mean()
    assert curve.recall[0] in (0, 1 / labels.sum())


def test_the_histogram_and_the_calibration_are_of_all_pairs() -> None:
    made, decision, scores = decided()
    report = with_decision(bare_report(), made, decision, scores, reference="plain")
    labels = made.test.labels
    histogram = report.histogram
    assert (histogram.edges[0], histogram.edges[-1], len(histogram.edges)) == (scores.min(), scores.max(), 41)
    assert (sum(histogram.positives), sum(histogram.negatives)) == (labels.sum(), (1 - labels).sum())
    middle = np.average(
        (np.array(histogram.edges)[:-1] + histogram.edges[1:]) / 2, weights=histogram.positives
    )
    assert middle == pytest.approx(scores[labels == 1].mean(), abs=0.02)
    assert histogram.threshold == decision.threshold.value
    found, probabilities = report.calibration, decision.calibration.probability(scores)
    assert found.after.brier.value == pytest.approx(theirs.brier_score_loss(labels, probabilities))
    raw = np.clip(scores, 0, 1)
    assert found.before.brier.value == pytest.approx(theirs.brier_score_loss(labels, raw))
    assert sum(one.count for one in found.after.bins) == sum(one.count for one in found.before.bins) == 120
    assert (found.system, found.method) == ("ours", "platt")


def test_the_worst_errors_stand_first() -> None:
    made, decision, scores = decided()
    found = with_decision(bare_report(), made, decision, scores, reference="plain").errors
    labels, same = made.test.labels, scores >= decision.threshold.value
    wrong = np.flatnonzero(same & (labels == 0)), np.flatnonzero(~same & (labels == 1))
    for listed, places, sign in ((found.false_positives, wrong[0], -1), (found.false_negatives, wrong[1], 1)):
        expected = sorted(places.tolist(), key=lambda place: (sign * scores[place], place))[:10]
        assert len(expected) > 3
        assert [(one.a, one.b) for one in listed] == [(f"a {place}", f"b {place}") for place in expected]
        assert [one.score for one in listed] == scores[expected].tolist()
        assert [one.probability for one in listed] == decision.calibration.probability(scores)[
            expected
        ].tolist()


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (Goal(Aim.PRECISION, 0.95), "precision of at least 0.95"),
        (Goal(Aim.RECALL, 0.9, GoalRule.ESTIMATE), "an estimated recall of at least 0.9"),
        (Goal(Aim.F1), "best F1"),
        (Goal(Aim.ACCURACY), "best accuracy"),
    ],
)
def test_goals_in_words(goal: Goal, words: str) -> None:
    assert goal_words(goal) == words


def test_graded_pairs_have_nothing_to_decide() -> None:
    labels, _ = drawn(40)
    graded = judge(np.linspace(0, 5, 40), LabelKind.GRADED)
    for dev, test in ((graded, judge(labels)), (judge(labels), graded), (graded, graded)):
        with pytest.raises(UsageError) as error:
            judge_decisions(dev, test, goal=Goal(Aim.F1))
        assert error.value.params == ("data",)
    assert decision_judge(judge(labels)).data.classes == ("not the same", "same")
