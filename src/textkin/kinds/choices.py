"""Questions with choices, such as exams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.counts import count
from textkin.base.errors import invalid
from textkin.base.hub import DEFAULT
from textkin.data.choice_records import (
    LOOKING_UP,
    LUCENE,
    SUPPORT,
    ChoiceQuestion,
    ChoiceSet,
    with_number,
)
from textkin.data.choice_scores import answers_of, chosen, rows_of
from textkin.data.pair_set_operations import candidates_of, pairs_of
from textkin.data.protocols import Chooser, Scorer
from textkin.data.readers import Reading, load_texts
from textkin.data.readers.choices import choices_of, is_choices, read_choices
from textkin.data.readers.from_python import holds_choices
from textkin.data.readers.read_report import Loaded
from textkin.data.records import CandidateSet, PairSet
from textkin.data.splits.corpus_leaks import corpus_leaks
from textkin.kinds.agreement import Decisions
from textkin.kinds.baseline_fits import Fitted
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.dev_score import dev_of_choices
from textkin.kinds.kind import DataKind, rows_as
from textkin.kinds.measuring import Options
from textkin.kinds.predicted_choices import chooser_from
from textkin.kinds.retrieval_choosers import LookedUp
from textkin.kinds.systems import NONE_GIVEN, AnyModel, chooser_of
from textkin.kinds.systems.predictions import Predicted, Predictions
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import Together
from textkin.models.ensembles.scorer import flat_scores, numbers_of
from textkin.text.baselines.choosers import CHOICE_WORDS
from textkin.text.baselines.names import BaselineNames

if TYPE_CHECKING:
    from textkin.networks.recipes.recipe import Task
    from textkin.text.pipeline import TextPipeline
    from textkin.training.loop import Dev


class ChoiceKind(DataKind[ChoiceSet, ChoiceJudge]):
    """Questions with choices."""

    words = "multiple-choice questions"
    takes = frozenset({"vectors", "corpora", "cache"})
    chooses_epochs = True

    def holds(self, data: object) -> bool:
        """Sets of questions with choices."""
        return isinstance(data, ChoiceSet)

    def read(self, path: Path | str, reading: Reading) -> Loaded[ChoiceSet] | None:
        """Read an exam as a table or JSON lines, and MovieQA unless its format is given."""
        return (
            read_choices(path, split=reading.split).some() if holds_choices(path, reading=reading) else None
        )

    def from_rows(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> ChoiceSet | None:
        """Questions with choices as records, or rows with the columns or keys of a file."""
        if found := rows_as(ChoiceQuestion, names, rows):
            return ChoiceSet(found, "questions")
        keys = list(map(str, names))
        return choices_of([dict(zip(keys, row, strict=True)) for row in rows], "questions")

    def judge(self, data: ChoiceSet, options: Options) -> ChoiceJudge:
        """Accuracy."""
        return ChoiceJudge(data, sampling=options.sampling)

    def known(self, judge: ChoiceJudge, asked: Iterable[str] = ()) -> Sequence[str]:
        """Baselines, those that look up answers, and those that look for support."""
        named = BaselineNames((*judge.known, *LOOKING_UP, *(f"{SUPPORT}{name}" for name in judge.known)))
        more = (word for word in asked if word not in named and with_number(word)[0] in named)
        return BaselineNames((*named, *more))

    def fitted(self, data: ChoiceSet, judge: ChoiceJudge, options: Options) -> FittedChoices:
        """The questions themselves, or a file of texts or of questions."""
        return FittedChoices.of(data, options)

    def taught(self, judge: ChoiceJudge, named: Sequence[str], options: Options) -> frozenset[str]:
        """``lucene`` with a model's scores; a baseline named as a model is what the question is about."""
        scorers = (options.corpora.question_scorer, options.corpora.answer_scorer)
        modelled = any(one is not None and one not in judge.known for one in scorers)
        votes = {LUCENE, *(word for word in named if with_number(word)[0] == LUCENE)} if modelled else set()
        return frozenset(votes | ({DEFAULT} & set(named)))

    def predicted(self, judge: ChoiceJudge, given: Predictions, options: Options) -> Predicted:
        """Letters, or scores of the choices."""
        return chooser_from(judge.data, given)

    def counted(self, data: ChoiceSet) -> Sequence[tuple[str, str]]:
        """The right choices, where they are known."""
        right = [(one.question, one.choices[one.answer]) for one in data if one.answer is not None]
        return right or data.texts

    def require_decisions(self, judge: ChoiceJudge, systems: Mapping[str, Any], options: Options) -> None:
        """All choosers decide."""

    def decisions(
        self, judge: ChoiceJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """The choice that is taken."""
        decided = np.stack([chosen(judge.scores[name][0]) for name in judge.names])
        given = Decisions(tuple(judge.names), decided, decided == answers_of(judge.data), judge.groups)
        return given, "which choice is taken", ()

    def learnt(self, data: ChoiceSet, task: Task) -> PairSet | CandidateSet:
        """Queries whose candidates are the choices, for rankings; pairs with these for scores and classes."""
        if task == "spans":
            raise self.refusal(data, "questions about passages", param="train")
        candidates = candidates_of(data)
        return candidates if task == "ranking" else pairs_of(candidates)

    def dev(self, data: ChoiceSet, pipeline: TextPipeline) -> Dev:
        """Accuracy."""
        return dev_of_choices(data, pipeline)

    def dev_data(self, data: ChoiceSet, sampling: Sampling) -> DevData:
        """A row a choice."""
        return DevChoices(data, sampling=sampling)


@dataclass(frozen=True, slots=True)
class FittedChoices(Fitted):
    """Questions or texts that baselines of choices are fitted on.

    Attributes:
        texts: from which they take word frequencies.
        words: their sources in words.
        further: baselines that learn from answered questions, that need word vectors, or that look up.
        looked_up: the choosers that search corpora or learn from other questions.
    """

    texts: Sequence[str]
    words: str
    further: tuple[str, ...]
    looked_up: LookedUp

    @classmethod
    def of(cls, own: ChoiceSet, options: Options) -> FittedChoices:
        """The state fitted on the questions themselves, or on a file of texts or questions.

        Raises:
            DataError: the file can't be read.
        """
        fit, learnt, learns, notes = options.fit, unanswered(own), False, list[str]()
        if fit is not None and not is_choices(fit):
            texts = load_texts(fit).data.texts
            words = f"{len(texts):,} texts of {fit.name}"
        else:
            given = own if fit is None else read_choices(fit).data
            texts = tuple(dict.fromkeys(text for pair in given.texts for text in pair))
            source = "the data itself (no answers)" if fit is None else fit.name
            words = f"the {count(len(given), 'question')} of {source} and their choices"
            if fit is not None:
                learnt, notes = _others(given, own)
                learns = given.is_answered and bool(learnt)
        looked_up = LookedUp(
            own, options.corpora, learnt=learnt, vectors=options.vectors, seed=options.sampling.seed
        )
        looked_up.notes.extend(notes)
        further = (
            *((CHOICE_WORDS,) if learns else ()),
            *(("mean-vectors",) if options.vectors else ()),
            *(LOOKING_UP if options.corpora.corpus else ()),
        )
        return cls(texts, words, further, looked_up)

    def open(self, model: AnyModel, *, named: bool = True, given: Mapping[str, Any] = NONE_GIVEN) -> Chooser:
        """A chooser; see :func:`textkin.kinds.systems.chooser_of`."""
        looked_up = self.looked_up.of_model(model)
        return chooser_of(
            model,
            fit_texts=self.texts,
            vectors=looked_up.vectors,
            seed=looked_up.seed,
            others=looked_up,
            given=given,
        )

    def notes(self) -> tuple[str, ...]:
        """Sizes of corpora, and what was left out of them.

        Raises:
            UsageError: no system uses a given corpus.
        """
        self.looked_up.require_used()
        return tuple(self.looked_up.notes)

    def hash_of(self, word: str) -> str | None:
        """The hash of the corpora of ``lucene`` and ``support:MODEL``."""
        return self.looked_up.hash_of(word)


def _others(given: ChoiceSet, own: ChoiceSet) -> tuple[tuple[ChoiceQuestion, ...], list[str]]:
    """The given questions that are none of one's own, and a note on those that are."""
    known = corpus_leaks([one.question for one in own], [one.question for one in given]).texts
    note = (
        f"{len(known):,} of the {len(given):,} questions of {given.name} repeat measured ones, exactly or "
        "nearly: nothing is learnt from them"
    )
    others = tuple(one for place, one in enumerate(given) if place not in known)
    return others, [note] if known else []


def unanswered(data: ChoiceSet) -> tuple[ChoiceQuestion, ...]:
    """The questions without their answers, for systems that must not learn from them."""
    return tuple(replace(one, answer=None) for one in data)


class DevChoices(DevData):
    """Questions with choices."""

    kind = Together.CHOICES

    def __init__(self, data: ChoiceSet, *, sampling: Sampling) -> None:
        self._judge: ChoiceJudge = ChoiceJudge(data, sampling=sampling)
        self._data = data
        self.pairs = data.texts
        self._scores: list[Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Score all choices."""
        if not isinstance(system, Chooser | Scorer):
            raise invalid("members", name, expected="a chooser or a scorer")
        self._scores.append(flat_scores(system, self._data.questions))
        self._judge.take_scores(name, rows_of(self._scores[-1], self._data.questions))

    def votes(self) -> Votes:
        """A row a choice; questions of one wording are one group."""
        questions = numbers_of(self._data.questions)
        starts = np.flatnonzero(np.diff(questions, prepend=-1))
        right = np.zeros(len(questions))
        right[starts + answers_of(self._data)] = 1.0
        return Votes(
            np.stack(self._scores, axis=1),
            right,
            self._judge.groups[questions],
            JudgedBy.CHOSEN,
            questions=questions,
        )

    def take(self, combined: Floats) -> None:
        """Measure the combination by accuracy."""
        self._judge.take_scores(THEM, rows_of(combined, self._data.questions))
