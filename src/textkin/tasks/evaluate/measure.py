"""Measure a TREC run against TREC judgements: trec_eval's figures, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.errors import UsageError
from textkin.evaluation.ranked_intervals import intervals
from textkin.metrics.measure import Measure, expand
from textkin.metrics.ranked import RankedResult, evaluate
from textkin.readers.trec import read_qrels, read_run
from textkin.results import Result, ResultRow
from textkin.stats.interval import Interval


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasureResult(Result):
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

    def _rows(self) -> Iterator[ResultRow]:
        for measure, figure in self.figures.items():
            yield {"measure": str(measure), "value": figure.value, "low": figure.low, "high": figure.high}

    def _said(self) -> tuple[str, ...]:
        missing = f", {len(self.missing):,} of them not in the run" if self.missing else ""
        return (f"{self.queries:,} judged queries{missing}",)

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
