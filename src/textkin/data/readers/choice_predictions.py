"""Predictions for multiple choice: a table of scores, or the Allen AI challenge's letters."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Self

import numpy as np

from textkin.base.csv_formulas import as_text, from_text
from textkin.base.errors import DataError
from textkin.base.files import atomic_text
from textkin.base.paths import is_file
from textkin.base.python_values import plain
from textkin.data.choice_records import MOST, ChoiceQuestion, letter_of
from textkin.data.choice_scores import Scores, chosen

ID_COLUMNS = ("id", "question_id", "questionID", "qid")

_AGAIN = "choose again"
_FIX = "write id,letter, and perhaps a score for each choice"
_LETTERS = {letter_of(place): place for place in range(MOST)}


@dataclass(frozen=True, slots=True)
class ChoicePrediction:
    """The answer to a question.

    Attributes:
        place: the number of the choice, from 0.
        scores: the score of each choice; empty if only the answer is known.
        line: its line in a file.
    """

    place: int
    scores: tuple[float, ...] = ()
    line: int | None = None

    @classmethod
    def of(cls, value: Any, name: str) -> Self:
        """The prediction that a letter, a number from 0, or a row of scores is.

        Raises:
            DataError: it is none of these.
        """
        value = plain(value)
        if isinstance(value, str) and value.strip().upper() in _LETTERS:
            return cls(_LETTERS[value.strip().upper()])
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return cls(value)
        try:
            scores = tuple(map(float, value))
        except (TypeError, ValueError):
            scores = ()
        if not scores or not all(map(isfinite, scores)):
            raise DataError(
                f"{name} has the answer {str(value)[:40]!r}", fix="give a letter, a number from 0, or scores"
            )
        return cls(scores.index(max(scores)), scores)


def write_choices(path: Path, questions: Sequence[ChoiceQuestion], scores: Scores) -> None:
    """Write ``id,letter,score,score,...`` without a header; cells after the last choice are empty.

    Scores are written with enough digits to be restored exactly.

    Args:
        path: the file.
        questions: the scored questions.
        scores: shape [questions, choices].

    Raises:
        OutputError: the file can't be written.
    """
    with atomic_text(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        for one, row, place in zip(questions, scores.tolist(), chosen(scores).tolist(), strict=True):
            cells = [repr(value) if isfinite(value) else "" for value in row]
            writer.writerow([as_text(one.question_id), letter_of(place), *cells])


def write_letters(path: Path, questions: Sequence[ChoiceQuestion], scores: Scores) -> None:
    """Write ``id,correctAnswer`` with a header, in the Allen AI Science Challenge's format.

    Raises:
        OutputError: the file can't be written.
    """
    with atomic_text(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["id", "correctAnswer"])
        for one, place in zip(questions, chosen(scores).tolist(), strict=True):
            writer.writerow([as_text(one.question_id), letter_of(place)])


def read_choice_predictions(path: Path) -> dict[str, ChoicePrediction]:
    """Read the file of :func:`write_choices` or of :func:`write_letters`, or another table like these.

    Its columns are id, letter, and perhaps a score for each choice, with or without a header.

    Raises:
        DataError: the file has another format, or an id is repeated; names the line.
    """
    if not is_file(path):
        raise DataError("there are no predictions", path=path, fix=_AGAIN)
    found: dict[str, ChoicePrediction] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            delimiter = "\t" if "\t" in stream.readline() else ","
            stream.seek(0)
            for line, row in enumerate(csv.reader(stream, delimiter=delimiter), 1):
                letter = row[1].strip().upper() if len(row) > 1 else ""
                if line == 1 and letter not in _LETTERS:
                    continue  # a header
                if row and letter not in _LETTERS:
                    said = f"{','.join(row)[:60]!r} is not a prediction"
                    raise DataError(said, path=path, line=line, fix=_FIX)
                if row and from_text(row[0]) in found:
                    said = f"id {row[0][:40]!r} comes twice"
                    raise DataError(said, path=path, line=line, fix="give one prediction per question")
                if row:
                    found[from_text(row[0])] = ChoicePrediction(
                        _LETTERS[letter], _scores(path, line, row), line
                    )
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"is not a table of predictions: {error}", path=path, fix=_FIX) from error
    if not found:
        raise DataError("holds no predictions", path=path, fix=_FIX)
    return found


def _scores(path: Path, line: int, row: Sequence[str]) -> tuple[float, ...]:
    """The scores in a row; the cells after the last choice are empty.

    Raises:
        DataError: one is not a finite number.
    """
    try:
        scores = tuple(float(cell) for cell in row[2:] if cell)
    except ValueError:
        scores = (float("nan"),)
    if not all(map(isfinite, scores)):
        raise DataError(f"{','.join(row[2:])[:60]!r} are no scores", path=path, line=line, fix=_FIX)
    return scores


def read_choice_scores(path: Path, questions: Sequence[ChoiceQuestion]) -> Scores:
    """Read the file of :func:`write_choices` for these questions, in any order.

    Shape [questions, choices].

    Raises:
        DataError: the file has another format, or lacks a question.
    """
    found = read_choice_predictions(path)
    scores = np.full((len(questions), max((len(one.choices) for one in questions), default=0)), np.nan)
    for place, one in enumerate(questions):
        given = found[one.question_id].scores if one.question_id in found else ()
        if len(given) != len(one.choices):
            raise DataError(f"lacks question {one.question_id[:40]!r}", path=path, fix=_AGAIN)
        scores[place, : len(given)] = given
    return scores.astype(np.float32)
