"""Measure a TREC run against TREC judgements: trec_eval's figures, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError
from textkin.metrics.measure import Average, Measure, expand
from textkin.metrics.ranked import RankedResult, evaluate
from textkin.readers.trec import read_qrels, read_run
from textkin.stats.interval import Interval, bootstrap_means


@final
@dataclass(frozen=True, slots=True, eq=False)
class MeasureResult:
    """What a run scores.

    Attributes:
        queries: how many queries are judged; all of them count.
        missing: judged queries that the run does not have; they score zero.
        unjudged: queries of the run without judgements; they don't count.
        figures: the figure of each measure with its 95 % interval; counts are exact, their interval is a
            point.
        ranked: the values of the single queries.
    """

    queries: int
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    figures: Mapping[Measure, Interval]
    ranked: RankedResult

    def per_query(self) -> dict[str, dict[Measure, float]]:
        """The values of every judged query, by query and measure."""
        rows = zip(*(values.tolist() for values in self.ranked.values.values()), strict=True)
        return {
            query: dict(zip(self.ranked.values, row, strict=True))
            for query, row in zip(self.ranked.query_ids, rows, strict=True)
        }


def measure(
    qrels: Path, run: Path, measures: Sequence[str], *, resamples: int = 1000, seed: int = 0
) -> MeasureResult:
    """Read both files and compute the measures, by textkin's names (``nDCG@10``) or trec_eval's.

    Raises:
        UsageError: no measure is asked for, or one has an unknown name.
        DataError: a file is not what it must be.
    """
    wanted = expand(measures)
    if not wanted:
        raise UsageError("no measure is asked for", fix="name some, such as AP and nDCG@10")
    ranked = evaluate(read_run(run), read_qrels(qrels), wanted)
    return MeasureResult(
        queries=len(ranked.query_ids),
        missing=ranked.missing,
        unjudged=ranked.unjudged,
        figures=intervals(ranked, resamples=resamples, seed=seed),
        ranked=ranked,
    )


def intervals(ranked: RankedResult, *, resamples: int = 1000, seed: int = 0) -> dict[Measure, Interval]:
    """The figures with 95 % bootstrap intervals over queries; all measures see the same resamples.

    A geometric mean is the exponential of a mean of logarithms, and so are the ends of its interval.
    """
    n = len(ranked.query_ids)
    exact = {one: ranked.figure(one) for one in ranked.values}
    figures = {one: Interval(value, value, value, n) for one, value in exact.items()}
    averaged = [one for one in ranked.values if one.average is not Average.SUM]
    if averaged:
        rows = np.stack([_to_average(one, ranked.values[one]) for one in averaged])
        means = bootstrap_means(rows, resamples=resamples, seed=seed)
        figures.update((one, _from_average(one, mean)) for one, mean in zip(averaged, means, strict=True))
    return figures


def _to_average(one: Measure, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(values) if one.average is Average.GEOMETRIC else values


def _from_average(one: Measure, mean: Interval) -> Interval:
    if one.average is not Average.GEOMETRIC:
        return mean
    value, low, high = np.exp([mean.value, mean.low, mean.high]).tolist()
    return Interval(value, low, high, mean.n)
