"""Abstention of readers: a probability of "no answer" fitted on dev questions, and its threshold.

The margin of a question is the score of "no answer" minus that of the best span. Platt's sigmoid turns it
into a probability. Above the threshold the reader abstains. The spans share the remaining probability.

Source: Rajpurkar, Jia and Liang, "Know What You Don't Know: Unanswerable Questions for SQuAD" (2018), for
the threshold; Platt (1999) for the sigmoid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError, ModelError, UsageError, invalid
from textkin.base.files import write_json
from textkin.base.json_records import restored
from textkin.measures.decisions.calibration import Method, Platt, fit_calibration
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.saved_thresholds import FORMAT, MAKE_AGAIN, read_decision

_KIND = "no-answer"


@dataclass(frozen=True, slots=True, eq=False)
class ReadQuestions:
    """A reader's results on questions with gold answers; all of shape [questions].

    Attributes:
        margins: the score of "no answer" minus that of the best span; finite.
        answerable: True if the question has an answer.
        exact: 1 if the best span is the answer, else 0; 0 if there is no answer.
        f1: the F1 of the best span; 0 if there is no answer.
        groups: the paragraph of each question, or another unit of dependent questions.
    """

    margins: Floats
    answerable: Bools
    exact: Floats
    f1: Floats
    groups: Ints

    def __len__(self) -> int:
        return len(self.margins)

    def only(self, kept: Bools) -> ReadQuestions:
        """The selected questions."""
        return ReadQuestions(
            self.margins[kept], self.answerable[kept], self.exact[kept], self.f1[kept], self.groups[kept]
        )


@dataclass(frozen=True, slots=True)
class NoAnswerRule:
    """A probability of "no answer" with the threshold for abstaining.

    Attributes:
        calibration: margins to probabilities; increasing.
        threshold: the reader abstains above this probability.
        goal: the goal it was fitted for, as :meth:`Goal.parse` reads it.
    """

    calibration: Platt
    threshold: float
    goal: str

    def __post_init__(self) -> None:
        Goal.parse(self.goal)
        if not self.calibration.slope > 0:
            raise ValueError("the probability of no answer does not rise with the margin")
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"the threshold is {self.threshold}, expected 0 to 1")

    def probability(self, margins: Floats) -> Floats:
        """The probability of "no answer", shape [questions]."""
        return self.calibration.probability(margins)

    def withholds(self, probabilities: Floats) -> Bools:
        """True where the reader abstains, shape [questions]."""
        return np.greater(probabilities, self.threshold)


@dataclass(frozen=True, slots=True)
class SavedNoAnswer:
    """A rule with the data it was fitted on.

    Attributes:
        rule: the probability and the threshold.
        fitted_on: the name of the data.
        data_sha256: the hash of that file, or "".
        figures: expected performance on other questions: from metric name to the value and the bounds of its
            95 % interval.
    """

    rule: NoAnswerRule
    fitted_on: str
    data_sha256: str = ""
    figures: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-compatible values."""
        about = asdict(self)
        return {**about.pop("rule"), **about}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedNoAnswer:
        """Read a rule from the result of :meth:`to_dict`.

        Raises:
            ModelError: a field is missing or invalid.
        """
        try:
            return restored(cls, {**values, "rule": values}, finite=True)
        except (ValueError, UsageError) as error:
            raise ModelError(f"a stored rule of no answer can't be read: {error}") from error

    def write(self, path: Path | str, *, model: str, model_sha256: str) -> None:
        """Write the rule to its own file atomically, for the model with this name and hash.

        Raises:
            OutputError: the file can't be written.
        """
        head = {"kind": _KIND, "format": FORMAT, "model": model, "model_sha256": model_sha256}
        write_json(path, {**head, **self.to_dict()})

    @classmethod
    def read(cls, path: Path | str, *, model: str, model_sha256: str) -> SavedNoAnswer:
        """Read the file of :meth:`write` for the same model.

        Raises:
            DataError: the file can't be read, or has another format.
            ModelError: the file was made for another model.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="decision of `calibrate()` for a reader")
        try:
            found = cls.from_dict(values)
        except ModelError as error:
            raise DataError(f"is damaged: {error.message}", path=place, fix=MAKE_AGAIN) from error
        if values.get("model_sha256") != model_sha256:
            raise ModelError(
                f"the decision {path} was made for another model than {model}: {values.get('model')}",
                fix=f"give that model, or fit a decision for {model}: `calibrate()`",
                value=model,
            )
        return found


def fit_no_answer(read: ReadQuestions, goal: Goal) -> NoAnswerRule:
    """Fit the probability of "no answer" and its threshold to these questions.

    F1 and accuracy (exact match) are those of SQuAD 2.0: an unanswerable question scores 1 if the reader
    abstains. Precision is the proportion of given answers that match exactly. The fit answers as many
    questions as possible at that precision, with the guarantee of
    :func:`textkin.measures.decisions.fit_threshold.fit_threshold`.

    Raises:
        UsageError: the goal is recall, which answering every question maximises.
        DataError: the questions are not of both kinds, or the margin doesn't separate them.
        PromiseError: no threshold reaches the precision.
    """
    if goal.aim is Aim.RECALL:
        raise invalid(
            "goal",
            str(goal),
            expected="precision=0.9, f1 or accuracy: recall is best where everything is answered",
        )
    none = (~read.answerable).astype(np.float64)
    calibration = fit_calibration(none, read.margins, method=Method.PLATT)
    if not isinstance(calibration, Platt) or not calibration.slope > 0:
        raise DataError(
            "the reader's score of no answer is not higher where there is none, so that it tells nothing",
            fix="train the reader on questions without answers, or give more questions",
        )
    told = calibration.probability(read.margins)
    if goal.aim is Aim.PRECISION:
        scores = -read.margins
        found = fit_threshold(read.exact, scores, goal, clusters=read.groups)
        answered = found.decide(scores)
    else:
        answered = told <= _best_cut(read, told, read.f1 if goal.aim is Aim.F1 else read.exact)
    return NoAnswerRule(calibration, _between(told, answered), str(goal))


def _best_cut(read: ReadQuestions, told: Floats, earned: Floats) -> float:
    """The highest answered probability that maximises the score; the lowest one of ties."""
    order = np.argsort(told, kind="stable")
    gains = np.where(read.answerable, earned, -1.0)[order]
    rising = told[order]
    last = np.flatnonzero(np.append(rising[1:] != rising[:-1], True))
    reached = np.concatenate(([0.0], np.cumsum(gains)[last]))
    best = int(np.argmax(reached))
    return float(rising[last[best - 1]]) if best else -1.0


def _between(told: Floats, answered: Bools) -> float:
    """Midpoint between the least certain abstention and the least certain answer."""
    if answered.all():
        return 1.0
    lowest = float(told[~answered].min())
    highest = float(told[answered].max()) if answered.any() else 0.0
    return min(highest + (lowest - highest) / 2, 1.0) if lowest > highest else highest
