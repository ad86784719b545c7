"""Labels of matches that were sampled by score range, and the precision they prove.

``textkin label`` samples high scores more often, so its labels are no random sample of the incoming texts.
Within each score range they are. So base rate and recall follow from the sizes of the ranges
(``stratified.py``), and the labels prove the precision above a threshold (``betting.py``). At another base
rate the odds of the precision change by the ratio of the base rates' odds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import DataError, said
from textkin.measures.decisions.base_rate import shifted
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.stratified import stratified_part, stratified_share

_ENDLESS = 1_000_000


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """Texts in a score range, some of them sampled and labelled.

    Attributes:
        lowest: the lowest score.
        size: number of texts.
        judged: number of labelled texts.
        same: number of labelled texts whose nearest entry is a duplicate.
        least: proven precision of all texts in this range and above.
    """

    lowest: float
    size: int
    judged: int
    same: int
    least: float


@dataclass(frozen=True, slots=True)
class DrawnMatches:
    """Score ranges, highest first, each with labels.

    Attributes:
        ranges: the ranges, see :class:`ScoreRange`.

    Raises:
        DataError: a range has no label.
    """

    ranges: tuple[ScoreRange, ...]

    def __post_init__(self) -> None:
        if not self.ranges or any(not 0 < one.judged <= one.size for one in self.ranges):
            raise DataError("a range of scores has no label", fix="label more matches")

    @property
    def rate(self) -> Interval:
        """The proportion of texts that have a duplicate, with its 95 % interval.

        Raises:
            DataError: a range has more positive labels than labels.
        """
        found = stratified_share(*self._counts)
        if found is None:
            raise DataError("a range of scores has no label", fix="label more matches")
        return found

    def recall(self, place: int | None) -> Interval:
        """The recall of the first ranges up to a position; None for no range."""
        inside = np.arange(len(self.ranges)) <= (-1 if place is None else place)
        found = stratified_part(*self._counts, inside)
        return found or Interval(0.0, 0.0, 1.0, 0)

    def lowest(self, precision: float, base_rate: float | None) -> tuple[int | None, float]:
        """The position of the lowest range that reaches a precision, and the proven precision.

        Args:
            precision: the required precision.
            base_rate: proportion of texts that have a duplicate; None for that of the labels.

        Returns:
            The position, or None if no threshold reaches the precision; and the lower bound of its precision,
            or the highest bound of all.
        """
        ends = [self._least(one, base_rate) for one in self.ranges]
        passing = [place for place, end in enumerate(ends) if end >= precision]
        return (passing[-1], ends[passing[-1]]) if passing else (None, max(ends))

    def _least(self, one: ScoreRange, base_rate: float | None) -> float:
        if base_rate is None:
            return one.least
        # The base rate of the labels may be as high as its upper bound, and explain more of the precision.
        before = min(max(self.rate.high, 1e-9), 1 - 1e-9)
        return float(shifted(np.array([one.least]), before=before, after=base_rate)[0])

    @property
    def _counts(self) -> tuple[Ints, Ints, Ints]:
        # The labelled texts are a sample of all future texts, a population without end.
        rows = [(one.same, one.judged, one.size * _ENDLESS) for one in self.ranges]
        same, judged, sizes = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
        return same, judged, sizes

    def to_list(self) -> list[list[float]]:
        """The ranges as JSON-compatible values."""
        return [[one.lowest, one.size, one.judged, one.same, one.least] for one in self.ranges]

    @classmethod
    def from_list(cls, values: Sequence[Any]) -> Self:
        """Read ranges from the result of :meth:`to_list`.

        Raises:
            DataError: the values describe no ranges.
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
    """Score ranges between thresholds, and the number of texts that each label represents.

    A range without a label is merged into the next lower one, since draws from that one cover both alike.

    Args:
        thresholds: score, number of texts at or above it, and their proven precision, highest score first.
            The last one covers all texts.
        labels: labels by position of the text, highest score first.

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
