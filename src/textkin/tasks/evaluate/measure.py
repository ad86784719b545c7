"""Measure a TREC run against TREC judgements: trec_eval's figures, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.errors import UsageError
from textkin.evaluation.ranked_intervals import intervals
from textkin.metrics.measure import Measure, expand
from textkin.metrics.ranked import RankedResult, evaluate
from textkin.ranking import without_identical_ids
from textkin.readers.trec import read_qrels, read_run
from textkin.stats.interval import Interval


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
    qrels: Path,
    run: Path,
    measures: Sequence[str],
    *,
    drop_identical_ids: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> MeasureResult:
    """Read both files and compute the measures, by textkin's names (``nDCG@10``) or trec_eval's.

    With ``drop_identical_ids`` a document with the id of its query is left out of the run (BEIR's rule).

    Raises:
        UsageError: no measure is asked for, or one has an unknown name.
        DataError: a file is not what it must be.
    """
    wanted = expand(measures)
    if not wanted:
        raise UsageError("no measure is asked for", fix="name some, such as AP and nDCG@10")
    found = read_run(run)
    if drop_identical_ids:
        found = without_identical_ids(found)
    ranked = evaluate(found, read_qrels(qrels), wanted)
    return MeasureResult(
        queries=len(ranked.query_ids),
        missing=ranked.missing,
        unjudged=ranked.unjudged,
        figures=intervals(ranked, resamples=resamples, seed=seed),
        ranked=ranked,
    )
