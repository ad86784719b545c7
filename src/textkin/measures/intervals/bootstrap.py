"""Bootstrap intervals: the variation of a metric over samples of the same kind.

The resampled units are the sampled ones: queries for ranking measures, connected components for pairs. The
resamples give a standard error (Efron 1979), from which ``standard_errors.py`` computes the bounds. A single
random stream starts from the seed, so the same call gives the same interval.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.intervals.standard_errors import SHARE, limits, spread, standard_error

_BATCH = 8_000_000  # numbers in one batch of resamples


@dataclass(frozen=True, slots=True)
class Interval:
    """A metric with its confidence interval.

    Attributes:
        value: the metric on all of the data.
        low: lower bound.
        high: upper bound.
        n: number of independent units (queries, components).
    """

    value: float
    low: float
    high: float
    n: int


def bootstrap_means(
    values: Floats,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    ends: tuple[float, float] | None = None,
) -> tuple[Interval, ...]:
    """Intervals of several means over the same queries, on the same resamples.

    Args:
        values: shape [measures, queries].
        resamples: number of resamples.
        seed: seed of the random stream.
        confidence: coverage probability of the interval.
        ends: the smallest and the largest possible value; None if unbounded.

    Raises:
        DataError: there are no queries.
    """
    draws = mean_draws(values, resamples=resamples, seed=seed)
    n = values.shape[1]
    return tuple(
        Interval(
            float(row.mean()),
            *limits(float(row.mean()), spread(drawn, n), units=n, ends=ends, confidence=confidence),
            n,
        )
        for row, drawn in zip(values, draws, strict=True)
    )


def bootstrap(
    figure: ByWeight,
    clusters: Ints,
    *,
    resamples: int = 1000,
    seed: int = 0,
    ends: tuple[float, float] = SHARE,
) -> Interval:
    """Interval of a metric on pairs, resampling whole components.

    Resamples on which the metric is undefined (without positive pairs, for example) are skipped.

    Args:
        figure: the metric as a function of weights.
        clusters: the component of each pair, shape [pairs].
        resamples: number of resamples.
        seed: seed of the random stream.
        ends: the smallest and the largest possible value.

    Raises:
        DataError: there are no pairs, or the metric is undefined on all of them.
    """
    n, member = components(clusters)
    value = float(figure(np.ones((len(member), 1)))[0])
    if np.isnan(value):
        raise DataError("the figure is undefined on these pairs", fix="give pairs of both kinds")
    draws = figure_draws(figure, member, n, resamples=resamples, seed=seed)
    error = standard_error(figure, draws, member, n)
    low, high = limits(value, error.value, units=error.units, ends=ends)
    return Interval(value, low, high, n)


def components(clusters: Ints) -> tuple[int, Ints]:
    """The number of components, and the index of each pair's component.

    Raises:
        DataError: there are no pairs.
    """
    if not len(clusters):
        raise DataError("there is nothing to resample: no pairs")
    names, member = np.unique(clusters, return_inverse=True)
    return len(names), member


def mean_draws(values: Floats, *, resamples: int, seed: int) -> Floats:
    """The mean of each row of ``values`` [measures, queries] on each resample, shape [measures, resamples].

    Raises:
        DataError: there are no queries.
    """
    n = values.shape[1]
    if n == 0:
        raise DataError("there is nothing to resample: no queries")
    rng = np.random.default_rng(seed)
    sums = [values @ counts for counts in resample_counts(rng, units=n, resamples=resamples)]
    return np.divide(np.concatenate(sums, axis=1), n)


def figure_draws(figure: ByWeight, member: Ints, n: int, *, resamples: int, seed: int) -> Floats:
    """The metric on each resample of ``n`` components, shape [resamples]."""
    rng = np.random.default_rng(seed)
    batches = resample_counts(rng, units=n, resamples=resamples, rows=len(member))
    return np.concatenate([figure(counts[member]) for counts in batches])


def resample_counts(
    rng: np.random.Generator, *, units: int, resamples: int, rows: int = 0
) -> Iterator[Floats]:
    """Counts of each unit in each resample, in batches of shape [units, resamples of the batch].

    Args:
        rng: random generator.
        units: number of units, and of draws with replacement.
        resamples: number of resamples in all batches.
        rows: size of the arrays computed from a batch, if larger than ``units``.
    """
    for size in batch_sizes(resamples, max(units, rows)):
        drawn = rng.integers(0, units, size=(size, units))
        drawn += np.arange(size)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units)
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def batch_sizes(rounds: int, rows: int) -> Iterator[int]:
    """Split ``rounds`` into batches for which arrays of ``rows`` numbers a round fit into memory."""
    size = max(1, _BATCH // max(rows, 1))
    for start in range(0, rounds, size):
        yield min(size, rounds - start)
