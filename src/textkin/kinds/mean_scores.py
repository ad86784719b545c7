"""What questions earn on average, with its interval, and what one system earns more than another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.kinds.pair_figures import Sampling
from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.paired_tests import Difference, compare_shares

_Floats = NDArray[np.float64]


def mean_interval(
    values: _Floats,
    groups: NDArray[np.int64],
    *,
    inside: NDArray[np.bool_] | None = None,
    sampling: Sampling,
) -> Interval:
    """The mean of what questions earn, with its 95 % interval over their groups.

    Args:
        values: from 0 to 1, shape [questions].
        groups: the group of each question, shape [questions].
        inside: which of them count; None for all. Shape [questions].
        sampling: of the bootstrap.

    Raises:
        DataError: none of them counts.
    """
    chosen = slice(None) if inside is None else inside
    earned = values[chosen]

    def mean(weights: _Floats) -> _Floats:
        return np.asarray((earned @ weights) / weights.sum(axis=0))

    return bootstrap(mean, groups[chosen], resamples=sampling.resamples, seed=sampling.seed)


def mean_difference(
    mine: _Floats, theirs: _Floats, groups: NDArray[np.int64], *, sampling: Sampling, tests: int
) -> Difference:
    """How much more questions earn by one system than by another, tested over their groups.

    Args:
        mine: from 0 to 1, shape [questions].
        theirs: likewise.
        groups: the group of each question, shape [questions].
        sampling: of the test and the interval.
        tests: how many its p is corrected for.
    """
    return compare_shares(
        mine,
        theirs,
        groups,
        rounds=sampling.rounds_of(tests),
        resamples=sampling.resamples,
        seed=sampling.seed,
    )
