"""Fitted rules that combine the scores of an ensemble's members into one.

Locations, scales, quantiles and probabilities come from dev, so a row's result doesn't depend on the rows
beside it. The exceptions (``needs_questions``) depend on the other rows of the question: ranks within a
question, and the shares of a question's probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import ModelError, unknown_choice
from textkin.base.json_records import restored_by
from textkin.measures.decisions.calibration import Platt, require_rising
from textkin.measures.decisions.conditional_logit import softmax_within
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks, known, ranks_within, with_lowest

KNOTS = 1001
"""Maximum number of quantiles kept of a member's dev scores."""

LEAST = 1e-4
"""Lower bound for probabilities before taking their logarithm."""


class CombinedBy(StrEnum):
    """Rule for combining members."""

    MEAN = "mean"  # the mean of normalised scores
    RANK = "rank"  # the mean rank within the question; for pairs, the mean quantile among dev scores
    RRF = "rrf"  # the sum of reciprocal ranks within the question
    WEIGHTED = "weighted"  # the weighted mean of normalised scores, with the weights that are best on dev
    LOGISTIC = "logistic"  # logistic regression on normalised scores
    SUM = "sum"  # the mean of the members' probabilities (same order as their sum)

    @classmethod
    def of(cls, word: str) -> CombinedBy:
        """The rule with the given name.

        Raises:
            UsageError: no rule has this name.
        """
        try:
            return cls(word)
        except ValueError:
            raise unknown_choice("combine", word, list(cls)) from None


@dataclass(frozen=True, slots=True)
class Linear:
    """The weighted sum of normalised scores, plus an intercept.

    Attributes:
        locations: location of each member's scores on dev.
        scales: scale of each member's scores on dev, above 0.
        weights: weight of each member.
        intercept: constant added to the sum.
        logs: True to sum the logarithms of probabilities.
    """

    locations: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float = 0.0
    logs: bool = False
    by: Literal["linear"] = "linear"

    needs_questions = False
    is_probability = False

    def __post_init__(self) -> None:
        if not len(self.locations) == len(self.scales) == len(self.weights) or min(self.scales) <= 0:
            raise ValueError("locations, scales and weights don't go together")

    def combine(self, values: Floats, questions: Ints | None = None) -> Floats:
        """Combine ``values`` [rows, members] into one score per row, shape [rows]."""
        found, values = np.full(len(values), self.intercept), with_lowest(values, questions)
        # Add column by column: a matrix product may round equal rows differently, and equal texts must tie.
        for column, (location, scale, weight) in enumerate(
            zip(self.locations, self.scales, self.weights, strict=True)
        ):
            own = values[:, column]
            found += weight * (((np.log(np.maximum(own, LEAST)) if self.logs else own) - location) / scale)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The proportion of dev scores below a score, counting half of the equal ones.

    Attributes:
        scores: increasing knots with linear interpolation; constant beyond the ends.
        shares: proportions at the knots.
    """

    scores: tuple[float, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        require_rising(self.scores, self.shares)

    @classmethod
    def of(cls, scores: Floats) -> Quantiles:
        """Quantiles of dev scores, shape [rows]; thinned out if there are many distinct scores."""
        levels, counts = np.unique(scores, return_counts=True)
        shares = (np.cumsum(counts) - counts / 2) / counts.sum()
        if len(levels) > KNOTS:
            kept = np.unique(np.searchsorted(shares, np.linspace(shares[0], shares[-1], KNOTS)))
            levels, shares = levels[kept], shares[kept]
        return cls(tuple(levels.tolist()), tuple(shares.tolist()))

    def share(self, scores: Floats) -> Floats:
        """The proportion of dev scores below each score, shape [rows]."""
        return np.interp(scores, self.scores, self.shares)


@dataclass(frozen=True, slots=True)
class Ranks:
    """The mean of a row's ranks over the members: 0 for the last, 1 for the first.

    Attributes:
        members: number of members.
        quantiles: quantiles of each member's dev scores, for independent rows; None where rows are ranked
            within their question (ties share their mean rank).
    """

    members: int
    quantiles: tuple[Quantiles, ...] | None = None
    by: Literal["ranks"] = "ranks"

    is_probability = False

    def __post_init__(self) -> None:
        if self.quantiles is not None and len(self.quantiles) != self.members:
            raise ValueError("quantiles are not those of all members")

    @property
    def needs_questions(self) -> bool:
        """True if a row's score depends on the other rows of its question."""
        return self.quantiles is None

    def combine(self, values: Floats, questions: Ints | None = None) -> Floats:
        """Combine ``values`` [rows, members] with ``questions`` [rows] into one score per row."""
        found, values = np.zeros(len(values)), with_lowest(values, questions)
        for column in range(self.members):
            own = values[:, column]
            if self.quantiles is not None:
                found += self.quantiles[column].share(own)
            else:
                found += ranks_within(own, known(questions))
        return found / self.members

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Probabilities:
    """The weighted mean of the members' probabilities (same order as their weighted sum).

    Attributes:
        weights: weight of each member; they sum to 1.
        curves: calibration of each member's scores; None if there is none.
        slopes: slope of each member, for splitting a question's probability among its rows by the softmax of
            slope * score; None if there is none. Without curves and slopes, the scores are probabilities.
    """

    weights: tuple[float, ...]
    curves: tuple[Platt, ...] | None = None
    slopes: tuple[float, ...] | None = None
    by: Literal["probabilities"] = "probabilities"

    is_probability = True

    def __post_init__(self) -> None:
        if any(one is not None and len(one) != len(self.weights) for one in (self.curves, self.slopes)):
            raise ValueError("weights, curves and slopes don't go together")

    @property
    def needs_questions(self) -> bool:
        """True if a row's probability depends on the other rows of its question."""
        return self.slopes is not None

    def combine(self, values: Floats, questions: Ints | None = None) -> Floats:
        """Combine ``values`` [rows, members] with ``questions`` [rows] into probabilities, shape [rows]."""
        found, values = np.zeros(len(values)), with_lowest(values, questions)
        for column, weight in enumerate(self.weights):
            own = values[:, column]
            if self.curves is not None:
                from scipy.special import expit

                curve = self.curves[column]
                own = np.asarray(expit(curve.slope * own + curve.intercept))
            elif self.slopes is not None:
                own = softmax_within(self.slopes[column] * own, known(questions))
            found += weight * own
        return found

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON-compatible values."""
        return asdict(self)


Combination = Linear | Ranks | Probabilities | ReciprocalRanks


def weights_of(combination: Combination) -> tuple[float, ...]:
    """The weight of each member."""
    if isinstance(combination, Ranks | ReciprocalRanks):
        return (1 / combination.members,) * combination.members
    return combination.weights


def combination_from_dict(values: Mapping[str, Any], *, members: int) -> Combination:
    """Read a rule from the result of ``to_dict``.

    Raises:
        ModelError: the values describe no rule, or one for another number of members.
    """
    kinds = {"linear": Linear, "ranks": Ranks, "probabilities": Probabilities}
    try:
        found: Combination = restored_by("by", {**kinds, "reciprocal ranks": ReciprocalRanks}, values)
    except ValueError as error:
        raise ModelError(f"a stored combination can't be read: {error}") from error
    if len(weights_of(found)) != members:
        raise ModelError(f"a stored combination is none of {members} members")
    return found
