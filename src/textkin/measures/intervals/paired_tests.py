"""Paired tests of the difference between two systems on the same data.

Paired randomisation test (Fisher; Noreen 1989): if the systems were equal, it wouldn't matter which of their
two results is called A. So the labels are swapped at random, unit by unit, many times. The two-sided p value
is (1 + rounds with at least this difference) / (1 + rounds), so it is never zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import BySwap, ByWeight, PairMeasure, SwapMeasure
from textkin.measures.intervals.bootstrap import batch_sizes, components, figure_draws, mean_draws
from textkin.measures.intervals.standard_errors import effective_units, limits, spread, standard_error

_Scores = Floats | Bools
_RESAMPLES = 1000
_ROUNDING = 1e-12  # sums of the same numbers in another order count as equal


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two systems, A minus B.

    Attributes:
        value: metric of A minus metric of B.
        low: lower bound of the paired 95 % interval.
        high: upper bound of the paired 95 % interval.
        p: two-sided p value of the paired randomisation test.
        rounds: rounds of that test; the smallest possible p is 1 / (1 + rounds).
        n: number of independent units (queries, components).
        standard_error: standard error of ``value``, from resamples of the units.
    """

    value: float
    low: float
    high: float
    p: float
    rounds: int
    n: int
    standard_error: float

    def within(self, most: float) -> Difference:
        """The difference with an interval that ends where none can lie, at ``most`` in both directions.

        If all units have the same difference, others may have another, as many as Wilson's limit allows. A
        single unit still has no interval.
        """
        if not isfinite(self.low):
            return self
        low, high = self.low, self.high
        if self.standard_error <= _ROUNDING * most:
            others = limits(0.0, 0.0, units=self.n)[1]
            low, high = self.value - others * (most + self.value), self.value + others * (most - self.value)
        return replace(self, low=max(low, -most), high=min(high, most))


def paired_randomisation(
    a: Floats, b: Floats, *, rounds: int = 10_000, resamples: int = _RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two systems by their values on the same queries, both of shape [queries].

    Raises:
        DataError: the shapes differ, or there are no queries.
    """
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise DataError(f"can't pair values of shapes {a.shape} and {b.shape}", value=(a.shape, b.shape))
    differences = a - b
    n = len(differences)
    hits = _hits(differences / n, rounds=rounds, seed=seed)
    [drawn] = mean_draws(differences[None, :], resamples=resamples, seed=seed)
    return difference_of(float(differences.mean()), spread(drawn, n), units=n, hits=hits, rounds=rounds, n=n)


def compare_shares(
    a: Floats,
    b: Floats,
    clusters: Ints,
    *,
    rounds: int = 10_000,
    resamples: int = _RESAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare two systems by a mean over pairs, such as accuracy.

    Rounds and resamples take whole components, as in :func:`compare_scores`. Sums over components suffice.

    Args:
        a: result of A on each pair: 1 if correct, or the mean over its seeds. Shape [pairs].
        b: result of B on each pair. Shape [pairs].
        clusters: the component of each pair, shape [pairs].
        rounds: rounds of the randomisation test.
        resamples: resamples of the bootstrap.
        seed: seed of both.

    Raises:
        DataError: the shapes differ, or there are no pairs.
    """
    if not a.shape == b.shape == clusters.shape:
        raise DataError(f"can't pair values of shapes {a.shape} and {b.shape}", value=(a.shape, b.shape))
    n, member = components(clusters)
    gains, sizes = np.bincount(member, weights=a - b), np.bincount(member).astype(np.float64)
    hits = _hits(gains / len(a), rounds=rounds, seed=seed)

    def gained(counts: Floats) -> Floats:
        return np.asarray((gains @ counts) / (sizes @ counts))

    units = np.arange(n)
    drawn = figure_draws(gained, units, n, resamples=resamples, seed=seed)
    error = standard_error(gained, drawn, units, n).value
    worth = effective_units(member)
    found = difference_of(float(gains.sum() / len(a)), error, units=worth, hits=hits, rounds=rounds, n=n)
    return found.within(1.0)


def compare_scores(
    labels: Floats,
    scores_a: _Scores,
    scores_b: _Scores,
    clusters: Ints,
    *,
    measure: PairMeasure,
    rounds: int = 10_000,
    resamples: int = _RESAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare two systems by a metric of all pairs together, such as average precision.

    With several seeds of a system, the metric is its mean over the seeds. A round of the test swaps the
    scores of A and B for the pairs of some components. That requires scores on one scale, so the scores of
    each system are first replaced by their ranks, which changes no ranking measure. Decisions (an array of
    bools, for accuracy or F1 at 0.5) are on one scale already and stay unchanged.

    Args:
        labels: shape [pairs].
        scores_a: shape [pairs] or [seeds, pairs].
        scores_b: shape [pairs] or [seeds, pairs]; as many seeds as ``scores_a`` if both have several.
        clusters: the component of each pair, shape [pairs].
        measure: the metric.
        rounds: rounds of the randomisation test.
        resamples: resamples of the bootstrap.
        seed: seed of both.

    Raises:
        DataError: shapes don't match, or the metric is undefined on these pairs.
    """
    side_a, side_b = _paired_seeds(labels, scores_a, scores_b)
    n, member = components(clusters)

    def difference(weights: Floats) -> Floats:
        return figure_a(weights) - figure_b(weights)

    figure_a, figure_b = (_mean_of([measure(labels, row) for row in side]) for side in (side_a, side_b))
    observed = float(difference(np.ones((len(labels), 1)))[0])
    if np.isnan(observed):
        raise DataError("the figure is undefined on these pairs", fix="give pairs of both kinds")
    change = _by_swap(measure, labels, _ranked(side_a), _ranked(side_b), member)
    rng = np.random.default_rng(seed)
    hits = 0
    for size in batch_sizes(rounds, 2 * len(labels)):
        changes = change(_swaps(rng, n, size))
        hits += int(np.sum(np.abs(changes) >= abs(observed) - _ROUNDING))
    drawn = figure_draws(difference, member, n, resamples=resamples, seed=seed)
    # If the systems are equal, the units move the difference in both directions alike. Student's limits are
    # then conservative, and a few influential units need no correction.
    error = standard_error(difference, drawn, member, n).value
    return difference_of(observed, error, units=effective_units(member), hits=hits, rounds=rounds, n=n)


def _hits(gains: Floats, *, rounds: int, seed: int) -> int:
    """The number of rounds with a sum of gains at least as large as observed, in either direction."""
    rng = np.random.default_rng(seed)
    observed, hits = gains.sum(), 0
    for size in batch_sizes(rounds, len(gains)):
        kept_minus_swapped = observed - 2 * (gains @ _swaps(rng, len(gains), size))
        hits += int(np.sum(np.abs(kept_minus_swapped) >= abs(observed) - _ROUNDING))
    return hits


def _paired_seeds(labels: Floats, scores_a: _Scores, scores_b: _Scores) -> list[Floats]:
    """Both systems' scores, each of shape [seeds, pairs]; a single run is paired with all seeds."""
    if any(np.shape(scores)[-1:] != labels.shape for scores in (scores_a, scores_b)):
        raise DataError(
            f"{len(labels)} labels, but scores of shapes {scores_a.shape} and {scores_b.shape}",
            value=(scores_a.shape, scores_b.shape),
        )
    sides = [np.atleast_2d(scores) for scores in (scores_a, scores_b)]
    seeds = max(len(side) for side in sides)
    if any(len(side) not in (1, seeds) for side in sides):
        raise DataError(
            f"{len(sides[0])} seeds of A and {len(sides[1])} of B can't be paired",
            params=("seeds",),
            value=(len(sides[0]), len(sides[1])),
        )
    return [np.broadcast_to(side, (seeds, len(labels))) for side in sides]


def _ranked(scores: Floats) -> Floats:
    if scores.dtype == np.bool_:
        return scores.astype(np.float64)
    return np.stack([_middle_ranks(row) for row in scores])


def _middle_ranks(values: Floats) -> Floats:
    """The rank of each value as a fraction of all; ties share the middle rank."""
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: Floats = (np.cumsum(counts) - counts / 2) / len(values)
    return middles[group]


def _mean_of(figures: Sequence[ByWeight]) -> ByWeight:
    def figure(weights: Floats) -> Floats:
        return np.stack([one(weights) for one in figures]).mean(axis=0)

    return figure


def _by_swap(measure: PairMeasure, labels: Floats, side_a: Floats, side_b: Floats, member: Ints) -> BySwap:
    """The mean difference over the seeds under swaps; both sides of shape [seeds, pairs]."""
    seeds = list(zip(side_a, side_b, strict=True))
    if isinstance(measure, SwapMeasure):
        return _mean_of([measure.by_swap(labels, a, b, member) for a, b in seeds])
    joint = _mean_of([measure(np.tile(labels, 2), np.concatenate(rows)) for rows in seeds])

    def change(swapped: Floats) -> Floats:
        of_pairs = swapped[member]
        taken_as_a = np.concatenate((1.0 - of_pairs, of_pairs))
        figure = joint(taken_as_a)
        figure -= joint(np.subtract(1.0, taken_as_a, out=taken_as_a))
        return figure

    return change


def _swaps(rng: np.random.Generator, units: int, rounds: int) -> Floats:
    """1 where a unit's results are swapped in a round, else 0. Shape [units, rounds]."""
    return rng.integers(0, 2, size=(units, rounds), dtype=np.bool_).astype(np.float64)


def difference_of(
    observed: float, error: float, *, units: float, hits: int, rounds: int, n: int
) -> Difference:
    """The difference with its interval and p value.

    Args:
        observed: A minus B.
        error: standard error of the difference.
        units: effective number of units of equal size.
        hits: number of rounds with at least this difference.
        rounds: rounds of the test.
        n: number of units.
    """
    low, high = limits(observed, error, units=units, ends=None)
    return Difference(observed, low, high, (1 + hits) / (1 + rounds), rounds, n, error)


def holm(p_values: Floats) -> Floats:
    """P values adjusted for multiple tests, in input order, shape [tests].

    Holm (1979): the smallest is multiplied by the number of tests, the next by one less, and so on;
    non-decreasing in that order and at most 1. Controls the probability of any false claim, whatever the
    dependence of the tests.
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def least_p(rounds: int, units: int) -> float:
    """The smallest possible p of a paired randomisation test, before any correction.

    It is limited by the number of rounds and, with few units, by the two most extreme of all exchanges.

    Args:
        rounds: rounds of the test.
        units: number of units that are exchanged.
    """
    return max(1 / (1 + rounds), 2.0 ** (1 - units))


def smallest_difference(standard_error: float, *, level: float = 0.05, power: float = 0.8) -> float:
    """Minimum detectable difference of a two-sided test, with probability ``power``.

    Normal approximation: (z of 1 - level / 2, plus z of power) standard errors. A smaller difference may be
    real and stay undetected. "Not significant" then says little about the systems and much about the test
    set.

    Args:
        standard_error: standard error of the paired difference, as in
            :class:`textkin.measures.intervals.paired_tests.Difference`.
        level: level of the test; divide it by the number of comparisons to allow for a correction.
        power: probability of detecting the difference.
    """
    from scipy.special import ndtri

    return float((ndtri(1.0 - level / 2) + ndtri(power)) * standard_error)
