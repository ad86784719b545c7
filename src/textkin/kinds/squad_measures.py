"""Official SQuAD metrics, with intervals the scripts don't report.

In addition, it counts missing predictions and those of unknown questions, and for version 2.0 it evaluates a
no-answer threshold that was not chosen on the measured labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.counts import count
from textkin.base.errors import DataError, LeakError, inapplicable, invalid, required
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table, tsv_text
from textkin.data.span_records import SpanSet
from textkin.kinds.mean_judge import mean_interval
from textkin.kinds.span_grouping import GroupedBy, gold_of, groups_of, in_percent, rules_of, unknown_ids
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics import spans

TUNED = "tuned on these labels"
MISSING = "missing predictions counted as wrong"


@dataclass(frozen=True, slots=True)
class SpanPredictions:
    """Questions with a system's answers.

    Attributes:
        data: all questions of the file.
        answers: question id to answer; "" for none.
        no_answer: question id to the probability of no answer (version 2.0), in the order that breaks ties;
            None without.
    """

    data: SpanSet
    answers: Mapping[str, str]
    no_answer: Mapping[str, float] | None = None

    def scores(self) -> spans.SpanScores:
        """The scores of the answers, before any threshold.

        Raises:
            UsageError: an answer isn't text.
            DataError: there are no questions.
        """
        for name, answer in self.answers.items():
            if not isinstance(answer, str):
                raise invalid("predictions", answer, expected=f'a text for {name!r}, "" for no answer')
        return spans.score_answers(gold_of(self.data), self.answers, rules=rules_of(self.data))


@dataclass(frozen=True, slots=True)
class SpanFigure:
    """A metric in percent.

    Attributes:
        name: the official script's name for it.
        value: the value.
        low: the lower bound of its 95 % interval; None without one.
        high: the upper bound.
        note: a remark on it.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasuredSpans(Result):
    """The scores of a prediction file.

    Attributes:
        data: the name of the data.
        version: the version of the rules, "1.1" or "2.0".
        questions: the number of questions.
        groups: the number of paragraphs or articles, the unit of the intervals.
        missing: questions without a prediction.
        unknown: ids of predictions without a question.
        official: the official script's output, with its names and order.
        figures: the same with intervals, and further metrics.
        scores: the score of each question, at the threshold.
        shows_questions: True to print the values of each question.

    Example:
        >>> import textkin as tk
        >>> passage = tk.Passage("0-0", "Ada", "Ada met Bob.")
        >>> asked = tk.SpanQuestion("q1", "Who met Bob?", "0-0", (tk.Span(0, "Ada"),))
        >>> found = tk.compare(tk.SpanSet({"0-0": passage}, (asked,)), predictions={"q2": "Bob"})
        >>> found.version, found.missing, found.unknown
        ('1.1', ('q1',), ('q2',))
    """

    data: str
    version: str
    questions: int
    groups: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    official: Mapping[str, float]
    figures: tuple[SpanFigure, ...]
    scores: spans.SpanScores
    shows_questions: bool = False

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.figures:
            yield {"figure": one.name, "value": one.value, "low": one.low, "high": one.high, "note": one.note}

    def _said(self) -> tuple[str, ...]:
        return (self.counts(), *self.warnings())

    def text(self) -> str:
        """The table, or tab-separated values of each question."""
        if self.shows_questions:
            return tsv_text(("figure", "question", "value"), self._lines())
        shown = text_table(("figure", "value", "95 % interval", ""), [_cells(one) for one in self.figures])
        return f"{shown}\n\n{self.counts()}"

    def as_dict(self) -> dict[str, Any]:
        """The official script's own object, with further keys."""
        others = self._values("version", "questions", "groups", "missing", "unknown", "figures")
        found = {**self.official, **others}
        return found | {"per_question": self.per_question()} if self.shows_questions else found

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        for question, values in self.per_question().items():
            for name, value in values.items():
                yield name, question, repr(value)
        for one in self.figures:
            yield one.name, "all", repr(one.value)

    def counts(self) -> str:
        """The number of questions, in a sentence."""
        asked, groups = count(self.questions, "question"), count(self.groups, "group")
        return f"{asked} in {groups}, by the rules of SQuAD {self.version}"

    def warnings(self) -> tuple[str, ...]:
        """Missing predictions and unknown questions, in sentences."""
        found = []
        if self.missing:
            rule = (
                "counted as wrong"
                if self.version == spans.SquadRules.V1
                else "left out, as the official script does before it stops"
            )
            found.append(f"{_named(self.missing, 'question')} without prediction, {rule}")
        if self.unknown:
            found.append(f"{_named(self.unknown, 'prediction')} of no question, not counted")
        return tuple(found)

    def per_question(self) -> dict[str, dict[str, float]]:
        """Exact match and F1 of every counted question, from 0 to 1, by id."""
        kept = self.scores.predicted | (self.version == spans.SquadRules.V1)
        rows = zip(self.scores.question_ids, kept, self.scores.exact, self.scores.f1, strict=True)
        return {name: {"exact": float(exact), "f1": float(f1)} for name, counts, exact, f1 in rows if counts}


def _cells(one: SpanFigure) -> tuple[str, str, str, str]:
    ends = "" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
    places = ".6g" if one.name.endswith("_thresh") else "" if isinstance(one.value, int) else ".2f"
    return one.name, format(one.value, places), ends, one.note


def measure_predictions(
    given: SpanPredictions,
    *,
    threshold: float | None = None,
    dev: SpanPredictions | None = None,
    by: GroupedBy = GroupedBy.PARAGRAPH,
    sampling: Sampling,
) -> MeasuredSpans:
    """Measure predictions as the official script does, with intervals.

    Args:
        given: the questions and the predictions.
        threshold: the no-answer probability above which the answer is none; default 1.
        dev: predictions for other questions, to choose a threshold on.
        by: the unit of resampling.
        sampling: settings of the intervals.

    Raises:
        UsageError: a threshold without probabilities or one that isn't a number, or probabilities for version
            1.1.
        DataError: there is nothing to measure, or a prediction has no probability.
        LeakError: dev contains some of the measured questions.
    """
    raw = given.scores()
    _check(given, raw.rules, threshold, dev)
    cut = 1.0 if threshold is None else threshold
    official = spans.official_figures(raw, no_answer=given.no_answer, threshold=cut)
    decided = raw if given.no_answer is None else spans.at_threshold(raw, given.no_answer, cut)
    groups = groups_of(given.data, by)
    figures = [*_with_intervals(official, decided, groups, sampling)]
    if dev is not None and given.no_answer is not None:
        figures += _by_dev(raw, given.no_answer, dev, groups, sampling)
    if raw.rules is spans.SquadRules.V2 and not raw.predicted.all():
        for name, values in (("exact", decided.exact), ("f1", decided.f1)):
            figures.append(
                _figure(f"{name}_of_all", mean_interval(values, groups, sampling=sampling), MISSING)
            )
    return MeasuredSpans(
        data=given.data.name,
        version=raw.rules.value,
        questions=len(given.data),
        groups=len(np.unique(groups)),
        missing=tuple(np.array(raw.question_ids, dtype=object)[~raw.predicted]),
        unknown=unknown_ids(given.answers, dict.fromkeys(raw.question_ids)),
        official=official,
        figures=tuple(figures),
        scores=decided,
    )


def _check(
    given: SpanPredictions, rules: spans.SquadRules, threshold: float | None, dev: SpanPredictions | None
) -> None:
    if rules is spans.SquadRules.V1 and given.no_answer is not None:
        raise inapplicable("na_prob", to=f"{given.data.name or 'data'} without unanswerable questions")
    if threshold is not None and isnan(threshold):
        raise invalid("na_threshold", threshold, expected="a number")
    if given.no_answer is None and (threshold is not None or dev is not None):
        raise required("na_prob", by="`threshold_from`" if threshold is None else "`na_threshold`")
    if dev is not None:
        shared = gold_of(dev.data).keys() & gold_of(given.data).keys()
        if shared:
            raise LeakError(
                f"{dev.data.name or 'dev'} has {len(shared):,} of the measured questions: a threshold chosen "
                "on them looks too good",
                fix="give other dev data",
            )
        if rules_of(dev.data) is spans.SquadRules.V1:
            raise DataError(
                f"{dev.data.name or 'dev'} has no question without answer to choose a threshold on",
                fix="give dev data of version 2.0",
            )


def _with_intervals(
    official: Mapping[str, float], decided: spans.SpanScores, groups: Ints, sampling: Sampling
) -> Iterator[SpanFigure]:
    """The official metrics; without interval at a threshold chosen on the labels."""
    counted = decided.predicted | (decided.rules is spans.SquadRules.V1)
    parts = {"HasAns": decided.answerable, "NoAns": ~decided.answerable}
    for name, value in official.items():
        part, _, last = name.rpartition("_")
        if part == "best" or last == "thresh":
            yield SpanFigure(name, value, note=TUNED)
        elif last == "total":
            yield SpanFigure(name, value)
        else:
            inside = counted & parts.get(part, True)
            share = mean_interval(_of(decided, last), groups, inside=inside, sampling=sampling)
            found = in_percent(share)
            yield SpanFigure(name, value, found.low, found.high)


def _by_dev(
    raw: spans.SpanScores,
    no_answer: Mapping[str, float],
    dev: SpanPredictions,
    groups: Ints,
    sampling: Sampling,
) -> Iterator[SpanFigure]:
    """Exact match and F1, each at the best threshold on dev."""
    theirs = dev.scores()
    for name in ("exact", "f1"):
        best = spans.best_threshold(theirs, _of(theirs, name), dev.no_answer or {})
        earned = _of(spans.at_threshold(raw, no_answer, best.threshold), name)
        found = mean_interval(earned, groups, inside=raw.predicted, sampling=sampling)
        yield _figure(f"dev_{name}", found, f"threshold chosen on {dev.data.name or 'dev'}")
        yield SpanFigure(f"dev_{name}_thresh", best.threshold, note=f"chosen on {dev.data.name or 'dev'}")


def _of(scores: spans.SpanScores, name: str) -> Floats:
    return scores.f1 if name == "f1" else scores.exact


def _figure(name: str, share: Interval, note: str) -> SpanFigure:
    found = in_percent(share)
    return SpanFigure(name, found.value, found.low, found.high, note)


def _named(ids: tuple[str, ...], what: str) -> str:
    shown = ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "")
    return f"{len(ids):,} {what}{'' if len(ids) == 1 else 's'} ({shown})"
