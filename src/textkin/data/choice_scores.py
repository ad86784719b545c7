"""Scores of choices: one row a question, checked, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.protocols import Chooser

Scores = NDArray[np.float32]
"""A row a question, a column a choice, NaN where a question has fewer: shape [questions, choices]."""


def scores_by(chooser: Chooser, questions: Sequence[ChoiceQuestion]) -> Scores:
    """How a chooser scores the choices; it may be an object of the user's.

    Raises:
        UsageError: it gives no row of numbers for each question, as many as this has choices.
    """
    given: Any = chooser.choose(questions)
    try:
        found = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        found = np.empty(0, dtype=np.float32)
    widest = max((len(one.choices) for one in questions), default=0)
    if found.ndim != 2 or found.shape[0] != len(questions) or found.shape[1] < widest:
        raise UsageError(
            f"{chooser.name} gave scores of the shape {np.shape(found)} to {len(questions):,} questions",
            fix=f"give [{len(questions)}, {widest}], NaN where a question has fewer choices",
        )
    for one, row in zip(questions, found, strict=True):
        count = len(one.choices)
        if not np.isfinite(row[:count]).all() or not np.isnan(row[count:]).all():
            raise UsageError(
                f"{chooser.name} gave question {one.question_id!r} the scores {row.tolist()}",
                fix=f"give {count} numbers, and NaN where there is no choice",
            )
    return found[:, :widest]


def rows_of(scores: NDArray[Any], questions: Sequence[ChoiceQuestion]) -> Scores:
    """One score a choice, question after question, as a row a question. Shape [questions, choices]."""
    counts = np.array([len(one.choices) for one in questions], dtype=np.int64)
    widest = int(counts.max(initial=0))
    found = np.full((len(questions), widest), np.nan, dtype=np.float32)
    found[np.arange(widest) < counts[:, None]] = scores
    return found


def chosen(scores: Scores) -> NDArray[np.int64]:
    """The place of the best choice of each question, the first of equals. Shape [questions]."""
    return np.asarray(np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1), dtype=np.int64)


def undecided(scores: Scores) -> NDArray[np.bool_]:
    """Of which questions all choices have one score, so that the first is chosen. Shape [questions]."""
    return np.asarray(np.nanmax(scores, axis=1) == np.nanmin(scores, axis=1))


def answers_of(questions: Iterable[ChoiceQuestion]) -> NDArray[np.int64]:
    """The place of the right choice of each question, -1 where it is not known. Shape [questions]."""
    return np.array([-1 if one.answer is None else one.answer for one in questions], dtype=np.int64)
