"""Answers of other programs to multiple-choice questions, as a system."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError
from textkin.base.frames import column_names
from textkin.base.python_inputs import listed
from textkin.base.python_values import ids_of
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet, letter_of
from textkin.data.choice_scores import Scores, rows_of
from textkin.data.readers.choice_predictions import ID_COLUMNS, ChoicePrediction, read_choice_predictions
from textkin.kinds.systems.predictions import KnownByPredictions, Predicted, Predictions, in_order

_FIX = "give a table with the columns id and letter, and perhaps a score for each choice"


class PredictedChooser(KnownByPredictions):
    """The scores of another system.

    Args:
        name: its name in tables.
        rows: the scores of each question's choices, by its id.
    """

    def __init__(self, name: str, rows: Mapping[str, Floats32]) -> None:
        self.name, self._rows = name, rows

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The score of each choice; see :class:`textkin.data.protocols.Chooser`.

        Raises:
            DataError: a question is not among those predicted.
        """
        for one in questions:
            if one.question_id not in self._rows:
                raise DataError(f"{self.name} has no prediction for question {one.question_id!r}", fix=_FIX)
        rows = [self._rows[one.question_id] for one in questions]
        return rows_of(np.concatenate([np.empty(0, dtype=np.float32), *rows]), questions)


def chooser_from(data: ChoiceSet, given: Predictions) -> Predicted:
    """The system that gave these answers.

    Raises:
        DataError: a question has no answer, an answer is not a choice, or a score is not a number.
    """
    ids = [one.question_id for one in data]
    found = read_choice_predictions(given.path) if given.path is not None else _in_memory(ids, given)
    answers, notes = in_order(ids, found, given, what="question")
    rows = {one.question_id: _row(one, row, given) for one, row in zip(data, answers, strict=True)}
    return Predicted(PredictedChooser(given.name, rows), notes)


def _row(question: ChoiceQuestion, found: ChoicePrediction, given: Predictions) -> Floats32:
    """The scores of a question's choices, of which the answer has the highest; 1 if only that is known."""
    count, answer = len(question.choices), letter_of(found.place)
    if found.scores and len(found.scores) != count:
        message = f"question {question.question_id!r} has {len(found.scores)} scores for {count} choices"
        raise given.wrong(message, line=found.line, fix=_FIX)
    if found.place >= count:
        message = f"question {question.question_id!r} has no choice {answer}"
        raise given.wrong(message, line=found.line, fix=_FIX)
    if not found.scores:
        return np.asarray(np.arange(count) == found.place, dtype=np.float32)
    if found.scores[found.place] < max(found.scores):
        message = f"question {question.question_id!r} has the answer {answer}, whose score isn't the highest"
        fix = "give scores that rise with belief, or the letter alone"
        raise given.wrong(message, line=found.line, fix=fix)
    scores = np.array(found.scores, dtype=np.float32)
    if scores.argmax() != found.place:  # another choice is equal in single precision
        scores[found.place] = np.nextafter(scores.max(), np.float32(np.inf))
    return scores


def _in_memory(ids: Sequence[str], given: Predictions) -> dict[str, ChoicePrediction]:
    """Predictions from a mapping by id, from a frame, or from an array in the order of the questions."""
    values: Any = given.given
    if (names := column_names(values)) is not None:
        id_column = next((one for one in ID_COLUMNS if one in names), names[0])
        answers = next(one for one in names if one != id_column)
        keys = ids_of(listed(values[id_column], "id"), str(id_column))
        values = dict(zip(keys, listed(values[answers], "answers"), strict=True))
    if not isinstance(values, Mapping):
        values = list(values)
        if len(values) != len(ids):
            raise given.wrong(f"{len(values):,} answers, expected {len(ids):,}, one a question", fix=_FIX)
        values = dict(zip(ids, values, strict=True))
    keys = ids_of(values, "question id")
    return {
        key: ChoicePrediction.of(value, given.name) for key, value in zip(keys, values.values(), strict=True)
    }
