"""Questions about passages, whose answers are spans, as in SQuAD."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import UsageError, invalid
from textkin.base.files import ensure_folder, sha256_of_file
from textkin.base.paths import is_file
from textkin.data.protocols import SpanReader
from textkin.data.readers import Reading
from textkin.data.readers.datasets.squad import read_squad, without_questions
from textkin.data.readers.datasets.squad_rows import spans_of_rows
from textkin.data.readers.from_python import holds_spans
from textkin.data.readers.read_report import Loaded
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.span_answers import answers_by
from textkin.data.span_records import SpanSet
from textkin.kinds.baseline_fits import Fitted, FittedTexts
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.dev_score import dev_of_spans
from textkin.kinds.judge import Judge
from textkin.kinds.kind import DataKind, Trial
from textkin.kinds.measured_report import with_page
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.kinds.predicted_answers import SystemAnswers, reader_from
from textkin.kinds.span_grouping import GroupedBy, gold_of
from textkin.kinds.span_judge import SpanJudge, as_reader
from textkin.kinds.systems import NONE_GIVEN, AnyModel, reader_of
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.spans import score_answers
from textkin.models.ensembles.ensemble_folder import Together
from textkin.models.ensembles.reader import LISTED, Ballots, ballots_of
from textkin.text.truncation_account import ReadsQuestions, Truncation

if TYPE_CHECKING:
    from textkin.measures.decisions.no_answer import SavedNoAnswer
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev


class SpanKind(DataKind[SpanSet, SpanJudge]):
    """Questions about passages."""

    words = "questions about passages"
    takes = frozenset({"decision", "group_by"})
    about_passages = True

    def holds(self, data: object) -> bool:
        """Sets of passages with questions."""
        return isinstance(data, SpanSet)

    def read(self, path: Path | str, reading: Reading) -> Loaded[SpanSet] | None:
        """Read SQuAD's JSON, or rows with the same columns."""
        if not holds_spans(path, reading=reading):
            return None
        loaded = read_squad(path).some()
        if not len(loaded.data):
            raise without_questions(path)
        return loaded

    def from_rows(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> SpanSet | None:
        """Rows with a question, its passage and its answers."""
        return spans_of_rows(names, rows)

    def judge(self, data: SpanSet, options: Options) -> SpanJudge:
        """F1 and exact match by SQuAD's rules."""
        return SpanJudge(data, sampling=options.sampling, by=GroupedBy.of(options.group_by))

    def check(self, judge: SpanJudge, named: Mapping[str, Sequence[AnyModel]], options: Options) -> None:
        """Refuse one rule of no answer, or one file of predictions, for several models."""
        seeds = sum(map(len, named.values()))
        if options.decision is not None and seeds != 1:
            raise UsageError(
                f"`decision` is for one model, and {seeds} models are compared",
                fix="compare that model alone, or save decisions with the models: `calibrate()`",
                params=("decision",),
                value=options.decision,
            )
        if options.out is not None and options.out.suffix == ".json" and seeds != 1:
            raise invalid("out", options.out, expected=f"a folder for the predictions of {seeds} models")

    def fitted(self, data: SpanSet, judge: SpanJudge, options: Options) -> Fitted:
        """The passages, or the texts of the file ``fit``."""
        return _FittedPassages(FittedTexts.of(judge, options))

    def predicted(self, judge: SpanJudge, given: Predictions, options: Options) -> Predicted:
        """SQuAD's predictions."""
        return reader_from(judge.data, given)

    def extras(self, judge: Judge, trial: Trial[SpanSet]) -> dict[str, Any]:
        """The quality of each named system's probability of no answer."""
        assert isinstance(judge, SpanJudge)  # noqa: S101 - it is this kind's
        found = tuple(one for name in trial.named if (one := judge.abstention(name)) is not None)
        said = (*(one.sentence() for one in found), *_fitted_here(trial))
        return {"abstentions": found, "notes": said}

    def write(self, judge: Judge, trial: Trial[SpanSet], out: Path) -> None:
        """The predictions of all systems into a folder, or of the one model into a file."""
        if out.suffix != ".json":
            super().write(judge, trial, out)
            return
        assert isinstance(judge, SpanJudge)  # noqa: S101 - it is this kind's
        ensure_folder(out.parent)
        judge.write_answers(judge.given[next(iter(trial.named))][0], out)

    def publish(self, measured: Measured, trial: Trial[SpanSet]) -> Measured:
        """The page shows what answering risks, and how far the probability of no answer can be believed."""
        fitted = (name for name, readers in trial.systems.items() if getattr(readers[0], "no_answer", None))
        return with_page(measured, trial.options, trial.named, calibrated=frozenset(fitted))

    def truncation(self, data: SpanSet, system: Any, name: str) -> Truncation | None:
        """Truncation of the questions; passages are read in windows."""
        asked = [one.question for one in data]
        return system.question_truncation(asked) if isinstance(system, ReadsQuestions) else None

    def unseen(self, data: SpanSet) -> Mapping[str, Iterable[str]]:
        """Questions and passages."""
        return {"questions": [one for one, _ in data.texts], "passages": [one for _, one in data.texts]}

    def rows(self, data: SpanSet) -> tuple[PairSet, PairSet]:
        """Each question with its passage; and that passage with the first one of its title."""
        first: dict[str, str] = {}
        asked, titled = [], []
        for question, one in zip(data, data.texts, strict=True):
            title = data.passages[question.passage_id].title
            asked.append(Pair(*one, row=question.row))
            titled.append(
                Pair(one[1], first.setdefault(title, one[1]) if title else one[1], row=question.row)
            )
        both = tuple(pair for row in zip(asked, titled, strict=True) for pair in row)
        one_each, all_pairs = (
            PairSet(pairs, LabelKind.NONE, name=data.name) for pairs in (tuple(asked), both)
        )
        return one_each, all_pairs

    def learnt(self, data: SpanSet, task: Task) -> SpanSet:
        """The questions, for spans."""
        return data if task == "spans" else super().learnt(data, task)

    def dev(self, data: SpanSet, pipeline: TextPipeline) -> Dev:
        """F1 of SQuAD."""
        return dev_of_spans(data, pipeline)

    def dev_data(self, data: SpanSet, sampling: Sampling) -> DevData:
        """A row an answer."""
        return DevSpans(data, sampling=sampling)


@dataclass(frozen=True, slots=True)
class _FittedPassages(Fitted):
    """The texts that baselines of spans take word frequencies from."""

    source: FittedTexts
    further: tuple[str, ...] = ()

    @property
    def words(self) -> str:  # type: ignore[override]
        """The source in words."""
        return self.source.words

    def open(
        self, model: AnyModel, *, named: bool = True, given: Mapping[str, Any] = NONE_GIVEN
    ) -> SpanReader:
        """A reader of answers."""
        options = self.source.options
        return reader_of(
            model,
            fit_texts=self.source.texts,
            seed=options.sampling.seed,
            decision=options.decision if named else None,
            given=given,
        )


def _fitted_here(trial: Trial[SpanSet]) -> list[str]:
    """Sentences on systems whose no-answer rule was fitted on these same questions."""
    hashes = {
        name: {saved.data_sha256 for reader in readers if (saved := _saved(reader)) is not None}
        for name, readers in trial.systems.items()
    }
    path = trial.loaded.report.path
    here = sha256_of_file(path) if any(hashes.values()) and is_file(path) else None
    return [
        f"{name}'s probability of no answer was fitted on these very questions: its figures are too good"
        for name, found in hashes.items()
        if here in found
    ]


def _saved(reader: SpanReader) -> SavedNoAnswer | None:
    return getattr(getattr(reader, "model", None), "no_answer", None)


class DevSpans(DevData):
    """Questions about passages."""

    kind = Together.SPANS

    def __init__(self, data: SpanSet, *, sampling: Sampling) -> None:
        self._judge: SpanJudge = SpanJudge(data, sampling=sampling)
        self._data = data
        self.pairs = data.texts
        self._listed: dict[str, list[Any]] = {}
        self._ballots: Ballots | None = None

    def ask(self, name: str, system: Any) -> None:
        """Ask all questions."""
        questions, passages = [one for one, _ in self.pairs], [one for _, one in self.pairs]
        found = answers_by(as_reader(name, system), questions, passages, k=LISTED)
        self._listed[name] = found
        self._take(name, [given[0].text if given else "" for given in found])

    def votes(self) -> Votes:
        """A row an answer; it is worth its F1, and questions of one passage are one group."""
        ballots = self._ballots = ballots_of(list(self._listed.values()))
        ids = [one.question_id for one in self._data]
        gold = gold_of(self._data)
        # Each answer is scored as if it were its own question's.
        asked = {str(row): gold[ids[question]] for row, question in enumerate(ballots.questions.tolist())}
        given = {str(row): one.text for row, one in enumerate(ballots.answers)}
        worth = score_answers(asked, given, rules=self._judge.rules).f1
        return Votes(
            ballots.values,
            worth,
            self._judge.groups[ballots.questions],
            JudgedBy.CHOSEN,
            questions=ballots.questions,
            are_probabilities=True,
        )

    def take(self, combined: Floats) -> None:
        """Measure the combination by F1."""
        ballots = self._ballots
        if ballots is None:
            raise UsageError("members were not asked yet", fix="call votes first")
        texts = [""] * len(self._data)
        order = np.lexsort((-combined.astype(np.float32), ballots.questions))
        for row in order[::-1].tolist():
            texts[int(ballots.questions[row])] = ballots.answers[row].text
        self._take(THEM, texts)

    def _take(self, name: str, texts: Sequence[str]) -> None:
        ids = (one.question_id for one in self._data)
        self._judge.take_answers(name, [SystemAnswers(dict(zip(ids, texts, strict=True)), {})])
