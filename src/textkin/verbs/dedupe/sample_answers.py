"""Estimates from a labelled sample: precision at any threshold, and lost duplicates.

A threshold is chosen by the lower bound of its precision. Many are tried, from the highest down, in an order
that doesn't depend on the labels, and are tested together by Wiens' procedure (``prefix_precision.py``):
with probability 0.95 or more, none that passes falls short.
"""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.errors import PromiseError
from textkin.base.spelling import spelt
from textkin.measures.decisions.goal import GoalRule
from textkin.measures.decisions.guaranteed_threshold import ERROR, SINGLE, tested_alone
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.prefix_precision import fallback
from textkin.measures.intervals.stratified import stratified_part, stratified_share


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """Ranges of scores, lowest first; the last one ends with 1.

    Attributes:
        edges: the lower edge of each. Shape [ranges].
        pairs: number of pairs in each. Shape [ranges].
    """

    edges: Floats32
    pairs: Ints

    def of(self, scores: Floats32) -> Ints:
        """The number of each score's range, -1 below all."""
        return np.searchsorted(self.edges, scores, side="right") - 1

    def count(self, scores: Floats32) -> Ints:
        """Count the scores in each range."""
        member = self.of(scores)
        return np.bincount(member[member >= 0], minlength=len(self.edges))


@dataclass(frozen=True, slots=True)
class PrecisionAt:
    """Estimates at a threshold.

    Attributes:
        threshold: pairs that score this or more are taken.
        pairs: number of pairs.
        new: number of pairs with texts added since the sample was drawn; these are unlabelled, and the
            figures are those of the others.
        precision: the fraction of duplicates among them, with a 95 % interval; None with too
            few labels. It never falls from one threshold to the next higher one, unless the intervals
            require it.
        remaining: recall relative to the requested threshold; None below that threshold, or with too few
            labels.
    """

    threshold: float
    pairs: int
    precision: Interval | None
    remaining: Interval | None
    new: int = 0


@dataclass(frozen=True, slots=True)
class SampleAnswers:
    """Estimates from a person's labels.

    Attributes:
        judged: number of labelled pairs.
        blank: number of pairs without a label.
        asked: the threshold without them.
        at: the estimates by threshold, ascending.
        chosen: the estimate at the threshold that reaches the requested precision; None without a request.
        found: recall of the chosen threshold, or else of the requested one, relative to the lowest of ``at``;
            None where that is the lowest, or with too few labels.
    """

    judged: int
    blank: int
    asked: float
    at: tuple[PrecisionAt, ...]
    chosen: PrecisionAt | None = None
    found: Interval | None = None

    @property
    def new(self) -> int:
        """The number of pairs with texts added since the sample was drawn."""
        return max((one.new for one in self.at), default=0)

    def news(self) -> str | None:
        """A sentence on the pairs that the labels don't cover; None if they cover all."""
        if not self.new:
            return None
        ranges = "; ".join(
            f"from {one.threshold:.6g} on {one.new:,} of {one.pairs:,} pairs" for one in self.at if one.new
        )
        return spelt(
            "The labels speak for the pairs that they were drawn from, and for none that came with texts "
            f"that were added since: {ranges}. Draw a sample of all with `sample` if these are many."
        )


@dataclass(frozen=True, slots=True, eq=False)
class JudgedSample:
    """A sample with a person's answers.

    Attributes:
        ranges: that it was drawn from.
        scores: scores of all pairs. Shape [pairs].
        judged: the score of each judged pair. Shape [judged].
        same: True for duplicates among these. Shape [judged].
        blank: number of pairs without a label.
        asked: the threshold without the answers.
        grown: whether texts were added since the sample was drawn. Then there are estimates at the edges of
            ranges only, by the pairs that each range had; a labelled pair's score is the edge of its range.
    """

    ranges: Strata
    scores: Floats32
    judged: Floats32
    same: Bools
    blank: int
    asked: float
    grown: bool = False

    def answers(self) -> SampleAnswers:
        """Estimates at the ends of the ranges, at a threshold within each, and at the requested one."""
        thresholds = self._thresholds()
        precision = _rising([self._precision(one) for one in thresholds])
        found = [self._at(one, told) for one, told in zip(thresholds, precision, strict=True)]
        return SampleAnswers(
            len(self.judged), self.blank, self.asked, tuple(found), found=self.found(self.asked)
        )

    def found(self, threshold: float) -> Interval | None:
        """Recall at this threshold, relative to the lowest one."""
        lowest = float(self.ranges.edges[0])
        return None if np.float32(threshold) == np.float32(lowest) else self._share(threshold, of=lowest)

    def reaching(self, level: float, rule: GoalRule = GoalRule.LOWER_END) -> float:
        """The lowest threshold whose lower bound, or estimate, reaches a precision.

        Raises:
            PromiseError: none does.
        """
        if rule is GoalRule.ESTIMATE:
            told = [one for one in self.answers().at if one.precision is not None]
            figures = {one.threshold: one.precision.value for one in told if one.precision is not None}
            passing = [threshold for threshold, figure in figures.items() if figure >= level]
            why = f"the highest estimate is {self._highest(figures)}"
        else:
            passing, why = self._promised(level), self._why_not_promised(level)
        if passing:
            return min(passing)
        fix = (
            "label more pairs (a larger `sample` with `labelled` keeps the labels), give a lower "
            "`precision`, or draw a sample around a higher `threshold`"
        )
        if rule is GoalRule.LOWER_END:
            fix += "; the rule 'estimate' accepts more, but promises nothing for other pairs"
        raise PromiseError(f"no threshold of the sample reaches precision {level:g}: {why}", fix=fix)

    def pairs_from(self, threshold: float) -> int:
        """The number of pairs at or above a threshold that the sample was drawn from."""
        return int(self._sizes(threshold).sum())

    def share_same(self, threshold: float) -> float | None:
        """The estimated precision of these; None with too few labels."""
        told = self._precision(threshold)
        return None if told is None else told.value

    def _at(self, threshold: float, precision: Interval | None) -> PrecisionAt:
        pairs = int((self.scores >= np.float32(threshold)).sum())
        new = max(pairs - self.pairs_from(threshold), 0)
        remaining = self._share(threshold, of=self.asked)
        return PrecisionAt(threshold, pairs, precision, remaining, new=new)

    def _thresholds(self) -> list[float]:
        """The thresholds to examine, ascending, chosen without looking at answers."""
        edges = self.ranges.edges
        if self.grown:  # the number of new pairs within a range is unknown
            return [float(one) for one in edges]
        member = self.ranges.of(self.scores)
        within = [np.median(self.scores[member == place]) for place in range(len(edges))]
        found = {*edges.tolist(), *map(float, within)}
        if self.asked >= edges[0]:
            found.add(float(np.float32(self.asked)))
        return sorted(found)

    def _promised(self, level: float) -> list[float]:
        """Thresholds that have a precision, all of them with probability 0.95."""
        falling, starts = self._tried(level)
        claims = fallback(
            lambda claim, error: self._lower(falling[claim], error) >= level,
            starts,
            error=ERROR,
            most=SINGLE,
        )
        return [falling[claim] for claim in claims]

    def _why_not_promised(self, level: float) -> str:
        """The results of the failed tests, which are those of the lowest thresholds."""
        falling, starts = self._tried(level)
        error = tested_alone(starts)
        begun = {one: self._lower(one, error) for one, begins in zip(falling, starts, strict=True) if begins}
        if begun:
            return (
                f"of the {len(begun)} with enough labels to show it, the highest lower end, corrected for "
                f"their number, is {self._highest(begun)}"
            )
        ends = {one: self._lower(one, error) for one in self._thresholds()}
        return f"none has enough labels to show it; the highest lower end is {self._highest(ends)}"

    def _highest(self, figures: dict[float, float]) -> str:
        at = max(figures, key=lambda one: figures[one], default=self.asked)
        return f"{figures.get(at, 0.0):.3f}, from {at:.6g} on"

    def _tried(self, level: float) -> tuple[list[float], list[bool]]:
        """Thresholds that could show a precision, highest first, and which of them are beginnings."""
        falling = [
            one for one in reversed(self._thresholds()) if self._lower(one, SINGLE, all_same=True) >= level
        ]
        edges = set(self.ranges.edges.tolist())
        return falling, [one in edges for one in falling]

    def _lower(self, threshold: float, error: float, *, all_same: bool = False) -> float:
        """The lower bound of the precision at a threshold, or its value if all labels were positive."""
        yes, judged, sizes = self._counts(threshold)
        told = stratified_share(judged if all_same else yes, judged, sizes, confidence=1 - 2 * error)
        return 0.0 if told is None else told.low

    def _precision(self, threshold: float) -> Interval | None:
        return stratified_share(*self._counts(threshold))

    def _share(self, threshold: float, *, of: float) -> Interval | None:
        """Recall at a higher threshold, relative to a lower one."""
        edges, cut, base = self.ranges.edges, np.float32(threshold), np.float32(of)
        if not edges[0] <= base <= cut or (self.grown and not {cut, base} <= set(edges)):
            return None
        whole, here = self._counts(of), self._counts(threshold)
        yes, judged, sizes = (
            np.concatenate((there, all_of - there)) for there, all_of in zip(here, whole, strict=True)
        )
        return stratified_part(yes, judged, sizes, np.arange(len(sizes)) < len(edges))

    def _counts(self, threshold: float) -> tuple[Ints, Ints, Ints]:
        """Counts of each range at or above a threshold: duplicates, labelled pairs, all pairs."""
        cut = np.float32(threshold)
        taken = self.judged >= cut
        return (
            self.ranges.count(self.judged[taken & self.same]),
            self.ranges.count(self.judged[taken]),
            self._sizes(threshold),
        )

    def _sizes(self, threshold: float) -> Ints:
        """The number of sampled-from pairs of each range at or above a threshold."""
        cut = np.float32(threshold)
        if self.grown:
            return np.where(self.ranges.edges >= cut, self.ranges.pairs, 0)
        return self.ranges.count(self.scores[self.scores >= cut])


def _rising(told: list[Interval | None]) -> list[Interval | None]:
    """Estimates of ascending thresholds as the nearest ones that never fall, each within its interval.

    Precision rises with the score of a model that is any good, so a fall is chance: the estimates beside it
    are pooled, by how sure they are.
    """
    from scipy.optimize import isotonic_regression

    known = [one for one in told if one is not None]
    if not known:
        return told
    sureness = [1 / ((one.high - one.low) ** 2 + 1e-9) for one in known]
    pooled = iter(isotonic_regression([one.value for one in known], weights=sureness).x.tolist())
    return [None if one is None else _moved(one, next(pooled)) for one in told]


def _moved(told: Interval, value: float) -> Interval:
    return Interval(min(max(value, told.low), told.high), told.low, told.high, told.n)
