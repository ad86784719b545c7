"""Decisions at a given threshold, next to baselines that decide on their own scales.

The threshold is on the scale of one model's scores, and is meaningless on another. Baselines therefore call
as many pairs the same as the model does, which needs no label. Two rules without scores, which call all pairs
or none the same, show how easy the data are.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import inapplicable
from textkin.data.protocols import PairMeasure
from textkin.kinds.judge import Judge, estimate
from textkin.kinds.pair_figures import at_threshold, interval, mean_of
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.metrics import binary_pairs
from textkin.report.content import Estimate
from textkin.report.fixed_threshold import FixedDecisions, FixedRow, FixedRule

_AtThreshold = Callable[[float], PairMeasure]

_ALL, _NONE = "(all pairs the same)", "(no pair the same)"
_NO_SCALE = ("constant",)  # explains the two rules


def fixed_decisions(judge: Judge, named: Sequence[str], threshold: float | None) -> FixedDecisions | None:
    """The decisions of a system at a threshold, and those of the judge's other systems.

    Args:
        judge: the judge that took the systems.
        named: the system that the threshold is for.
        threshold: a finite number.

    Returns:
        The decisions, or None without a threshold.
    """
    if threshold is None or not isinstance(judge, PairJudge):
        return None
    (system,) = named
    single = float(np.float32(threshold))  # precision of printed scores
    scores = judge.scores[system]
    called = float(np.mean(np.sum(scores >= single, axis=1)))
    rows = [
        FixedRow(system, FixedRule.GIVEN, threshold, called, _figures(judge, scores, [single] * len(scores)))
    ]
    for name, theirs in judge.scores.items():
        if name == system or name in _NO_SCALE:
            continue
        cuts = [cut_for(row, round(called)) for row in theirs]
        mean = float(np.mean([np.sum(row >= cut) for row, cut in zip(theirs, cuts, strict=True)]))
        shown = cuts[0] if len(cuts) == 1 and np.isfinite(cuts[0]) else None
        rows.append(FixedRow(name, FixedRule.AS_MANY, shown, mean, _figures(judge, theirs, cuts)))
    positives = int(judge.test.labels.sum())
    return FixedDecisions(
        system=system,
        threshold=threshold,
        pairs=len(judge.data),
        positives=positives,
        rows=(*rows, *_without_scores(judge)),
    )


def check_fixed(judge: Judge, named: Mapping[str, object], threshold: float | None) -> None:
    """Reject data where a threshold decides nothing, and several models, whose scales differ.

    Args:
        judge: the judge of the data.
        named: the systems that the user named.
        threshold: the given threshold; None accepts everything.

    Raises:
        UsageError: the data aren't pairs labelled yes or no, or not exactly one system was named.
    """
    if threshold is None:
        return
    if not (isinstance(judge, PairJudge) and judge.is_binary):
        raise inapplicable("threshold", to="data other than pairs labelled yes or no")
    if len(named) != 1:
        raise inapplicable(
            "threshold",
            to=f"{len(named)} systems, whose scores have different scales",
            fix="compare one at a time, or give `dev`, on which each gets its own",
        )


def cut_for(scores: Floats, called: int) -> float:
    """The threshold at which about a given number of pairs are called the same.

    Pairs with the same score stay together; of two equally near counts, the smaller one is taken.

    Args:
        scores: finite. Shape [pairs].
        called: the number of pairs that should reach the threshold.

    Returns:
        One of the scores, or infinity if no pair should reach it.
    """
    values, counts = np.unique(-scores, return_counts=True)
    reached = np.append(0, np.cumsum(counts))
    place = int(np.argmin(np.abs(reached - called)))
    return float("inf") if place == 0 else float(-values[place - 1])


def _figures(judge: PairJudge, scores: Floats, cuts: list[float]) -> dict[str, Estimate]:
    """Precision, recall, F1 and accuracy, averaged over seeds; ``scores``: shape [seeds, pairs]."""
    if len(scores) == 1:
        found = at_threshold(judge.test, scores[0], cuts[0], sampling=judge.sampling)
        return {name: estimate(figure) for name, figure in found.items()}
    measures: dict[str, _AtThreshold] = {
        "precision": binary_pairs.precision_by_weight,
        "recall": binary_pairs.recall_by_weight,
        "F1": binary_pairs.f1_by_weight,
        "accuracy": binary_pairs.accuracy_by_weight,
    }
    if not all(np.any(row >= cut) for row, cut in zip(scores, cuts, strict=True)):
        del measures["precision"]
    return {name: _mean_over_seeds(judge, scores, cuts, at) for name, at in measures.items()}


def _mean_over_seeds(judge: PairJudge, scores: Floats, cuts: list[float], at: _AtThreshold) -> Estimate:
    rows = zip(scores, cuts, strict=True)
    figure = mean_of([at(cut)(judge.test.labels, row) for row, cut in rows])
    return estimate(interval(judge.test, figure, sampling=judge.sampling))


def _without_scores(judge: PairJudge) -> tuple[FixedRow, FixedRow]:
    """Rules that call all pairs or none the same; values true by definition have no interval."""
    pairs = len(judge.data)
    anything = np.ones(pairs)
    everything = at_threshold(judge.test, anything, 1.0, sampling=judge.sampling)
    nothing = at_threshold(judge.test, anything, 2.0, sampling=judge.sampling)
    of_all = {name: estimate(figure) for name, figure in everything.items()} | {"recall": Estimate(1.0)}
    of_none = {"recall": Estimate(0.0), "F1": Estimate(0.0), "accuracy": estimate(nothing["accuracy"])}
    return (
        FixedRow(_ALL, FixedRule.FIXED, None, pairs, of_all),
        FixedRow(_NONE, FixedRule.FIXED, None, 0, of_none),
    )
