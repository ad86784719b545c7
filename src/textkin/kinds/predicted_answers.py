"""Answers of systems to questions about passages, and other programs' answers as a system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.frames import column_names
from textkin.base.python_inputs import listed, path_of
from textkin.base.python_values import ids_of, plain
from textkin.data.readers.span_predictions import read_predictions
from textkin.data.span_records import SpanAnswer, SpanSet
from textkin.kinds.systems.predictions import KnownByPredictions, Predicted, Predictions, in_order

_IDS = "id", "question_id", "qid"
ANSWERS = "prediction_text", "prediction", "answer"
"""Names of a column of answers: the first is that of the metrics of Hugging Face."""
NO_ANSWER = ("no_answer_probability",)
"""The name of their column of probabilities of no answer."""


@dataclass(frozen=True, slots=True)
class SystemAnswers:
    """A system's answers for one seed.

    Attributes:
        answers: question id to the chosen answer, "" for none.
        no_answer: question id to the probability of no answer; 0 if the system has none.
        best: question id to the best nonempty answer; None if only decisions are known.
    """

    answers: Mapping[str, str]
    no_answer: Mapping[str, float]
    best: Mapping[str, str] | None = None


class PredictedReader(KnownByPredictions):
    """The answers of another system.

    Attributes:
        name: its name in tables.
        answers: its answers by question id.
    """

    def __init__(self, name: str, answers: SystemAnswers, data: SpanSet) -> None:
        self.name, self.answers = name, answers
        ids = [one.question_id for one in data]
        self._given = {pair: answers.answers[one] for pair, one in zip(data.texts, ids, strict=True)}

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """The one answer to each question; see :class:`textkin.data.protocols.SpanReader`.

        Raises:
            DataError: a question is not among those answered, or its answer is not in the passage.
        """
        return [[self._found(*pair)] for pair in zip(questions, passages, strict=True)]

    def _found(self, question: str, passage: str) -> SpanAnswer:
        if (question, passage) not in self._given:
            said = f"{self.name} has answers to the measured questions alone, not to {question[:60]!r}"
            raise DataError(said, fix="leave it out here")
        text = self._given[question, passage]
        if (start := passage.find(text)) < 0:
            said = f"{self.name} answers {question[:60]!r} with {text[:40]!r}, which is not in the passage"
            raise DataError(said, fix="combine only systems whose answers are words of the passage")
        return SpanAnswer(start, start + len(text), text, 1.0, 1.0)


def by_question(
    given: Any, columns: Sequence[str], read: Callable[[Path], Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Values by question id, from a mapping, a file, or rows with the id and one of these columns; else None.

    Args:
        given: what a user gave.
        columns: known names of the values' column.
        read: the reader of a file.
    """
    if (path := path_of(given)) is not None:
        return read(path)
    if isinstance(given, Mapping):
        return dict(zip(ids_of(given, "question id"), given.values(), strict=True))
    there = column_names(given) or ()
    name, value = (next((one for one in known if one in there), None) for known in (_IDS, columns))
    if name is None or value is None:
        return None
    ids, values = (listed(given[one], str(one)) for one in (name, value))
    return dict(zip(ids_of(ids, str(name)), map(plain, values), strict=True))


def reader_from(data: SpanSet, given: Predictions) -> Predicted:
    """The system that gave these answers.

    Raises:
        DataError: a question has no answer.
    """
    if (found := by_question(given.given, ANSWERS, read_predictions)) is None:
        raise given.wrong("is not a mapping from question ids to answers", fix="write {id: answer}")
    if (odd := next((key for key, value in found.items() if not isinstance(value, str)), None)) is not None:
        raise given.wrong(f"the answer to {odd!r} is not a text", fix='write "" for no answer')
    ids = [one.question_id for one in data]
    texts, notes = in_order(ids, found, given, what="question")
    answers = dict(zip(ids, texts, strict=True))
    told = SystemAnswers(answers, {key: float(not text) for key, text in answers.items()})
    return Predicted(PredictedReader(given.name, told, data), notes)
