"""What several systems say of the same rows, and what of it is right: the ground of every ensemble.

A row is what gets one number: a pair, a question's candidate, a pair's class, an answer, a choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.measures.metrics.binary_pairs import average_precision
from textkin.measures.metrics.correlation import spearman

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class JudgedBy(StrEnum):
    """How combined numbers are judged."""

    PAIRS = "pairs"  # worth is 1 for pairs that are the same, else 0: average precision
    GRADED = "graded"  # worth is a similarity: Spearman's correlation
    RANKED = "ranked"  # worth above 0 is relevant: the mean over questions of average precision
    CHOSEN = "chosen"  # the mean over questions of what the best row is worth


@final
@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """The numbers that members give to rows whose worth is known.

    Attributes:
        values: higher is better. Shape [rows, members].
        worth: see :class:`JudgedBy`. Shape [rows].
        groups: rows of one group hang together: a component's pairs, a question's candidates. Shape [rows].
        judged: how combined numbers are judged.
        questions: the question of each row; None where rows stand alone, as pairs do. Shape [rows].
        ties: of a question's rows with equal numbers, the one with the highest of these comes first, then the
            first one; None where that is all. Shape [rows].
        are_probabilities: whether the values are, as those of classes and answers.
        partial: whether a value may be NaN, which a member gives to what it did not find.

    Raises:
        DataError: shapes differ, there are no rows, or a number is not finite.
    """

    values: _Floats
    worth: _Floats
    groups: _Ints
    judged: JudgedBy
    questions: _Ints | None = None
    ties: _Ints | None = None
    are_probabilities: bool = False
    partial: bool = False

    def __post_init__(self) -> None:
        rows = self.values.shape[:1]
        columns = [one for one in (self.worth, self.groups, self.questions, self.ties) if one is not None]
        if self.values.ndim != 2 or not rows[0] or any(one.shape != rows for one in columns):
            shapes = ", ".join(str(one.shape) for one in columns)
            raise DataError(f"votes of shape {self.values.shape} beside columns of the shapes {shapes}")
        unknown = np.isinf(self.values) if self.partial else ~np.isfinite(self.values)
        if unknown.any() or not np.isfinite(self.worth).all():
            raise DataError("a member gives scores that are no finite numbers", fix="leave it out")

    @property
    def members(self) -> int:
        """How many there are."""
        return int(self.values.shape[1])

    def select(self, rows: NDArray[np.bool_]) -> Votes:
        """Those of some rows, shape [rows]."""
        return replace(
            self,
            values=self.values[rows],
            worth=self.worth[rows],
            groups=self.groups[rows],
            questions=None if self.questions is None else self.questions[rows],
            ties=None if self.ties is None else self.ties[rows],
        )

    def figure(self, combined: _Floats) -> float:
        """How good one number a row is, shape [rows]; NaN where that is undefined.

        Numbers are compared as float32, in which scorers give them.
        """
        single = combined.astype(np.float32).astype(np.float64)
        if self.judged is JudgedBy.PAIRS:
            return average_precision(self.worth, single)
        if self.judged is JudgedBy.GRADED:
            return spearman(self.worth, single)
        order, first = self._ranked(single)
        if self.judged is JudgedBy.CHOSEN:
            return float(self.worth[order[first]].mean())
        return _mean_average_precision(self.worth[order] > 0, first)

    def _ranked(self, numbers: _Floats) -> tuple[_Ints, _Ints]:
        """The rows question by question, best first, and where in that each question begins."""
        numbered = np.zeros(len(numbers), dtype=np.int64) if self.questions is None else self.questions
        ties = np.zeros(len(numbers), dtype=np.int64) if self.ties is None else self.ties
        order = np.lexsort((-ties, -numbers, numbered))
        begins = np.flatnonzero(np.diff(numbered[order], prepend=numbered.min() - 1))
        return order, begins


def _mean_average_precision(relevant: NDArray[np.bool_], first: _Ints) -> float:
    """Of questions one after another; those without relevant rows are left out.

    Args:
        relevant: best rows first, shape [rows].
        first: the row where each question begins, shape [questions].
    """
    sizes = np.diff(np.append(first, len(relevant)))
    place = np.arange(len(relevant)) - np.repeat(first, sizes)
    found = np.cumsum(relevant)
    before: _Ints = np.repeat(found[first] - relevant[first], sizes)
    earned = np.where(relevant, (found - before) / (place + 1), 0.0)
    counts = np.add.reduceat(relevant.astype(np.float64), first)
    sums = np.add.reduceat(earned, first)
    known = counts > 0
    return float(np.mean(sums[known] / counts[known])) if known.any() else float("nan")
