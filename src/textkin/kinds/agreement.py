"""Agreement between systems on the same items, with intervals.

Everything follows from the decisions, and from their correctness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, invalid
from textkin.data.protocols import ByWeight
from textkin.kinds.judge import estimate
from textkin.measures.intervals.bootstrap import bootstrap
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.intervals.standard_errors import SHARE
from textkin.measures.metrics import agreement
from textkin.report.content import Estimate

_BOTH_SIDES = (-1.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Decisions of several systems, and their correctness.

    Attributes:
        systems: the names of the systems.
        decided: whole numbers with the same meaning for all systems. Shape [systems, items].
        right: True for correct decisions. Shape [systems, items].
        groups: groups of items that are resampled together: components, or each question alone. Shape
            [items].
        correlations: for each item, the rank correlation of two systems' candidates, NaN if undefined: shape
            [systems, systems, items]; None if nothing is ranked.

    Raises:
        UsageError: there are fewer than two systems.
        DataError: there are no items, or shapes differ.
    """

    systems: tuple[str, ...]
    decided: NDArray[np.int64]
    right: NDArray[np.bool_]
    groups: NDArray[np.int64]
    correlations: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if len(self.systems) < 2:
            raise invalid("models", list(self.systems), expected="at least two")
        shape = (len(self.systems), len(self.groups))
        if self.decided.shape != shape or self.right.shape != shape or not len(self.groups):
            raise DataError(
                f"decisions of shape {self.decided.shape}, {self.right.shape} right, expected {shape} and an "
                "item at least"
            )


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two systems.

    Attributes:
        a: a system.
        b: another.
        same: the fraction of items with the same decision.
        kappa: Cohen's kappa, which is 0 for agreement by chance; None if both always make the same decision.
        shared_errors: among items that either system gets wrong, the fraction that both do; None without
            errors.
        correlation: the mean of Kendall's tau-b over questions; None if nothing is ranked.
    """

    a: str
    b: str
    same: Estimate
    kappa: Estimate | None
    shared_errors: Estimate | None
    correlation: Estimate | None = None


@dataclass(frozen=True, slots=True)
class MemberWorth:
    """A system's contribution to a vote.

    Attributes:
        system: its name.
        accuracy: the fraction of its decisions that are right.
        adds: the accuracy of the vote of all systems, minus that of the vote without it.
    """

    system: str
    accuracy: Estimate
    adds: Estimate


@dataclass(frozen=True, slots=True)
class Agreed:
    """All agreement statistics of a set of decisions.

    Attributes:
        pairs: agreement of all pairs of systems.
        members: the contribution of each system.
        vote: the accuracy of the vote of all systems.
        oracle: the fraction of items on which at least one system is right.
    """

    pairs: tuple[PairAgreement, ...]
    members: tuple[MemberWorth, ...]
    vote: Estimate
    oracle: Estimate

    def matrix(self, figure: str) -> NDArray[np.float64]:
        """A statistic of all pairs by field name, 1 on the diagonal. Shape [systems, systems]."""
        places = {one.system: place for place, one in enumerate(self.members)}
        found = np.eye(len(places))
        for one in self.pairs:
            value: Estimate | None = getattr(one, figure)
            row, column = places[one.a], places[one.b]
            found[row, column] = found[column, row] = np.nan if value is None else value.value
        return found

    def most(self) -> MemberWorth:
        """The system that adds most to the vote; ties go to the first."""
        return max(self.members, key=lambda one: one.adds.value)


def agreement_of(given: Decisions, *, sampling: Sampling) -> Agreed:
    """Compute all statistics, with intervals over groups of items."""

    def found(figure: ByWeight, ends: tuple[float, float] = SHARE) -> Estimate | None:
        if np.isnan(figure(np.ones((len(given.groups), 1)))[0]):
            return None
        interval = bootstrap(
            figure, given.groups, resamples=sampling.resamples, seed=sampling.seed, ends=ends
        )
        return estimate(interval)

    def mean(values: NDArray[Any], ends: tuple[float, float] = SHARE) -> Estimate:
        return found(agreement.mean_by_weight(values.astype(np.float64)), ends) or Estimate(float("nan"))

    vote = agreement.vote_right(given.decided, given.right)
    pairs = []
    for a, b in combinations(range(len(given.systems)), 2):
        same = given.decided[a], given.decided[b]
        correlation = None
        if given.correlations is not None:
            correlation = found(agreement.mean_by_weight(given.correlations[a, b]), _BOTH_SIDES)
        pairs.append(
            PairAgreement(
                given.systems[a],
                given.systems[b],
                same=found(agreement.same_by_weight(*same)) or Estimate(float("nan")),
                kappa=found(agreement.kappa_by_weight(*same), _BOTH_SIDES),
                shared_errors=found(agreement.shared_errors_by_weight(~given.right[a], ~given.right[b])),
                correlation=correlation,
            )
        )
    members = tuple(
        MemberWorth(name, mean(given.right[place]), mean(_gained(given, vote, place), _BOTH_SIDES))
        for place, name in enumerate(given.systems)
    )
    return Agreed(tuple(pairs), members, mean(vote), mean(np.asarray(given.right.any(axis=0))))


def _gained(given: Decisions, vote: NDArray[np.bool_], place: int) -> NDArray[np.float64]:
    """The gain of the full vote over that without a system, item by item."""
    others: Sequence[int] = [one for one in range(len(given.systems)) if one != place]
    without = agreement.vote_right(given.decided[others], given.right[others])
    return vote.astype(np.float64) - without
