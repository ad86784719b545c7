"""The scale of graded labels, and detection of typos in grades.

Grades from 0 to 1 and from -1 to 1 are used as similarities unchanged. Others are mapped from the scale that
a recipe states, or else from the integers around the lowest and the highest grade.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from textkin.base.arrays import Floats
from textkin.data.records import LabelKind, PairSet

_SIMILARITIES = (0.0, 1.0), (-1.0, 1.0)
_FEW = 0.01  # fraction of the grades that may be typos
_FEWEST_OTHERS = 4


@dataclass(frozen=True, slots=True)
class GradeScale:
    """A scale of similarity.

    Attributes:
        low: grade of different texts.
        high: grade of texts with the same meaning.
        stated: True if a recipe states the scale, False if it is inferred from the grades.
    """

    low: float
    high: float
    stated: bool = False

    @classmethod
    def from_list(cls, ends: Sequence[float]) -> Self:
        """The scale stated in a recipe."""
        return cls(float(ends[0]), float(ends[1]), stated=True)

    @property
    def middle(self) -> float:
        """The minimum grade of positive pairs."""
        return (self.low + self.high) / 2

    @property
    def holds_similarities(self) -> bool:
        """True if its grades are used unchanged."""
        return (self.low, self.high) in _SIMILARITIES

    def shares(self, grades: Floats) -> Floats:
        """Grades mapped from the scale to 0 to 1."""
        return (grades - self.low) / (self.high - self.low)

    def similarities(self, grades: Floats) -> Floats:
        """The similarities to learn.

        Grades from 0 to 1 or from -1 to 1 are unchanged, others are mapped to 0 to 1.
        """
        return grades if self.holds_similarities else self.shares(grades)

    def sentence(self) -> str:
        """The mapping of grades in words."""
        ends = f"{self.low:g} to {self.high:g}"
        if self.holds_similarities:
            return f"grades are read on the scale {ends} and learnt as they stand"
        stated = "which the recipe states" if self.stated else "state another one by training.grades"
        return f"grades are read on the scale {ends} and learnt as 0 to 1; {stated}"


@dataclass(frozen=True, slots=True)
class OddGrade:
    """A grade that can't be used for training.

    Attributes:
        place: index of its pair, from 0.
        message: description of the problem.
        fix: advice for the user.
    """

    place: int
    message: str
    fix: str


def grades_of(pairs: PairSet) -> Floats:
    """The label of each pair, NaN if it has none. Shape [pairs]."""
    return np.array([np.nan if pair.label is None else pair.label for pair in pairs], dtype=np.float64)


def scale_of(pairs: PairSet, *, stated: Sequence[float] | None = None) -> GradeScale | None:
    """The scale of a set's labels; None for classes, or without labels.

    Args:
        pairs: the pairs.
        stated: the lowest and the highest possible grade.
    """
    grades = grades_of(pairs)
    grades = grades[~np.isnan(grades)]
    if pairs.kind not in (LabelKind.BINARY, LabelKind.GRADED) or not len(grades):
        return None
    if stated is not None:
        return GradeScale.from_list(stated)
    if pairs.kind is LabelKind.BINARY:
        return GradeScale(0.0, 1.0)
    lowest, highest = float(grades.min()), float(grades.max())
    for low, high in _SIMILARITIES:
        if low <= lowest and highest <= high:
            return GradeScale(low, high)
    low = float(math.floor(lowest))
    return GradeScale(low, max(float(math.ceil(highest)), low + 1))


def odd_grade(pairs: PairSet, scale: GradeScale | None) -> OddGrade | None:
    """The first grade outside a stated scale, or far from all others of the set; None if there is none.

    A grade is far from the others if it is one of very few, and the gap before it is at least as wide as the
    range of the others and twice as wide as any gap among them.
    """
    if scale is None or pairs.kind is LabelKind.NONE:
        return None
    grades = grades_of(pairs)
    if scale.stated:
        outside = np.flatnonzero((grades < scale.low) | (grades > scale.high))
        if not len(outside):
            return None
        place = int(outside[0])
        return OddGrade(
            place,
            f"label {grades[place]:g} is outside the scale that the recipe states, "
            f"{scale.low:g} to {scale.high:g}",
            "correct the row, or training.grades in the recipe",
        )
    if pairs.kind is not LabelKind.GRADED or scale.holds_similarities:
        return None
    for sign in (1.0, -1.0):
        if (bound := _last_before_gap(np.sort(sign * grades[~np.isnan(grades)]))) is not None:
            place = int(np.flatnonzero(sign * grades > bound)[0])
            others = grades[sign * grades <= bound]
            return OddGrade(
                place,
                f"label {grades[place]:g} is far from all others, which are {others.min():g} to "
                f"{others.max():g}, so that these would hardly differ",
                f"correct the row, or state the scale in the recipe: training.grades = "
                f"[{scale.low:g}, {scale.high:g}]",
            )
    return None


def _last_before_gap(ordered: Floats) -> float | None:
    """The highest grade below the typos; None if there are no typos above."""
    few = max(1, int(len(ordered) * _FEW))
    if len(ordered) - few < _FEWEST_OTHERS:
        return None
    gaps = np.diff(ordered)
    place = len(gaps) - few + int(np.argmax(gaps[-few:]))
    among_others = gaps[:place].max()
    others = ordered[place] - ordered[0]
    is_slip = 0 < others <= gaps[place] and gaps[place] >= 2 * among_others
    return float(ordered[place]) if is_slip else None
