"""Answers to questions with choices, and their accuracy where the right ones are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textkin.base.counts import count
from textkin.base.errors import DataError, UsageError, inapplicable, required
from textkin.base.files import refuse_overwriting
from textkin.base.frames import Records, column_names
from textkin.base.paths import shown_output
from textkin.base.python_inputs import path_of, several
from textkin.base.results import Result, ResultRow
from textkin.base.table_writer import check_name
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet, letter_of
from textkin.data.choice_scores import Scores, chosen, scores_by, undecided
from textkin.data.protocols import Chooser
from textkin.data.readers.choice_predictions import write_choices, write_letters
from textkin.data.readers.choices import read_choices
from textkin.data.readers.from_python import as_loaded
from textkin.data.readers.read_report import Loaded, ReadReport, note_read
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.kinds.choices import ChoiceKind, FittedChoices
from textkin.kinds.data_coverage import DataCoverage, accounts_on
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.kinds.prepared_systems import at_hand
from textkin.kinds.registry import records_of
from textkin.kinds.systems import AnyModel
from textkin.models.choosers.evidence import Explanation
from textkin.text.baselines import read_by
from textkin.vectors.unknown_token_report import note_accounts
from textkin.verbs.evaluate.comparison import judged


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice made for a question.

    Attributes:
        question_id: the question's id.
        question: its text.
        letter: letter of the choice, from A.
        choice: its text.
        right: the letter of the right choice; "" where it is not known.
        scores: scores of all choices in their order; higher is better.
    """

    question_id: str
    question: str
    letter: str
    choice: str
    right: str
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Chosen(Result):
    """The answers to questions with choices.

    Attributes:
        model: the model's name in tables.
        choices: one a question, in their order.
        undecided: number of questions whose choices all score the same, so that the first is chosen.
        read: the report of the reader.
        accounts: numbers of truncated texts and unknown tokens.
        measured: the table of accuracy beside baselines; None unless all answers are known.
        explanations: the explanation of each choice, where requested.
        notes: the corpora searched, and their removed entries.
        out: the file of the answers, if one was written.

    Example:
        >>> import textkin as tk
        >>> asked = tk.ChoiceQuestion("1", "Which animal barks?", ("a barking dog", "a cat"))
        >>> tk.answer([asked], model="tfidf").choices[0].letter
        'A'
    """

    model: str
    choices: tuple[Choice, ...]
    undecided: int
    read: ReadReport
    accounts: DataCoverage
    measured: Measured | None = None
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()
    out: Path | None = None

    def text(self) -> str:
        """The explanations, then the table or the choices, and the file's name."""
        lines = [line for one in self.explanations for line in _explained(one)]
        if self.measured is not None:
            lines.append(self.measured.text())
        else:
            if self.out is None:
                lines += [f"{one.question_id}\t{one.letter}\t{one.choice}" for one in self.choices]
            lines += [*self.notes, *self._said()]
        if self.out is not None:
            lines.append(f"\n{count(len(self.choices), 'answer')}: {shown_output(self.out)}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """All fields but the file."""
        return self._values(but="out")

    def _summary(self) -> str:
        return f"{count(len(self.choices), 'question')}, {self.model}"

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.choices:
            yield {
                "id": one.question_id,
                "question": one.question,
                "letter": one.letter,
                "choice": one.choice,
                "right": one.right,
                "score": max(one.scores),
            }

    def _said(self) -> tuple[str, ...]:
        if not self.undecided:
            return ()
        return (
            f"{self.undecided:,} of {len(self.choices):,} questions have choices with equal scores: the "
            "first is chosen",
        )


def loaded_exam(data: Any, split: str | None) -> Loaded[ChoiceSet]:
    """The questions of a file, a frame or records.

    Raises:
        UsageError: they are none of these, or ``split`` is given for records.
        DataError: the questions can't be read; the error names the line.
    """
    if isinstance(data, str) and path_of(data, or_text=True) is None:
        raise required(
            "passages", by="a question", fix="give a file or folder of texts, or a file of an exam"
        )
    if (path := path_of(data)) is not None:
        loaded = read_choices(path, split=split)
        note_read(loaded.report)
        return loaded
    if split is not None:
        raise inapplicable("split", to="records: it names a part of a folder")
    data = Records([dict(data)]) if isinstance(data, Mapping) else data
    if (columns := column_names(data)) is None:
        return as_loaded(data if isinstance(data, ChoiceSet) else ChoiceSet(several(data, "question")))
    found = records_of(data, {name: name for name in columns})
    if not isinstance(found, ChoiceSet):
        fix = "name the columns, such as id, question, correctAnswer, answerA, answerB, ..."
        raise DataError("holds no questions with choices", path="question", fix=fix)
    return as_loaded(replace(found, name="question"))


def choose(
    loaded: Loaded[ChoiceSet],
    model: AnyModel,
    *,
    out: Path | None = None,
    kaggle: bool = False,
    show_hits: int | None = None,
    options: Options | None = None,
) -> Chosen:
    """Choose answers, beside baselines where all right choices are known.

    Args:
        loaded: the questions.
        model: a folder, a cached model's name, one of ``text.baselines.choosers.CHOICE_BASELINES``, or an
            object.
        out: a file for ``id,letter,score,...``.
        kaggle: write ``id,correctAnswer`` instead, with a header, as the challenge wants it.
        show_hits: number of hits to show for each choice, those that counted most.
        options: options of measuring; ``fit`` is a file of questions or texts that baselines learn from.

    Raises:
        UsageError: the model can't choose, or not say why if that is asked for; or an option doesn't go
            with questions with choices.
        DataError: a baseline has nothing to learn from.
        LeakError: the model was trained on these questions.
        ModelError: a model can't be read.
        OutputError: the file can't be written.
    """
    options = options or Options()
    if out is not None:
        check_name(out)
        read = (Path(loaded.report.path), options.fit, *options.corpora.corpus, *options.corpora.support)
        refuse_overwriting((out,), read)
    elif kaggle:
        raise required("out", by="`kaggle`")
    named = at_hand([model], options)
    (name, seeds), *_ = named.items()
    if len(seeds) != 1:
        raise UsageError(
            f"{name} is {len(seeds)} models, expected one",
            fix="give one model, or an ensemble",
            params=("model",),
        )
    questions = loaded.data.questions
    fitted = FittedChoices.of(loaded.data, options)
    word = read_by(seeds[0], options.analyser)
    explained: tuple[Explanation, ...] = ()
    if show_hits is not None:
        explained = tuple(_explaining(fitted.open(word)).explain(questions, most=show_hits))
    if loaded.data.is_answered:
        judge, measured = judged(ChoiceKind(), loaded, named, options, fitted=fitted)
        assert isinstance(judge, ChoiceJudge)  # noqa: S101 - it is the kind's
        measured = replace(measured, suggestion="")  # answer has no option for another reference
        (scores,) = judge.scores[read_by(name, options.analyser)]
        accounts = DataCoverage(measured.truncations, measured.coverages)
    else:
        measured, chooser = None, fitted.open(word)
        scores = scores_by(chooser, questions)
        accounts = accounts_on(loaded.data, {name: [chooser]})
        note_accounts(accounts.truncations, accounts.coverages)
    if out is not None:
        (write_letters if kaggle else write_choices)(out, questions, scores)
    return Chosen(
        model=name,
        choices=tuple(_choices(questions, scores)),
        undecided=int(undecided(scores).sum()),
        read=loaded.report,
        accounts=accounts,
        measured=measured,
        explanations=explained,
        notes=(*fitted.notes(), *_unknown(questions)),
        out=out,
    )


@runtime_checkable
class Explains(Protocol):
    """A chooser that can explain its choices."""

    def explain(self, questions: Sequence[ChoiceQuestion], *, most: int) -> Iterator[Explanation]:
        """For each choice of each question the ``most`` hits that count most."""


def _explaining(chooser: Chooser) -> Explains:
    if isinstance(chooser, Explains):
        return chooser
    raise inapplicable(
        "show_hits",
        to=f"{chooser.name}, which retrieves nothing",
        fix="leave it out, or choose by lucene or support:MODEL",
    )


def _explained(found: Explanation) -> Iterator[str]:
    """Yield lines that explain the choice for a question."""
    yield f"{found.question_id}  {found.question}"
    for place, choice in enumerate(found.choices):
        mark = ">" if place == found.chosen else " "
        yield f"{mark} {letter_of(place)}  {choice.score:.4f}  {choice.choice}"
        for vote in choice.votes:
            answer = f" -> {vote.answer} ({vote.answer_score:.4f})" if vote.answer else ""
            yield f"      {vote.source}: {vote.text} ({vote.question_score:.4f}){answer}"
        if choice.more:
            yield f"      and {choice.more:,} others"
    yield ""


def _unknown(questions: Sequence[ChoiceQuestion]) -> Iterator[str]:
    """Explain why there is no accuracy although some right choices are known."""
    known = sum(one.answer is not None for one in questions)
    if 0 < known < len(questions):
        yield f"{known:,} of {len(questions):,} right choices are known, so the accuracy is not"


def _choices(questions: tuple[ChoiceQuestion, ...], scores: Scores) -> Iterator[Choice]:
    for one, row, place in zip(questions, scores.tolist(), chosen(scores).tolist(), strict=True):
        scored = tuple(row[: len(one.choices)])
        letter, choice = letter_of(place), one.choices[place]
        yield Choice(one.question_id, one.question, letter, choice, one.letter, scored)
