"""Measure a TREC run against TREC judgements: trec_eval's figures, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.counts import count
from textkin.base.errors import invalid, unknown_choice
from textkin.base.results import Result, ResultRow
from textkin.base.standard_streams import refuse_two_inputs
from textkin.base.text_table import text_table, tsv_text
from textkin.data.ranking import without_identical_ids
from textkin.data.records import Qrels, Run
from textkin.kinds.foreign_runs import nothing_judged, odd_scores, run_of, unjudged, without_judgements
from textkin.kinds.ranked_intervals import intervals
from textkin.kinds.systems.predictions import some
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.sampling import MOST_RESAMPLES, check_draws
from textkin.measures.metrics.measure_names import Average, Measure, expand, named, parse
from textkin.measures.metrics.ranked import RankedResult, evaluate
from textkin.verbs.evaluate.ranking_inputs import qrels_of

_GRADES = tuple(range(-2, 11))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasureResult(Result):
    """Metrics of a run.

    Attributes:
        queries: number of judged queries; all of them count.
        missing: judged queries that the run does not have; they score zero.
        unjudged: queries of the run without judgements; they don't count.
        figures: the figure of each measure with its 95 % interval; counts are exact, their interval is a
            point.
        ranked: the values of the single queries.
        notes: oddities of the run's scores.
        shows_queries: True to print the values of each query.

    Example:
        >>> import textkin as tk
        >>> run, qrels = tk.Run.from_dict({"q1": {"d1": 2.0}}), tk.Qrels.from_dict({"q1": {"d1": 1}})
        >>> tk.measure(run, qrels, measures=["MAP"]).queries
        1
    """

    queries: int
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    figures: Mapping[Measure, Interval]
    ranked: RankedResult
    notes: tuple[str, ...] = ()
    shows_queries: bool = False

    def __getitem__(self, place: Any) -> Any:
        """The value of a measure by its name, such as "ndcg@10"; the row at a place, or rows of a slice.

        Raises:
            UsageError: no such measure was asked for.
        """
        if not isinstance(place, str):
            return Result.__getitem__(self, place)
        found = self.figures.get(parse(place))
        if found is None:
            raise unknown_choice("measure", place, map(str, self.figures))
        return found.value

    def _rows(self) -> Iterator[ResultRow]:
        for measure, figure in self.figures.items():
            yield {"measure": str(measure), "value": figure.value, "low": figure.low, "high": figure.high}

    def _said(self) -> tuple[str, ...]:
        missing = f", {len(self.missing):,} of them not in the run" if self.missing else ""
        return (f"{count(self.queries, 'judged query')}{missing}", *self._others())

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

    def text(self) -> str:
        """The table, or tab-separated values of each query."""
        if self.shows_queries:
            return tsv_text(("measure", "query", "value"), self._lines())
        rows = [
            (str(one), _shown(one, found.value), _interval(one, found)) for one, found in self.figures.items()
        ]
        shown = text_table(("measure", "value", "95 % interval"), rows)
        return f"{shown}\n\n{count(self.queries, 'judged query')}"

    def _summary(self) -> str:
        name, found = next(iter(self.figures.items()))
        return f"{count(self.queries, 'judged query')}, {name} {_shown(name, found.value)}"

    def as_dict(self) -> dict[str, Any]:
        """The measures with their intervals, and the values of queries if they are shown."""
        figures = {
            str(one): {"value": found.value, "low": found.low, "high": found.high}
            for one, found in self.figures.items()
        }
        found: dict[str, Any] = {"queries": self.queries, "measures": figures}
        return found | {"per_query": self.per_query()} if self.shows_queries else found

    def warnings(self) -> tuple[str, ...]:
        """Queries that are missing or not judged, and odd scores, in sentences."""
        asked = count(len(self.missing), "judged query")
        missing = [f"{asked} not in the run, scored as zero: {some(self.missing)}"] if self.missing else []
        return (*missing, *self._others())

    def _others(self) -> tuple[str, ...]:
        return (*([without_judgements(self.unjudged)] if self.unjudged else []), *self.notes)

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        for query, values in self.per_query().items():
            for one, value in values.items():
                yield str(one), query, _shown(one, value)
        for one, found in self.figures.items():
            yield str(one), "all", _shown(one, found.value)


def measure(
    run: Any,
    qrels: Any,
    measures: Sequence[str | Callable[..., float]] = ("official",),
    *,
    drop_identical_ids: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> MeasureResult:
    """Measure a run against judgements, see :func:`textkin.measure`.

    Raises:
        UsageError: no measure is asked for, one has an unknown name, or ``resamples`` is out of range.
        DataError: a file has errors, or the run shares no query with the judgements.
    """
    refuse_two_inputs({"run": run, "qrels": qrels})
    wanted = expand(named(measures))
    if not wanted:
        raise invalid("measures", (), expected="at least one, such as nDCG@10")
    check_draws("resamples", resamples, most=MOST_RESAMPLES)
    if isinstance(run, Qrels) and isinstance(qrels, Run):
        run, qrels = qrels, run
    scored, judged = run_of(run), qrels_of(qrels)
    if not isinstance(run, Run) and not isinstance(qrels, Qrels):
        _refuse_exchanged(scored, judged)
    if drop_identical_ids:
        scored = without_identical_ids(scored)
    if len(scored.doc_ids):  # who finds nothing has zero
        unjudged(scored.name, scored, judged)
    ranked = evaluate(scored, judged, wanted)
    return MeasureResult(
        queries=len(ranked.query_ids),
        missing=ranked.missing,
        unjudged=ranked.unjudged,
        figures=intervals(ranked, resamples=resamples, seed=seed),
        ranked=ranked,
        notes=(*nothing_judged(scored.name, scored, judged), *odd_scores(scored.name, scored)),
    )


def _refuse_exchanged(run: Run, qrels: Qrels) -> None:
    """Refuse judgements that look like scores, before scores that look like judgements.

    Other libraries take judgements first.

    Raises:
        UsageError: the run's scores are grades, and the judgements are none; or all are grades, and only the
            judgements rank.
    """
    if not np.isin(run.scores, _GRADES).all():
        return
    are_grades = bool(np.isin(qrels.relevance, _GRADES).all())
    if not are_grades or (_ranks(qrels.offsets, qrels.relevance) and not _ranks(run.offsets, run.scores)):
        query = int(np.diff(qrels.offsets).argmax())
        start, end = qrels.offsets[query : query + 2].tolist()
        raise invalid(
            "qrels",
            sorted(qrels.relevance[start:end].tolist(), reverse=True),
            expected="judgements: these look like scores, and those of `run` like judgements",
            fix="call measure(run, qrels); if they are in this order, give tk.Qrels.from_dict(qrels)",
        )


def _ranks(offsets: NDArray[np.int64], values: NDArray[Any]) -> bool:
    """True if the values order each query's documents: two above zero, or more than two, without ties."""
    deepest = int(np.diff(offsets).max(initial=0))
    if deepest < 2 or (deepest == 2 and values.min() <= 0):
        return False
    query = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((values, query))
    same = (np.diff(values[order]) == 0) & (np.diff(query[order]) == 0)
    return not same.any()


def _interval(one: Measure, found: Interval) -> str:
    return "" if one.average is Average.SUM else f"{found.low:.4f} to {found.high:.4f}"


def _shown(one: Measure, value: float) -> str:
    return f"{value:.0f}" if one.average is Average.SUM else f"{value:.4f}"
