"""The verdict of ``match`` on a text: duplicate, new, or a question for a person.

The duplicate threshold is a guarantee: a precision at a stated base rate. It holds for every tested threshold
whose lower confidence bound reaches that precision (``guaranteed_threshold.py``). The precision at base rate
r follows from three rates. Each has its own confidence bound, with a third of the error:

    precision = r * linked * right / (r * linked + (1 - r) * wrongly_linked)

where ``linked`` is the proportion of texts with a duplicate that are linked, ``right`` the proportion of
these that are linked to the duplicate, and ``wrongly_linked`` the proportion of texts without one that are
linked. Below the threshold, the verdict is "ask" if the probability is high enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import invalid
from textkin.measures.decisions.base_rate import check_rate, shifted
from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.candidate_thresholds import Cuts
from textkin.measures.decisions.guaranteed_threshold import ERROR, SINGLE, tested_alone, tried
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.decisions.match_samples import DrawnMatches
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.prefix_precision import FirstShares, fallback, shares_found, shares_of_first
from textkin.measures.intervals.proportions import clustered_share

PRECISION = 0.95
"""The required precision of duplicates unless another one is asked for."""

ASK = 0.1
"""The probability from which a person is asked unless another one is asked for."""

_GRID = 2001  # number of cosines at which a curve is evaluated


class MatchVerdict(StrEnum):
    """The verdict on a text compared with a collection.

    Example:
        >>> from textkin.verbs import MatchVerdict
        >>> [verdict.value for verdict in MatchVerdict]
        ['duplicate', 'new', 'ask']
    """

    DUPLICATE = "duplicate"
    NEW = "new"
    ASK = "ask"


class ScoreCurve(Protocol):
    """Curve from scores to the probability that two texts mean the same, at a base rate."""

    def probability(self, scores: NDArray[np.floating[Any]], *, base_rate: float) -> Floats:
        """The probability of each score, shape [texts]."""


@dataclass(frozen=True, slots=True)
class PairCurve:
    """A curve fitted to labelled pairs.

    Attributes:
        calibration: scores to probabilities, at the base rate of the pairs.
        rate: proportion of positive pairs.
        pairs: number of pairs, which limits how extreme a probability can be.
    """

    calibration: Calibration
    rate: float
    pairs: int

    def probability(self, scores: NDArray[np.floating[Any]], *, base_rate: float) -> Floats:
        """The probability of each score, shape [texts]."""
        least, found = 1 / (self.pairs + 2), np.zeros(len(scores))
        finite = np.isfinite(scores)
        likely = np.clip(self.calibration.probability(scores[finite]), least, 1 - least)
        found[finite] = shifted(likely, before=self.rate, after=base_rate)
        return found


@dataclass(frozen=True, slots=True)
class MatchGoal:
    """Requirements for verdicts.

    Attributes:
        precision: minimum precision of the verdict "duplicate".
        ask: minimum probability for the verdict "ask".

    Raises:
        UsageError: a value is not strictly between 0 and 1.

    Example:
        >>> from textkin.verbs import MatchGoal
        >>> MatchGoal(precision=0.9).ask
        0.1
    """

    precision: float = PRECISION
    ask: float = ASK

    def __post_init__(self) -> None:
        check_fields(self)
        check_rate(self.precision, "the precision")
        check_rate(self.ask, "the probability to ask from")


@dataclass(frozen=True, kw_only=True)
class MatchRule:
    """Rule from scores to verdicts.

    Attributes:
        duplicate_from: minimum score of a duplicate; None if no score reaches the goal.
        goal: the required precision and probability.
        base_rate: proportion of texts with a duplicate that the rule assumes.
        curve: scores to probabilities; None for a threshold set by the user.
        reached: lower confidence bound of the precision, if labels prove it; if no threshold reaches the
            goal, the highest bound of any, at the level of the test that it failed.
        recall: proportion of texts with a duplicate that are linked to it; None without labels.
        asked: proportion of all texts that get the verdict "ask" at this base rate; None without labels.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("letters", create=True) as letters:
        ...     letters.match("Where can I park?", threshold=0.8).rule.duplicate_from
        0.8
    """

    duplicate_from: float | None
    goal: MatchGoal
    base_rate: float | None
    curve: ScoreCurve | None
    reached: float | None = None
    recall: Interval | None = None
    asked: float | None = None

    def probability(self, scores: NDArray[np.floating[Any]]) -> Floats | None:
        """The probability that each nearest entry is a duplicate, shape [texts]; None without a curve."""
        if self.curve is None or self.base_rate is None:
            return None
        return self.curve.probability(scores, base_rate=self.base_rate)

    def decide(self, scores: NDArray[np.floating[Any]]) -> list[MatchVerdict]:
        """The verdict on each text, by the score of the nearest entry that no rule blocks."""
        likely = self.probability(scores)
        single = np.asarray(scores, dtype=np.float32)
        linked = np.zeros(len(single), dtype=bool)
        if self.duplicate_from is not None:
            linked = single >= np.float32(self.duplicate_from)
        asked = np.zeros(len(single), dtype=bool) if likely is None else likely >= self.goal.ask
        return [
            MatchVerdict.DUPLICATE if link else MatchVerdict.ASK if ask else MatchVerdict.NEW
            for link, ask in zip(linked.tolist(), asked.tolist(), strict=True)
        ]

    @cached_property
    def ask_from(self) -> float | None:
        """The lowest cosine with the verdict "ask", to 0.001; None if there is none."""
        grid = np.linspace(-1, 1, _GRID)
        likely = self.probability(grid)
        if likely is None or not (likely >= self.goal.ask).any():
            return None
        return float(grid[int(np.argmax(likely >= self.goal.ask))])


def fit_match_rule(arrivals: Arrivals, goal: MatchGoal, *, base_rate: float) -> MatchRule:
    """The rule with the lowest threshold that provably reaches the precision at a base rate.

    Args:
        arrivals: a labelled sample.
        goal: the requirements.
        base_rate: proportion of texts that have a duplicate.

    Raises:
        UsageError: the base rate is not strictly between 0 and 1.
        DataError: the nearest entries of the sample are all of one kind.
    """
    check_rate(base_rate)
    rates, reached = _Rates.of(arrivals), 0.0
    passing: list[int] = []
    if rates is not None:
        tried_cuts, starts = tried(rates.right.clusters, goal.precision)

        def passes(claim: int, error: float) -> bool:
            return rates.precision(tried_cuts[claim], error, base_rate) >= goal.precision

        passing = [tried_cuts[claim] for claim in fallback(passes, starts, error=ERROR, most=SINGLE)]
        # Failed tests at their own level: each starting point has its part of the error.
        alone = tested_alone(starts)
        begun = [place for place, begins in zip(tried_cuts, starts, strict=True) if begins]
        ends = [rates.precision(place, alone, base_rate) for place in begun]
        reached = rates.precision(passing[-1], SINGLE, base_rate) if passing else max(ends, default=0.0)
    threshold = None if rates is None or not passing else float(rates.values[passing[-1]])
    curve = arrivals.curve
    rule = MatchRule(
        duplicate_from=threshold, goal=goal, base_rate=base_rate, curve=curve, reached=float(reached)
    )
    return _with_account(rule, arrivals, base_rate)


def rule_of_drawn(
    drawn: DrawnMatches, arrivals: Arrivals, goal: MatchGoal, *, base_rate: float | None
) -> MatchRule:
    """The rule with the lowest threshold whose precision the labels of drawn matches prove.

    Args:
        drawn: the labels by score range.
        arrivals: the same labels as a sample, with weights.
        goal: the requirements.
        base_rate: proportion of texts that have a duplicate; None for that of the labels.

    Raises:
        UsageError: the base rate is not strictly between 0 and 1.
        DataError: the nearest entries of the sample are all of one kind.
    """
    rate = arrivals.rate if base_rate is None else base_rate
    check_rate(rate)
    place, reached = drawn.lowest(goal.precision, base_rate)
    rule = MatchRule(
        duplicate_from=None if place is None else float(np.float32(drawn.ranges[place].lowest)),
        goal=goal,
        base_rate=rate,
        curve=arrivals.curve,
        reached=reached,
        recall=drawn.recall(place),
    )
    asked = np.array([one is MatchVerdict.ASK for one in rule.decide(arrivals.scores)])
    return replace(rule, asked=arrivals.share(asked, base_rate=rate))


def rule_of_pairs(
    saved: SavedThreshold, calibration: Calibration, goal: MatchGoal, *, base_rate: float
) -> MatchRule:
    """The rule from a model's own calibration: duplicate if the probability reaches the precision.

    It guarantees nothing: the labelled pairs may differ from texts and their nearest entries.

    Args:
        saved: the number of pairs, and how many of them are positive.
        calibration: the calibration fitted to these pairs.
        goal: the requirements.
        base_rate: proportion of texts that have a duplicate.

    Raises:
        UsageError: the base rate is not strictly between 0 and 1.
    """
    check_rate(base_rate)
    fitted = saved.threshold
    curve = PairCurve(calibration, fitted.positives / fitted.pairs, fitted.pairs)
    grid = np.linspace(-1, 1, _GRID)
    missing = np.flatnonzero(curve.probability(grid, base_rate=base_rate) < goal.precision)
    reaching = grid[missing[-1] + 1 :] if len(missing) else grid  # of a falling curve none
    threshold = float(reaching[0]) if len(reaching) else None
    return MatchRule(duplicate_from=threshold, goal=goal, base_rate=base_rate, curve=curve)


def rule_of_threshold(threshold: float) -> MatchRule:
    """The rule for a bare threshold without known precision.

    Raises:
        UsageError: the threshold is not a cosine.
    """
    if not -1 <= threshold <= 1:
        raise invalid("threshold", threshold, expected="a cosine from -1 to 1")
    return MatchRule(duplicate_from=threshold, goal=MatchGoal(), base_rate=None, curve=None)


@dataclass(frozen=True, slots=True, eq=False)
class _Rates:
    """The three rates at each threshold, highest threshold first. All have the shape [thresholds]."""

    values: Floats32
    linked: FirstShares
    right: FirstShares
    wrong: FirstShares

    @classmethod
    def of(cls, arrivals: Arrivals) -> _Rates | None:
        """The rates at all thresholds that link a text with a duplicate; None if there is none."""
        values = Cuts.of(arrivals.right, arrivals.scores).values
        order = np.argsort(-arrivals.scores, kind="stable")
        scores, clusters = arrivals.scores[order], arrivals.clusters[order]
        known, right = arrivals.known[order], arrivals.right[order]
        first_known = np.searchsorted(-scores[known], -values, side="right")
        first_other = np.searchsorted(-scores[~known], -values, side="right")
        some = first_known > 0
        if not some.any():
            return None
        return cls(
            values=values[some],
            linked=shares_found(clusters[known], first_known[some]),
            right=shares_of_first(right[known], clusters[known], first_known[some]),
            wrong=shares_found(clusters[~known], first_other[some]),
        )

    def precision(self, place: int, error: float, base_rate: float) -> float:
        """The lower confidence bound of a threshold's precision; ``error`` is its error probability."""
        at, part = slice(place, place + 1), error / 3
        linked = base_rate * float(self.linked.lower(part, at)[0])
        wrong = (1 - base_rate) * float(self.wrong.upper(part, at)[0])
        return linked * float(self.right.lower(part, at)[0]) / (linked + wrong) if linked > 0 else 0.0


def _with_account(rule: MatchRule, arrivals: Arrivals, base_rate: float) -> MatchRule:
    """The rule with its recall and its rate of questions on the sample."""
    verdicts: Sequence[MatchVerdict] = rule.decide(arrivals.scores)
    linked, asked = (
        np.array([one is kind for one in verdicts]) for kind in (MatchVerdict.DUPLICATE, MatchVerdict.ASK)
    )
    known = arrivals.known
    recall = clustered_share((linked & arrivals.right)[known], arrivals.clusters[known])
    return replace(rule, recall=recall, asked=arrivals.share(asked, base_rate=base_rate))
