"""Ensembles of choosers, and scorers as choosers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of, scores_by
from textkin.data.protocols import Chooser, Scorer
from textkin.models.ensembles.ensemble import Ensemble
from textkin.models.ensembles.scorer import score_by

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


@final
class EnsembleChooser(Ensemble[Chooser | Scorer]):
    """An ensemble of choosers; ranks and probabilities are within a question's choices.

    Args:
        members: choosers, or scorers, which score each question with each of its choices.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The combined score of each choice, NaN without one. Shape [questions, choices].

        Raises:
            UsageError: a chooser doesn't return a row of numbers for each question.
            DataError: a scorer returns a number that isn't finite.
        """
        if not len(questions):
            return np.empty((0, 0), dtype=np.float32)
        values = np.stack([flat_scores(one, questions) for one in self.members], axis=1)
        return rows_of(self.combination.combine(values, numbers_of(questions)), questions)


def flat_scores(member: Chooser | Scorer, questions: Sequence[ChoiceQuestion]) -> _Floats:
    """The score of each choice, question by question. Shape [choices of all].

    Raises:
        UsageError: a chooser doesn't return a row of numbers for each question.
        DataError: a scorer returns a number that isn't finite.
    """
    if isinstance(member, Chooser):
        found = scores_by(member, questions).astype(np.float64)
        return np.asarray(found[~np.isnan(found)])
    return score_by(member, [(one.question, choice) for one in questions for choice in one.choices])


def numbers_of(questions: Sequence[ChoiceQuestion]) -> _Ints:
    """The number of each choice's question. Shape [choices of all]."""
    return np.repeat(np.arange(len(questions)), [len(one.choices) for one in questions])
