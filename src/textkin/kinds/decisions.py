"""Decisions on pairs: fitted on one set, applied unchanged to another."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import PromiseError, invalid
from textkin.data.records import LabelKind, PairSet
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.judge import estimate
from textkin.kinds.pair_figures import at_threshold
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.decisions.calibration import Calibration, Method, fit_calibration
from textkin.measures.decisions.expected_performance import fitted_figures
from textkin.measures.decisions.fit_threshold import Threshold, fit_threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.metrics.binary_pairs import average_precision, confusion
from textkin.measures.metrics.calibration import brier, expected_calibration_error, reliability
from textkin.report import content as say

DECISIONS = ("not the same", "same")
"""The classes of decisions on yes-or-no pairs."""

_CURVE_POINTS = 200
_HISTOGRAM_BINS = 40
_ERRORS = 10
_ISOTONIC_FROM = 1000  # fewer pairs don't determine a free curve; a sigmoid has two parameters

_GOAL_WORDS = {
    Aim.PRECISION: "precision of at least",
    Aim.RECALL: "recall of at least",
    Aim.F1: "best F1",
    Aim.ACCURACY: "best accuracy",
}


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A model's decision rule.

    Attributes:
        system: the model's name.
        threshold: the minimum score of a pair that is the same; None if none reaches the goal.
        calibration: maps scores to probabilities.
        missed: the reason why there is no threshold, or "".
    """

    system: str
    threshold: Threshold | None
    calibration: Calibration
    missed: str = ""


def with_decision(
    report: say.StudyReport, judge: PairJudge, decision: Decision, scores: Floats, *, reference: str
) -> say.StudyReport:
    """The report with all consequences of a decision on the judge's pairs.

    Args:
        report: the report so far.
        judge: labelled pairs that the decision was not fitted on.
        decision: a decision fitted elsewhere.
        scores: the deciding model's scores, shape [pairs].
        reference: a baseline that the judge has scored, for the precision-recall plot.
    """
    probabilities = decision.calibration.probability(scores)
    return replace(
        report,
        threshold=None if decision.threshold is None else threshold_on(judge, decision, scores),
        no_threshold=decision.missed,
        precision_recall=say.PrecisionRecall(
            curves=(
                _precision_recall(judge, decision.system, scores, trained=True),
                _precision_recall(judge, reference, judge.scores[reference][0], trained=False),
            ),
            positive_share=float(judge.test.labels.mean()),
        ),
        histogram=_histogram(judge, decision, scores),
        calibration=_calibration(judge, decision, scores, probabilities),
        errors=None if decision.threshold is None else _errors(judge, decision, scores, probabilities),
    )


def fit_decision(
    judge: PairJudge,
    scores: NDArray[np.floating[Any]],
    *,
    system: str,
    goal: Goal,
    method: Method | None = None,
) -> Decision:
    """Threshold and calibration on the judge's pairs.

    Args:
        judge: the judge of yes-or-no pairs.
        scores: the system's scores, shape [pairs].
        system: the system's name.
        goal: the goal of the threshold. If no threshold reaches it, the decision says why.
        method: the calibration method; None for isotonic with 1,000 or more pairs, otherwise Platt's.

    Raises:
        DataError: all pairs are of one kind, or a score isn't finite.
    """
    calibration = fit_probabilities(judge, scores, method)
    try:
        threshold = fit_threshold(judge.test.labels, scores, goal, clusters=judge.test.clusters)
    except PromiseError as error:
        return Decision(system, None, calibration, missed=_sentence(error))
    return Decision(system, threshold, calibration)


def fit_probabilities(
    judge: PairJudge, scores: NDArray[np.floating[Any]], method: Method | None = None
) -> Calibration:
    """Fit a calibration on the judge's pairs; isotonic with 1,000 or more, otherwise Platt's.

    Raises:
        DataError: all pairs are of one kind, or a score isn't finite.
    """
    labels = judge.test.labels
    if method is None:
        method = Method.ISOTONIC if len(labels) >= _ISOTONIC_FROM else Method.PLATT
    return fit_calibration(labels, scores, method=method)


def _sentence(error: PromiseError) -> str:
    said = str(error)
    return said[:1].upper() + said[1:]


def judge_decisions(dev: PairJudge, test: PairJudge, *, goal: Goal) -> ClassJudge:
    """Judge the decisions of ``test``'s systems, each seed with its threshold fitted on dev.

    Args:
        dev: a judge that took the same systems, with as many seeds.
        test: the judge of yes-or-no pairs that share nothing with those of ``dev``.
        goal: the goal of the thresholds.

    Raises:
        UsageError: labels are graded, so there is nothing to decide.
        DataError: a threshold can't be fitted.
        PromiseError: none reaches the goal.
    """
    if not (dev.is_binary and test.is_binary):
        raise invalid("data", "other labels", expected="pairs labelled 0 and 1")
    judge = decision_judge(test)
    for name, scores in test.scores.items():
        thresholds = [
            fit_threshold(dev.test.labels, row, goal, clusters=dev.test.clusters) for row in dev.scores[name]
        ]
        decided = [one.decide(row) for one, row in zip(thresholds, scores, strict=True)]
        judge.take_scores(name, np.stack(decided).astype(np.float64))
    return judge


def decision_judge(test: PairJudge) -> ClassJudge:
    """An empty judge of decisions on yes-or-no pairs."""
    pairs = PairSet(test.data.pairs, LabelKind.CLASSES, DECISIONS, test.data.name)
    return ClassJudge(pairs, sampling=test.sampling)


def require_threshold(decision: Decision) -> Threshold:
    """The decision's threshold.

    Raises:
        PromiseError: it has none.
    """
    if decision.threshold is None:
        raise PromiseError(decision.missed[:1].lower() + decision.missed[1:])
    return decision.threshold


def threshold_on(judge: PairJudge, decision: Decision, scores: Floats) -> say.FittedThreshold:
    """A threshold applied unchanged to the judge's pairs, with intervals over components."""
    threshold = require_threshold(decision)
    goal = Goal.parse(threshold.goal)
    cells = confusion(judge.test.labels, scores, threshold.value)
    found = at_threshold(judge.test, scores, threshold.value, sampling=judge.sampling)
    # If nothing is called the same, there is no interval.
    figures = {"precision": say.Estimate(0.0)} | {name: estimate(figure) for name, figure in found.items()}
    return say.FittedThreshold(
        system=decision.system,
        goal=goal_words(goal),
        value=threshold.value,
        dev={
            "precision": say.Estimate(threshold.precision),
            "recall": say.Estimate(threshold.recall),
            "F1": say.Estimate(threshold.f1),
            "accuracy": say.Estimate(threshold.accuracy),
        },
        test=figures,
        confusion=say.ConfusionCounts(
            int(cells.true_positives),
            int(cells.false_positives),
            int(cells.false_negatives),
            int(cells.true_negatives),
        ),
        goal_measure="" if goal.level is None else goal.aim.value,
        goal_value=goal.level,
        by_estimate=threshold.by_estimate,
    )


def expected_on(judge: PairJudge, decision: Decision, scores: Floats) -> say.FittedThreshold:
    """A threshold on the pairs it was fitted on, with intervals for other pairs."""
    found = threshold_on(judge, decision, scores)
    fitted = fitted_figures(
        judge.test.labels,
        scores,
        judge.test.clusters,
        require_threshold(decision),
        resamples=judge.sampling.resamples,
        seed=judge.sampling.seed,
    )
    figures = {**found.test, **{name: estimate(one) for name, one in fitted.items()}}
    return replace(found, dev=figures, test={})


def goal_words(goal: Goal) -> str:
    """A goal in the report's wording: "precision of at least 0.95"."""
    if goal.level is None:
        return _GOAL_WORDS[goal.aim]
    estimated = "" if goal.is_promise else "an estimated "
    return f"{estimated}{_GOAL_WORDS[goal.aim]} {goal.level:g}"


def expected_precision(figures: Mapping[str, say.Estimate]) -> tuple[float, float] | None:
    """The bounds of the precision's interval; None without one."""
    found = figures["precision"]
    return None if found.low is None or found.high is None else (found.low, found.high)


def _precision_recall(
    judge: PairJudge, name: str, scores: Floats, *, trained: bool
) -> say.PrecisionRecallCurve:
    labels = judge.test.labels
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    found = np.cumsum(labels[order])[last]
    recall, precision = found / labels.sum(), found / (last + 1)
    kept = np.unique(np.linspace(0, len(last) - 1, _CURVE_POINTS).round().astype(int))
    return say.PrecisionRecallCurve(
        system=name,
        trained=trained,
        recall=tuple(recall[kept].tolist()),
        precision=tuple(precision[kept].tolist()),
        area=say.Estimate(average_precision(labels, scores)),
    )


def _histogram(judge: PairJudge, decision: Decision, scores: Floats) -> say.ScoreHistogram:
    edges = np.histogram_bin_edges(scores, bins=_HISTOGRAM_BINS)
    same = judge.test.labels > 0
    return say.ScoreHistogram(
        system=decision.system,
        edges=tuple(edges.tolist()),
        positives=tuple(np.histogram(scores[same], edges)[0].tolist()),
        negatives=tuple(np.histogram(scores[~same], edges)[0].tolist()),
        threshold=None if decision.threshold is None else decision.threshold.value,
    )


def _calibration(
    judge: PairJudge, decision: Decision, scores: Floats, probabilities: Floats
) -> say.CalibrationPlot:
    raw = np.clip(scores, 0.0, 1.0)
    return say.CalibrationPlot(
        system=decision.system,
        method=str(decision.calibration.to_dict()["method"]),
        after=_reliability(judge.test.labels, probabilities),
        before=_reliability(judge.test.labels, raw),
    )


def _reliability(labels: Floats, probabilities: Floats) -> say.Reliability:
    return say.Reliability(
        bins=tuple(
            say.ReliabilityBin(found.predicted, found.observed, found.pairs)
            for found in reliability(labels, probabilities)
        ),
        ece=say.Estimate(expected_calibration_error(labels, probabilities)),
        brier=say.Estimate(brier(labels, probabilities)),
    )


def _errors(judge: PairJudge, decision: Decision, scores: Floats, probabilities: Floats) -> say.WorstErrors:
    decided, same = require_threshold(decision).decide(scores), judge.test.labels > 0

    def shown(places: Ints) -> tuple[say.ScoredPair, ...]:
        return tuple(
            say.ScoredPair(
                judge.data.pairs[place].a,
                judge.data.pairs[place].b,
                float(scores[place]),
                float(probabilities[place]),
            )
            for place in places[:_ERRORS].tolist()
        )

    wrong_same, wrong_other = np.flatnonzero(decided & ~same), np.flatnonzero(~decided & same)
    return say.WorstErrors(
        system=decision.system,
        false_positives=shown(wrong_same[np.argsort(-scores[wrong_same], kind="stable")]),
        false_negatives=shown(wrong_other[np.argsort(scores[wrong_other], kind="stable")]),
    )
