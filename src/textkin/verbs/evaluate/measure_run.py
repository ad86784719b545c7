"""Measure a TREC run against TREC judgements: trec_eval's figures, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.base.argument_checks import checked
from textkin.base.errors import invalid
from textkin.base.python_inputs import a_path, several
from textkin.base.results import Result, ResultRow
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.ranking import without_identical_ids
from textkin.data.readers.trec import read_qrels, read_run
from textkin.data.records import Qrels, Run
from textkin.kinds.foreign_runs import odd_scores
from textkin.kinds.pair_figures import MOST_RESAMPLES, check_draws
from textkin.kinds.ranked_intervals import intervals
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.metrics.measure_names import Measure, expand
from textkin.measures.metrics.ranked import RankedResult, evaluate


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
        notes: what is odd about the run's scores.

    Example:
        >>> import textkin as tk
        >>> run, qrels = tk.Run.from_dict({"q1": {"d1": 2.0}}), tk.Qrels.from_dict({"q1": {"d1": 1}})
        >>> tk.measure(run, qrels=qrels, measures=["AP"]).queries
        1
    """

    queries: int
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    figures: Mapping[Measure, Interval]
    ranked: RankedResult
    notes: tuple[str, ...] = ()

    def _rows(self) -> Iterator[ResultRow]:
        for measure, figure in self.figures.items():
            yield {"measure": str(measure), "value": figure.value, "low": figure.low, "high": figure.high}

    def _said(self) -> tuple[str, ...]:
        missing = f", {len(self.missing):,} of them not in the run" if self.missing else ""
        return (f"{self.queries:,} judged queries{missing}", *self.notes)

    def per_query(self) -> dict[str, dict[Measure, float]]:
        """The values of every judged query, by query and measure."""
        rows = zip(*(values.tolist() for values in self.ranked.values.values()), strict=True)
        return {
            query: {
                measure: value
                for measure, value in zip(self.ranked.values, row, strict=True)
                if not math.isnan(value)  # left out of the mean
            }
            for query, row in zip(self.ranked.query_ids, rows, strict=True)
        }


@checked
def measure(
    data: Run | Path | str,
    *,
    qrels: Qrels | Path | str,
    measures: Sequence[str] = ("official",),
    drop_identical_ids: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> MeasureResult:
    """Measure a run against judgements, with intervals.

    Args:
        data: the run, or the path of its TREC file.
        qrels: the judgements, or the path of theirs.
        measures: by textkin's names (``nDCG@10``) or trec_eval's; "official" for its usual ones.
        drop_identical_ids: leave out documents with the id of their query (BEIR's rule).
        resamples: of the bootstrap.
        seed: of it.

    Raises:
        UsageError: no measure is asked for, one has an unknown name, or ``resamples`` is out of range.
        DataError: a file is not what it must be.

    Example:
        >>> import textkin as tk
        >>> run = tk.Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}})
        >>> qrels = tk.Qrels.from_dict({"q1": {"d2": 1}})
        >>> tk.measure(run, qrels=qrels, measures=["RR"]).rows()[0]["value"]
        0.5
    """
    refuse_two_inputs({"data": data, "qrels": qrels})
    wanted = expand(several(measures, "measures"))
    if not wanted:
        raise invalid("measures", (), expected="at least one, such as nDCG@10")
    check_draws("resamples", resamples, most=MOST_RESAMPLES)
    scored = data if isinstance(data, Run) else read_run(a_path(data, "run"))
    if drop_identical_ids:
        scored = without_identical_ids(scored)
    judged = qrels if isinstance(qrels, Qrels) else read_qrels(a_path(qrels, "qrels"))
    ranked = evaluate(scored, judged, wanted)
    return MeasureResult(
        queries=len(ranked.query_ids),
        missing=ranked.missing,
        unjudged=ranked.unjudged,
        figures=intervals(ranked, resamples=resamples, seed=seed),
        ranked=ranked,
        notes=tuple(odd_scores(scored.name, scored)),
    )
