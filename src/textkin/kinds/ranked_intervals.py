"""Metrics of rankings with bootstrap intervals over queries."""

import numpy as np

from textkin.base.arrays import Floats
from textkin.measures.intervals.bootstrap import Interval, bootstrap_means
from textkin.measures.intervals.standard_errors import SHARE
from textkin.measures.metrics.measure_names import Average, Measure
from textkin.measures.metrics.ranked import RankedResult


def intervals(ranked: RankedResult, *, resamples: int = 1000, seed: int = 0) -> dict[Measure, Interval]:
    """Metrics with 95 % bootstrap intervals over queries, on shared resamples.

    A measure that skips queries (NaN) resamples the others. The order of the judgements doesn't matter.

    A geometric mean is the exponential of a mean of logarithms, and so are the ends of its interval.
    """
    n = len(ranked.query_ids)
    exact = {one: ranked.figure(one) for one in ranked.values}
    figures = {one: Interval(value, value, value, n) for one, value in exact.items()}
    for average, ends in ((Average.MEAN, SHARE), (Average.GEOMETRIC, None)):
        averaged = [one for one in ranked.values if one.average is average]
        whole = [one for one in averaged if not np.isnan(ranked.values[one]).any()]
        for one in (each for each in averaged if each not in whole):
            [kept] = ranked.drawn_from([one])
            kept = kept[~np.isnan(kept)]
            if len(kept):  # without any, the value is 0
                (mean,) = bootstrap_means(kept[None, :], resamples=resamples, seed=seed, ends=ends)
                figures[one] = mean
        averaged = whole
        if averaged:
            values = zip(averaged, ranked.drawn_from(averaged), strict=True)
            rows = np.stack([_to_average(one, row) for one, row in values])
            means = bootstrap_means(rows, resamples=resamples, seed=seed, ends=ends)
            found = zip(averaged, means, strict=True)
            figures.update((one, _from_average(one, mean)) for one, mean in found)
    return figures


def _to_average(one: Measure, values: Floats) -> Floats:
    return np.log(values) if one.average is Average.GEOMETRIC else values


def _from_average(one: Measure, mean: Interval) -> Interval:
    if one.average is not Average.GEOMETRIC:
        return mean
    value, low, high = np.exp([mean.value, mean.low, mean.high]).tolist()
    return Interval(value, low, min(high, 1.0), mean.n)
