"""Bootstrap intervals: how far a figure would move on another sample of the same kind.

What is resampled is what was sampled: queries for ranking measures, connected components for pairs. The
resamples give a standard error (Efron 1979), ``standard_errors.py`` makes the ends of it. One random stream
from one seed, so the same call gives the same interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight
from textkin.measures.intervals.standard_errors import SHARE, limits, spread, standard_error

_Floats = NDArray[np.float64]
_BATCH = 8_000_000  # numbers in one batch of resamples


@final
@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its uncertainty.

    Attributes:
        value: the figure on all of the data.
        low: lower end.
        high: upper end.
        n: how many independent units (queries, components) it rests on.
    """

    value: float
    low: float
    high: float
    n: int


def bootstrap_means(
    values: _Floats,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    ends: tuple[float, float] | None = None,
) -> tuple[Interval, ...]:
    """Intervals of several means over the same queries, on the same resamples.

    Args:
        values: shape [measures, queries].
        resamples: how many.
        seed: of the random stream.
        confidence: how often an interval made like this holds the truth.
        ends: the least and the most that a value can be; None if there are none.

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
    clusters: NDArray[np.int64],
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    ends: tuple[float, float] = SHARE,
) -> Interval:
    """Interval of a figure of pairs, resampling whole components.

    Resamples on which the figure is undefined (none of the drawn pairs is positive, say) are left out.

    Args:
        figure: the figure by weights.
        clusters: the component of each pair, shape [pairs].
        resamples: how many.
        seed: of the random stream.
        confidence: how often an interval made like this holds the truth.
        ends: the least and the most that the figure can be.

    Raises:
        DataError: there are no pairs, or the figure is undefined on all of them.
    """
    n, member = components(clusters)
    value = float(figure(np.ones((len(member), 1)))[0])
    if np.isnan(value):
        raise DataError("the figure is undefined on these pairs", fix="give pairs of both kinds")
    draws = figure_draws(figure, member, n, resamples=resamples, seed=seed)
    error = standard_error(figure, draws, member, n)
    low, high = limits(value, error.value, units=error.units, ends=ends, confidence=confidence)
    return Interval(value, low, high, n)


def components(clusters: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """How many components there are, and the position of each pair's component among them.

    Raises:
        DataError: there are no pairs.
    """
    if not len(clusters):
        raise DataError("there is nothing to resample: no pairs")
    names, member = np.unique(clusters, return_inverse=True)
    return len(names), member


def mean_draws(values: _Floats, *, resamples: int, seed: int) -> _Floats:
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


def figure_draws(
    figure: ByWeight, member: NDArray[np.int64], n: int, *, resamples: int, seed: int
) -> _Floats:
    """The figure on each resample of ``n`` components, shape [resamples]."""
    rng = np.random.default_rng(seed)
    batches = resample_counts(rng, units=n, resamples=resamples, rows=len(member))
    return np.concatenate([figure(counts[member]) for counts in batches])


def resample_counts(
    rng: np.random.Generator, *, units: int, resamples: int, rows: int = 0
) -> Iterator[_Floats]:
    """How often each unit is drawn in each resample, in batches of shape [units, some of the resamples].

    Args:
        rng: where chance comes from.
        units: how many there are, and how many are drawn with replacement.
        resamples: how many in all.
        rows: size of what will be made of a batch, if larger than ``units``.
    """
    for size in batch_sizes(resamples, max(units, rows)):
        drawn = rng.integers(0, units, size=(size, units))
        drawn += np.arange(size)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=size * units).reshape(size, units)
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def batch_sizes(rounds: int, rows: int) -> Iterator[int]:
    """Cut ``rounds`` so that a batch of ``rows`` numbers a round fits into memory many times over."""
    size = max(1, _BATCH // max(rows, 1))
    for start in range(0, rounds, size):
        yield min(size, rounds - start)
