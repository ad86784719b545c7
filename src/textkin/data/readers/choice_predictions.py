"""Predictions for multiple choice: a table of scores, or the Allen AI challenge's letters."""

import csv
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from textkin.base.csv_formulas import as_text, from_text
from textkin.base.errors import DataError
from textkin.base.files import atomic_text
from textkin.base.paths import is_file
from textkin.data.choice_records import ChoiceQuestion, letter_of
from textkin.data.choice_scores import Scores, chosen

_AGAIN = "choose again"


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


def read_choice_scores(path: Path, questions: Sequence[ChoiceQuestion]) -> Scores:
    """Read the file of :func:`write_choices` for these questions, in any order.

    Shape [questions, choices].

    Raises:
        DataError: the file has another format, or lacks a question.
    """
    if not is_file(path):
        raise DataError("there are no predictions", path=path, fix=_AGAIN)
    rows: dict[str, list[float]] = {}
    with path.open(encoding="utf-8-sig", newline="") as stream:
        try:
            for line, row in enumerate(csv.reader(stream), 1):
                try:
                    rows[from_text(row[0])] = [float(cell) for cell in row[2:] if cell]
                except (IndexError, ValueError):
                    raise DataError("is no prediction", path=path, line=line, fix=_AGAIN) from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"is no table of predictions: {error}", path=path, fix=_AGAIN) from error
    widest = max((len(one.choices) for one in questions), default=0)
    found = np.full((len(questions), widest), np.nan, dtype=np.float32)
    for place, one in enumerate(questions):
        given = rows.get(one.question_id, [])
        if len(given) != len(one.choices) or not all(map(isfinite, given)):
            raise DataError(f"lacks question {one.question_id[:40]!r}", path=path, fix=_AGAIN)
        found[place, : len(given)] = given
    return found
