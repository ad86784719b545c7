"""Choosers that combine others, and scorers as choosers."""

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
    """Several choosers as one; what ranks or shares probabilities does so among a question's choices.

    Args:
        members: choosers, or scorers, which score each question with each of its choices.
        combination: fitted, see ``measures.decisions.combination_fit``.
        name: how tables call it.
        model: what is saved of it, where it comes from a directory.
    """

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The combined score of each choice, NaN where there is none. Shape [questions, choices].

        Raises:
            UsageError: a chooser gives no row of numbers for each question.
            DataError: a scorer gives what is no finite number.
        """
        if not len(questions):
            return np.empty((0, 0), dtype=np.float32)
        values = np.stack([flat_scores(one, questions) for one in self.members], axis=1)
        return rows_of(self.combination.combine(values, numbers_of(questions)), questions)


def flat_scores(member: Chooser | Scorer, questions: Sequence[ChoiceQuestion]) -> _Floats:
    """The score of each choice, question after question. Shape [choices of all].

    Raises:
        UsageError: a chooser gives no row of numbers for each question.
        DataError: a scorer gives what is no finite number.
    """
    if isinstance(member, Chooser):
        found = scores_by(member, questions).astype(np.float64)
        return np.asarray(found[~np.isnan(found)])
    return score_by(member, [(one.question, choice) for one in questions for choice in one.choices])


def numbers_of(questions: Sequence[ChoiceQuestion]) -> _Ints:
    """The number of each choice's question. Shape [choices of all]."""
    return np.repeat(np.arange(len(questions)), [len(one.choices) for one in questions])
