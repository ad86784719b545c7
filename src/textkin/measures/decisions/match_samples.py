"""Labels of matches that were drawn by ranges of their scores, and what they prove.

``textkin label`` draws more of the high scores, so its labels are no random sample of the texts that came.
In each range of scores they are one. So the base rate and the recall follow from the ranges' sizes
(``stratified.py``), and the precision from a threshold on is what the labels prove
(``betting.py``). At another base rate the odds of the precision change by the ratio of the base rates'
odds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, said
from textkin.measures.decisions.base_rate import shifted
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.stratified import stratified_part, stratified_share

_ENDLESS = 1_000_000


@final
@dataclass(frozen=True, slots=True)
class ScoreRange:
    """Texts of a range of scores, some of which were drawn and judged.

    Attributes:
        lowest: the lowest score.
        size: how many texts there are.
        judged: how many of them have a label.
        same: of these, how many are the same as their nearest entry.
        least: the precision that is proven of all texts from this range up.
    """

    lowest: float
    size: int
    judged: int
    same: int
    least: float


@final
@dataclass(frozen=True, slots=True)
class DrawnMatches:
    """Ranges of scores, the highest first, each with labels.

    Attributes:
        ranges: see :class:`ScoreRange`.

    Raises:
        DataError: a range has no label.
    """

    ranges: tuple[ScoreRange, ...]

    def __post_init__(self) -> None:
        if not self.ranges or any(not 0 < one.judged <= one.size for one in self.ranges):
            raise DataError("a range of scores has no label", fix="label more matches")

    @property
    def rate(self) -> Interval:
        """The share of the texts that have a duplicate, with its 95 % interval.

        Raises:
            DataError: more are the same than were judged.
        """
        found = stratified_share(*self._counts)
        if found is None:
            raise DataError("a range of scores has no label", fix="label more matches")
        return found

    def recall(self, place: int | None) -> Interval:
        """Of texts with a duplicate, how many are in the first ranges, up to a place; None for no range."""
        inside = np.arange(len(self.ranges)) <= (-1 if place is None else place)
        found = stratified_part(*self._counts, inside)
        return found or Interval(0.0, 0.0, 1.0, 0)

    def lowest(self, precision: float, base_rate: float | None) -> tuple[int | None, float]:
        """The place of the lowest range whose threshold has a precision, and what is proven.

        Args:
            precision: that is wanted.
            base_rate: the share of texts that have a duplicate; None for that of the labels.

        Returns:
            The place, None where no threshold has the precision; and the lower end of its precision, or the
            highest of all.
        """
        ends = [self._least(one, base_rate) for one in self.ranges]
        passing = [place for place, end in enumerate(ends) if end >= precision]
        return (passing[-1], ends[passing[-1]]) if passing else (None, max(ends))

    def _least(self, one: ScoreRange, base_rate: float | None) -> float:
        if base_rate is None:
            return one.least
        # The labels' own rate may be as high as its upper end: then more of the precision is owed to it.
        before = min(max(self.rate.high, 1e-9), 1 - 1e-9)
        return float(shifted(np.array([one.least]), before=before, after=base_rate)[0])

    @property
    def _counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        # What was judged is a sample of the texts to come, which have no end.
        rows = [(one.same, one.judged, one.size * _ENDLESS) for one in self.ranges]
        same, judged, sizes = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
        return same, judged, sizes

    def to_list(self) -> list[list[float]]:
        """For JSON."""
        return [[one.lowest, one.size, one.judged, one.same, one.least] for one in self.ranges]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Self:
        """Back from :meth:`to_list`.

        Raises:
            DataError: it is something else.
        """
        try:
            rows = [
                ScoreRange(float(lowest), int(size), int(judged), int(same), float(least))
                for lowest, size, judged, same, least in values
            ]
        except (TypeError, ValueError) as error:
            raise DataError(f"ranges of scores can't be read: {said(error)}") from error
        return cls(tuple(rows))


def ranges_of(
    thresholds: Sequence[tuple[float, int, float]], labels: Mapping[int, bool]
) -> tuple[DrawnMatches, dict[int, float]]:
    """Ranges of scores between thresholds, and how many texts each label stands for.

    A range without a label joins the next lower one: whatever was drawn of that one was drawn of both alike.

    Args:
        thresholds: of each its score, how many texts score as high, and the precision that is proven of
            these; the highest first. The last one has all texts.
        labels: of texts, by their places, the highest score first.

    Raises:
        DataError: there is no label, or the lowest range has none.
    """
    ranges: list[ScoreRange] = []
    weights: dict[int, float] = {}
    start = 0
    for lowest, end, least in thresholds:
        rows = [row for row in labels if start <= row < end]
        if not rows:
            continue
        same = sum(labels[row] for row in rows)
        ranges.append(ScoreRange(lowest, end - start, len(rows), same, least))
        weights |= dict.fromkeys(rows, (end - start) / len(rows))
        start = end
    if not thresholds or start < thresholds[-1][1]:
        raise DataError("the lowest scores have no label", fix="label more matches")
    return DrawnMatches(tuple(ranges)), weights
