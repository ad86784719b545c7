"""Fit when a reader says "no answer" on dev questions, and save it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import LeakError, ModelError, invalid
from textkin.base.files import refuse_overwriting, sha256_of_file
from textkin.base.paths import is_file
from textkin.base.results import Result, ResultRow, with_interval
from textkin.base.standard_streams import refuse_two_inputs
from textkin.base.text_table import text_table
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.span_records import SpanSet
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.leak_check import require_unseen
from textkin.kinds.no_answer_rule import FIGURES, Decided, expected, figures, read_margins
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.systems import reader_of
from textkin.measures.decisions.calibration import Method
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.no_answer import NoAnswerRule, SavedNoAnswer, fit_no_answer
from textkin.models.interop.folder_kinds import MANIFEST
from textkin.models.provenance import hash_of_scorer
from textkin.models.span_reading import PointsAtSpans
from textkin.report.content import Estimate, ends_of
from textkin.report.figure_words import full
from textkin.report.model_card import no_answer, tell_decision
from textkin.text.baselines.span_readers import SPAN_BASELINES
from textkin.verbs.evaluate.calibrate_model import CalibrateOptions


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedReader(Result):
    """Fitted threshold of a reader's "no answer", with its quality.

    Attributes:
        saved_in: the model directory or the file that now holds the rule.
        fitted_on: the name of the questions.
        rule: the probability of no answer and its threshold.
        questions: number of questions it was fitted on.
        left_out: questions of passages without words.
        fitted: the figures on these questions, which are too good.
        expected: expected figures on other questions, by cross-fitting.
        test: the rule on test questions, unchanged; None without.

    Example:
        >>> import textkin as tk
        >>> reader, dev = "runs/reader/model", "dev-v2.0.json"
        >>> found = tk.calibrate(dev, reader)  # doctest: +SKIP
        >>> found.rule.threshold  # doctest: +SKIP
        0.41
    """

    saved_in: Path
    fitted_on: str
    rule: NoAnswerRule
    questions: int
    left_out: int
    fitted: Mapping[str, Estimate]
    expected: Mapping[str, Estimate]
    test: Mapping[str, Estimate] | None = None

    def text(self) -> str:
        """The metrics of each side, and the rule."""
        rows = [
            [name, *(full(found[figure]) if figure in found else "" for figure in FIGURES)]
            for name, found in self.sides().items()
        ]
        return "\n".join([text_table(["", *FIGURES], rows), "", *self.said()])

    def as_dict(self) -> dict[str, Any]:
        """All fields."""
        return self._values()

    def _said(self) -> tuple[str, ...]:
        return self.said()

    def sides(self) -> dict[str, Mapping[str, Estimate]]:
        """The measured figures, by name of the data."""
        found = {f"fitted on {self.fitted_on}": self.fitted, "expected on others": self.expected}
        return found if self.test is None else {**found, "test, unchanged": self.test}

    def _rows(self) -> Iterator[ResultRow]:
        for name, found in self.sides().items():
            row: ResultRow = {"questions": name}
            for figure in found:
                row |= with_interval(figure, found[figure])
            yield row

    def said(self) -> tuple[str, ...]:
        """The threshold in words, and where it is saved."""
        return (f"{self.rule_in_words()}; saved in {self.saved_in}",)

    def rule_in_words(self) -> str:
        """The threshold, its goal, and the data it was fitted on."""
        lost = f"; {self.left_out:,} of passages without words are left out" if self.left_out else ""
        return (
            f"No answer where its probability is above {self.rule.threshold:.4f}, for {self.rule.goal} on "
            f"{self.questions:,} questions{lost}"
        )


def calibrate_reader(
    data: Path | str,
    *,
    model: Path | str,
    goal: Goal | str = "f1",
    test: Path | str | None = None,
    by: GroupedBy = GroupedBy.PARAGRAPH,
    options: CalibrateOptions | None = None,
) -> CalibratedReader:
    """Fit the threshold of a reader's "no answer", save it with the model, and measure it on ``test``.

    Args:
        data: the path of questions of SQuAD 2.0's kind that the model was not trained on.
        model: a folder with a reader that can say that there is no answer. What is not a textkin model
            directory needs ``options.out``.
        goal: "f1", "accuracy" for exact match, or "precision=0.9" for the most answers with this precision.
        test: further questions.
        by: the unit of draws: questions that are drawn together.
        options: of these apply ``out``, ``sampling``, ``accept_leaks``, and ``method``, of which Platt's is
            the only one.

    Raises:
        UsageError: the model always points at an answer, or the goal is none of readers.
        ModelError: there is no such model.
        DataError: the questions are not of both kinds, or the reader's scores don't tell them apart.
        PromiseError: no threshold reaches the precision.
        LeakError: ``data`` and ``test`` share questions, or the model was trained on more than 1 % of either.
    """
    refuse_two_inputs({"data": data, "test": test})
    goal = Goal.parse(goal) if isinstance(goal, str) else goal
    model = str(model)
    options = options or CalibrateOptions()
    if options.method == Method.ISOTONIC:
        raise invalid("method", options.method, expected="platt for models that answer from passages")
    if options.out is not None:
        refuse_overwriting([Path(options.out)], [data, test])
    if options.out is None and not is_file(Path(model) / MANIFEST):
        raise ModelError(
            f"{model} is not a folder of a textkin model, so the decision can't be saved with it",
            fix="give `out=decision.json`; answer and compare take that file as `decision`",
        )
    reader = _reader(model)
    fitted_on = read_squad(data).data
    held_out = None if test is None else read_squad(test).data
    for one in (fitted_on, held_out):
        if one is not None:
            require_unseen(model, seen_of(reader), one, accept_leaks=options.accept_leaks)
    if held_out is not None:
        _refuse_shared(fitted_on, held_out)
    read = read_margins(reader, fitted_on, by=by)
    rule = fit_no_answer(read, goal)
    others = expected(read, rule, sampling=options.sampling)
    judged = None
    if held_out is not None:
        theirs = read_margins(reader, held_out, by=by)
        judged = figures(theirs, Decided.by(rule, theirs.margins), sampling=options.sampling)
    saved = SavedNoAnswer(rule, Path(data).name, sha256_of_file(data), ends_of(judged or others))
    here = figures(read, Decided.by(rule, read.margins), sampling=options.sampling)
    found = CalibratedReader(
        saved_in=Path(model if options.out is None else options.out),
        fitted_on=Path(data).name,
        rule=rule,
        questions=len(read),
        left_out=len(fitted_on) - len(read),
        fitted={name: Estimate(one.value) for name, one in here.items()},
        expected=others,
        test=judged,
    )
    if options.out is None:
        _save_with_model(found, saved, name=reader.name)
    else:
        saved.write(options.out, model=reader.name, model_sha256=hash_of_scorer(model))
    return found


def _save_with_model(found: CalibratedReader, saved: SavedNoAnswer, *, name: str) -> None:
    """Write into the model's directory and its card."""
    from textkin.models.model_folder import CARD, save_no_answer

    save_no_answer(found.saved_in, saved)
    fitted = f"{found.rule_in_words()} of {found.fitted_on}"
    words = no_answer(fitted, expected=found.expected, test=found.test)
    tell_decision(found.saved_in / CARD, words, name=name)


def _reader(model: str) -> PointsAtSpans:
    """The reader, if it can say that there is no answer."""
    reader = None if model in SPAN_BASELINES else reader_of(model, fit_texts=())
    if isinstance(reader, PointsAtSpans) and reader.answers_none:
        return reader
    raise invalid(
        "model",
        model,
        expected="a model with a no-answer score, trained with model.arguments.answers_none = true",
    )


def _refuse_shared(fitted_on: SpanSet, test: SpanSet) -> None:
    shared = set(fitted_on.texts) & set(test.texts)
    if shared:
        raise LeakError(
            f"{fitted_on.name} and {test.name} share {len(shared):,} questions: figures on such a test would "
            "be too good",
            fix="split them by articles: `split()` with `scheme=articles`",
        )
