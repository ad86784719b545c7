"""Scores of several systems for the same rows, with the labels: the input of every ensemble.

A row is a unit that gets one score: a pair, a question's candidate, a pair's class, an answer, a choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError, not_finite
from textkin.measures.metrics.binary_pairs import average_precision
from textkin.measures.metrics.correlation import spearman


class JudgedBy(StrEnum):
    """Metric for combined scores."""

    PAIRS = "pairs"  # labels 1 (positive) and 0: average precision
    GRADED = "graded"  # labels are similarities: Spearman's correlation
    RANKED = "ranked"  # labels above 0 are relevant: mean average precision over questions
    CHOSEN = "chosen"  # the mean over questions of the label of the best row


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Scores of the members for labelled rows.

    Attributes:
        values: higher is better. Shape [rows, members].
        worth: the label of each row, see :class:`JudgedBy`. Shape [rows].
        groups: the group of each row, for dependent rows: a component's pairs, a question's candidates. Shape
            [rows].
        judged: the metric for combined scores.
        questions: the question of each row; None if rows are independent, as pairs are. Shape [rows].
        ties: tie-breaking keys within a question, highest first, then the first row; None to take the first
            row. Shape [rows].
        are_probabilities: True if the values are probabilities, as those of classes and answers.
        partial: True if a member may give NaN to a row that it didn't retrieve.

    Raises:
        DataError: shapes differ, there are no rows, or a number is not finite.
    """

    values: Floats
    worth: Floats
    groups: Ints
    judged: JudgedBy
    questions: Ints | None = None
    ties: Ints | None = None
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
            raise not_finite("a member")

    @property
    def members(self) -> int:
        """The number of members."""
        return int(self.values.shape[1])

    def select(self, rows: Bools) -> Votes:
        """The votes of selected rows; ``rows`` has the shape [rows]."""
        return replace(
            self,
            values=self.values[rows],
            worth=self.worth[rows],
            groups=self.groups[rows],
            questions=None if self.questions is None else self.questions[rows],
            ties=None if self.ties is None else self.ties[rows],
        )

    def figure(self, combined: Floats) -> float:
        """The metric of one score per row, shape [rows]; NaN if undefined.

        Scores are compared as float32, the precision in which scorers return them.
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

    def _ranked(self, numbers: Floats) -> tuple[Ints, Ints]:
        """The rows by question, best first, and the first position of each question."""
        numbered = np.zeros(len(numbers), dtype=np.int64) if self.questions is None else self.questions
        ties = np.zeros(len(numbers), dtype=np.int64) if self.ties is None else self.ties
        order = np.lexsort((-ties, -numbers, numbered))
        begins = np.flatnonzero(np.diff(numbered[order], prepend=numbered.min() - 1))
        return order, begins


def _mean_average_precision(relevant: Bools, first: Ints) -> float:
    """The mean average precision of consecutive questions; questions without relevant rows are skipped.

    Args:
        relevant: True for relevant rows, best rows first. Shape [rows].
        first: position of the first row of each question. Shape [questions].
    """
    sizes = np.diff(np.append(first, len(relevant)))
    place = np.arange(len(relevant)) - np.repeat(first, sizes)
    found = np.cumsum(relevant)
    before: Ints = np.repeat(found[first] - relevant[first], sizes)
    earned = np.where(relevant, (found - before) / (place + 1), 0.0)
    counts = np.add.reduceat(relevant.astype(np.float64), first)
    sums = np.add.reduceat(earned, first)
    known = counts > 0
    return float(np.mean(sums[known] / counts[known])) if known.any() else float("nan")
