"""The findings of a study's scores: selected on dev, evaluated on test.

Everything here follows from the scores of both splits alone, so ``verify`` can recompute it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from textkin.base.arrays import Floats
from textkin.kinds.decisions import Decision, fit_decision, with_decision
from textkin.kinds.judge import Judge, estimate
from textkin.kinds.pair_figures import intervals, main_figure
from textkin.kinds.pair_judge import PairJudge
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.paired_tests import holm
from textkin.report import content as say
from textkin.report.figure_words import LEVEL, kind_of

_CHANCE = ("constant", "random", "majority")  # they read no texts


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of systems on the pairs of dev and test.

    Attributes:
        dev: the judge with all systems' scores: a baseline's of shape [1, pairs], a recipe's [seeds, pairs].
        test: the same on test.
        recipes: the names of the trained systems.
        curve: the best recipe's test scores by the fraction of labels it learns from, shape [seeds, pairs]
            each.
    """

    dev: PairJudge
    test: PairJudge
    recipes: tuple[str, ...]
    curve: Mapping[float, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenRecipe:
    """The selected recipe.

    Attributes:
        name: the recipe with the highest metric, averaged over its seeds.
        seed: its best seed.
        reference: the strongest baseline on test, including chance.
        reference_is_chance: True if the reference reads no texts.
        decision: the chosen model's threshold and calibration; None for graded labels.
    """

    name: str
    seed: int
    reference: str
    reference_is_chance: bool
    decision: Decision | None


def choose_recipe(sides: Scores, *, goal: Goal) -> ChosenRecipe:
    """Select model and decision by the scores on dev; the reference is the strongest on test."""
    dev = sides.dev
    name = dev.best(sides.recipes)
    scores = dev.scores[name]
    seed = int(np.argmax([main_figure(dev.test, row) for row in scores]))
    reference = sides.test.strongest_baseline(sides.recipes)
    decision = None
    if dev.is_binary:
        decision = fit_decision(dev, scores[seed], system=name, goal=goal)
    return ChosenRecipe(name, seed, reference, reference in _CHANCE, decision)


def with_findings(
    report: say.StudyReport, scores: Scores, choice: ChosenRecipe, *, labels: Sequence[int] = ()
) -> say.StudyReport:
    """The report with all findings from the scores.

    Args:
        report: the report so far.
        scores: the scores of all systems.
        choice: the selection made on dev.
        labels: the number of labels at each point of the curve.
    """
    test = scores.test
    systems = test.table(choice.reference, trained=scores.recipes)
    verdict = verdict_of(systems, choice.name, measure=test.main, seeds=len(test.scores[choice.name]))
    report = replace(
        report,
        systems=systems,
        verdict=replace(
            verdict,
            reference_is_chance=choice.reference_is_chance,
            above_chance=above_chance(test, choice.name, choice.reference),
        ),
        label_curve=_label_curve(scores, choice, labels),
    )
    if choice.decision is None:
        return report
    own = test.scores[choice.name][choice.seed]
    return with_decision(report, test, choice.decision, own, reference=choice.reference)


def verdict_of(systems: say.Systems, name: str, *, measure: str, seeds: int) -> say.Verdict:
    """A system's verdict against the first reference other than itself."""
    (row,) = (row for row in systems.rows if row.name == name)
    reference = next(reference for reference in systems.references if reference in row.against)
    gain = row.against[reference].difference
    return say.Verdict(
        kind=kind_of(row.against[reference]),
        model=name,
        reference=reference,
        measure=measure,
        difference=gain.value,
        low=gain.value if gain.low is None else gain.low,
        high=gain.value if gain.high is None else gain.high,
        p=row.against[reference].p,
        seeds=seeds,
        reference_trained=any(other.trained for other in systems.rows if other.name == reference),
    )


def above_chance(judge: Judge, *names: str) -> tuple[str, ...] | None:
    """The systems significantly above chance, corrected; None if the judge has no chance system.

    A point estimate above chance is no evidence: more than half of random systems are.
    """
    chance = next((name for name in _CHANCE if name in judge.names), None)
    if chance is None:
        return None
    asked = [name for name in names if name != chance]
    found = [judge.difference(name, chance, tests=len(asked)) for name in asked]
    corrected = holm(np.array([one.p for one in found])).tolist()
    tested = zip(asked, found, corrected, strict=True)
    return tuple(name for name, one, p in tested if p < LEVEL and one.value > 0)


def _label_curve(scores: Scores, choice: ChosenRecipe, labels: Sequence[int]) -> say.LabelCurve | None:
    if not scores.curve:
        return None
    test = scores.test
    points = tuple(
        say.LabelPoint(share, count, estimate(intervals(test.test, rows, sampling=test.sampling)[test.main]))
        for (share, rows), count in zip(scores.curve.items(), labels, strict=True)
    )
    return say.LabelCurve(choice.name, points, choice.reference, test.value(choice.reference))
