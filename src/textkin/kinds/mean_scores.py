"""Mean scores of questions with intervals, and differences between systems."""

from __future__ import annotations

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.kinds.pair_figures import Sampling
from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.paired_tests import Difference, compare_shares


def mean_interval(
    values: Floats,
    groups: Ints,
    *,
    inside: Bools | None = None,
    sampling: Sampling,
) -> Interval:
    """The mean score of questions, with its 95 % interval over groups.

    Args:
        values: scores from 0 to 1, shape [questions].
        groups: the group of each question, shape [questions].
        inside: a mask of the questions that count; None for all. Shape [questions].
        sampling: settings of the bootstrap.

    Raises:
        DataError: none of them counts.
    """
    chosen = slice(None) if inside is None else inside
    earned = values[chosen]

    def mean(weights: Floats) -> Floats:
        return np.asarray((earned @ weights) / weights.sum(axis=0))

    return bootstrap(mean, groups[chosen], resamples=sampling.resamples, seed=sampling.seed)


def mean_difference(
    mine: Floats, theirs: Floats, groups: Ints, *, sampling: Sampling, tests: int
) -> Difference:
    """The mean difference between two systems, tested over groups of questions.

    Args:
        mine: the first system's scores from 0 to 1, shape [questions].
        theirs: the second system's.
        groups: the group of each question, shape [questions].
        sampling: settings of the test and the interval.
        tests: the number of tests to correct for.
    """
    return compare_shares(
        mine,
        theirs,
        groups,
        rounds=sampling.rounds_of(tests),
        resamples=sampling.resamples,
        seed=sampling.seed,
    )
