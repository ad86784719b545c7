"""A reader's no-answer rule, fitted on dev questions, and its expected metrics on others.

A rule looks too good on the questions that it was fitted on. So the questions are split into ten parts that
share no paragraph, and each part is decided by the rule fitted on the other nine. A promised precision is
evaluated on all of them, since its threshold is chosen to hold elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from textkin.base.arrays import Bools, Floats
from textkin.base.errors import DataError, PromiseError
from textkin.data.protocols import ByWeight
from textkin.data.span_records import SpanAnswer, SpanSet
from textkin.kinds.judge import estimate
from textkin.kinds.span_grouping import GroupedBy, gold_of, groups_of
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.no_answer import NoAnswerRule, ReadQuestions, fit_no_answer
from textkin.measures.intervals.bootstrap import bootstrap, components
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import calibration_error_by_weight
from textkin.measures.metrics.spans import SquadRules, score_answers
from textkin.measures.metrics.weighted import quotient
from textkin.report.content import Estimate

_PARTS = 10

FIGURES = ("F1", "EM", "answered", "precision", "ECE")
"""Metrics of a rule: SQuAD's two, coverage, precision of answers, and the error."""


class TellsMargins(Protocol):
    """A reader that reports the margin of no answer."""

    def margins(self, questions: list[str], passages: list[str]) -> list[tuple[float, SpanAnswer] | None]:
        """The no-answer score minus that of the best span, and that span."""


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Decided questions; all of shape [questions].

    Attributes:
        told: the predicted probability of no answer.
        answered: True for answered questions.
    """

    told: Floats
    answered: Bools

    @classmethod
    def by(cls, rule: NoAnswerRule, margins: Floats) -> Decided:
        """The decisions of a rule."""
        told = rule.probability(margins)
        return cls(told, ~rule.withholds(told))


def read_margins(reader: TellsMargins, data: SpanSet, *, by: GroupedBy) -> ReadQuestions:
    """A reader's margins on questions; passages without words are skipped.

    Raises:
        DataError: there are no questions, or all of them have an answer, or none has.
        UsageError: the reader can't predict that there is no answer.
    """
    answerable = np.array([bool(one.answers) and not one.is_impossible for one in data], dtype=np.bool_)
    if answerable.all() or not answerable.any():
        kind = "without" if answerable.all() else "with"
        raise DataError(
            f"{data.name or 'the data'} has no question {kind} an answer, and a probability of no answer is "
            "fitted on both kinds",
            fix="give dev data of SQuAD 2.0's kind, with questions that are impossible",
        )
    found = reader.margins(*map(list, zip(*data.texts, strict=True)))
    best = {
        one.question_id: "" if read is None else read[1].text for one, read in zip(data, found, strict=True)
    }
    scores = score_answers(gold_of(data), best, rules=SquadRules.V2)
    kept = np.array([read is not None for read in found])
    margins = np.array([np.nan if read is None else read[0] for read in found])
    # A best span always has text, so it earns nothing on questions without an answer.
    return ReadQuestions(margins, answerable, scores.exact, scores.f1, groups_of(data, by)).only(kept)


def expected(read: ReadQuestions, rule: NoAnswerRule, *, sampling: Sampling) -> dict[str, Estimate]:
    """A rule's expected metrics on other questions, from those it was fitted on."""
    if Goal.parse(rule.goal).aim is Aim.PRECISION:
        decided = Decided.by(rule, read.margins)
        told = _in_parts(read, rule, sampling.seed).told
        return figures(read, Decided(told, decided.answered), sampling=sampling)
    return figures(read, _in_parts(read, rule, sampling.seed), sampling=sampling)


def figures(read: ReadQuestions, decided: Decided, *, sampling: Sampling) -> dict[str, Estimate]:
    """:data:`FIGURES`, with intervals over groups; no precision if nothing is answered."""
    none = (~read.answerable).astype(np.float64)
    answered = decided.answered.astype(np.float64)
    wanted: dict[str, ByWeight] = {
        "F1": _mean(np.where(decided.answered, read.f1, none)),
        "EM": _mean(np.where(decided.answered, read.exact, none)),
        "answered": _mean(answered),
        "ECE": calibration_error_by_weight(none, decided.told),
    }
    if answered.any():
        right = answered * read.exact
        wanted["precision"] = lambda weights: quotient(right @ weights, answered @ weights)
    return {
        name: estimate(bootstrap(wanted[name], read.groups, resamples=sampling.resamples, seed=sampling.seed))
        for name in FIGURES
        if name in wanted
    }


def _in_parts(read: ReadQuestions, whole: NoAnswerRule, seed: int) -> Decided:
    """Cross-fitted decisions of each part; by the whole rule if the other parts give none."""
    units, member = components(read.groups)
    part = np.random.default_rng(seed).permutation(units)[member] % min(_PARTS, units)
    told, answered = np.zeros(len(read)), np.zeros(len(read), dtype=np.bool_)
    for number in range(min(_PARTS, units)):
        here = part == number
        try:
            rule = fit_no_answer(read.only(~here), Goal.parse(whole.goal)) if units > 1 else whole
        except (DataError, PromiseError):
            rule = whole
        found = Decided.by(rule, read.margins[here])
        told[here], answered[here] = found.told, found.answered
    return Decided(told, answered)


def _mean(values: Floats) -> ByWeight:
    return lambda weights: np.asarray((values @ weights) / weights.sum(axis=0))
