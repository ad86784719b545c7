"""Validated scores of choices, one row per question, and the decisions they give."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.base.import_path import called_method
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.protocols import Chooser

Scores = NDArray[np.float32]
"""One row per question, one column per choice, NaN after the last choice: shape [questions, choices]."""


def scores_by(chooser: Chooser, questions: Sequence[ChoiceQuestion]) -> Scores:
    """The scores of a chooser, possibly a user's object.

    Raises:
        UsageError: the result is not one row of numbers per question, with one number per choice.
    """
    given: Any = called_method(chooser, "choose", questions)
    try:
        found = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, dtype=np.float32)
    widest = max((len(one.choices) for one in questions), default=0)
    if found.ndim != 2 or found.shape[0] != len(questions) or found.shape[1] < widest:
        raise UsageError(
            f"{chooser.name} gave scores of the shape {np.shape(found)} to {len(questions):,} questions",
            fix=f"give [{len(questions)}, {widest}], NaN where a question has fewer choices",
            params=(chooser.name,),
            value=np.shape(found),
        )
    for one, row in zip(questions, found, strict=True):
        count = len(one.choices)
        if not np.isfinite(row[:count]).all() or not np.isnan(row[count:]).all():
            raise UsageError(
                f"{chooser.name} gave question {one.question_id!r} the scores {row.tolist()}",
                fix=f"give {count} numbers, and NaN where there is no choice",
                params=(chooser.name,),
                value=one.question_id,
            )
    return found[:, :widest]


def rows_of(scores: NDArray[Any], questions: Sequence[ChoiceQuestion]) -> Scores:
    """Arrange scores of all choices, question by question, in rows. Shape [questions, choices]."""
    counts = np.array([len(one.choices) for one in questions], dtype=np.int64)
    widest = int(counts.max(initial=0))
    found = np.full((len(questions), widest), np.nan, dtype=np.float32)
    found[np.arange(widest) < counts[:, None]] = scores
    return found


def chosen(scores: Scores) -> NDArray[np.int64]:
    """The index of the best choice of each question; ties by position. Shape [questions]."""
    return np.asarray(np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1), dtype=np.int64)


def undecided(scores: Scores) -> NDArray[np.bool_]:
    """True for questions whose choices all have the same score. Shape [questions]."""
    return np.asarray(np.nanmax(scores, axis=1) == np.nanmin(scores, axis=1))


def answers_of(questions: Iterable[ChoiceQuestion]) -> NDArray[np.int64]:
    """The index of the correct choice of each question, -1 if unknown. Shape [questions]."""
    return np.array([-1 if one.answer is None else one.answer for one in questions], dtype=np.int64)
