"""Ranking measures with trec_eval's rules (version 9), computed for all queries at once.

Every judged query counts. A query that is missing from the run, or that has no relevant documents, scores
zero. A negative judgement means "in the pool but not judged": such a document is neither relevant nor known
to be irrelevant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints, is_new
from textkin.base.errors import DataError
from textkin.data.ranking import order
from textkin.data.records import Qrels, Run
from textkin.measures.metrics.judgement_lookup import match
from textkin.measures.metrics.map_variants import ScoredRows, mapk, optimistic, shuffled
from textkin.measures.metrics.measure_names import Measure
from textkin.measures.metrics.own_measure import own_measure

_NUMBER = re.compile("([0-9]+)")
_DEEPEST = 10  # of AvgRec, as in SemEval
_HALF = 32  # bits
_MOST_BINS = 4  # per judgement
_LOWEST_AP = 1e-5  # trec_eval's floor for geometric means


@dataclass(frozen=True, eq=False)
class RankedResult:
    """The results of a run, query by query.

    Attributes:
        query_ids: the judged queries, in judgement order. Shape [queries].
        values: the values of each measure, shape [queries]; NaN for queries that a measure excludes.
        missing: judged queries missing from the run; they score zero.
        unjudged: queries of the run without judgements; they don't count.
    """

    query_ids: tuple[str, ...]
    values: Mapping[Measure, Floats]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]

    def figure(self, measure: Measure) -> float:
        """The aggregate over all judged queries."""
        return measure.figure(self.values[measure])

    def drawn_from(self, measures: Sequence[Measure]) -> Floats:
        """The values in the order of the query ids, so that draws don't depend on the judgements' order.

        Shape [measures, queries].
        """
        return np.stack([self.values[measure] for measure in measures])[:, self._by_id]

    @cached_property
    def _by_id(self) -> list[int]:
        return sorted(range(len(self.query_ids)), key=lambda place: _natural(self.query_ids[place]))


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """The key of an id, whose numbers count by their values."""
    parts = enumerate(_NUMBER.split(name))
    numbers_at = ((part.lstrip("0") if place % 2 else part, place % 2) for place, part in parts)
    return [(len(part) * is_number, part) for part, is_number in numbers_at], name


def evaluate(run: Run, qrels: Qrels, measures: Sequence[Measure]) -> RankedResult:
    """Evaluate a run against judgements.

    Raises:
        DataError: no query is judged, or a score is NaN.
    """
    if not qrels.query_ids:
        raise DataError("there are no judged queries to measure on", fix="check the file of judgements")
    judged_query = np.arange(len(run.query_ids))
    if run.query_ids != qrels.query_ids:
        position = {query: index for index, query in enumerate(qrels.query_ids)}
        judged_query = np.array([position.get(query, -1) for query in run.query_ids], dtype=np.int64)
    table = _Retrieved.of(run, qrels, judged_query)
    present = np.zeros(len(qrels.query_ids), dtype=bool)
    present[judged_query[judged_query >= 0]] = True
    return RankedResult(
        query_ids=qrels.query_ids,
        values={measure: _values(table, measure) for measure in measures},
        missing=tuple(qrels.query_ids[index] for index in np.flatnonzero(~present)),
        unjudged=tuple(run.query_ids[index] for index in np.flatnonzero(judged_query < 0)),
    )


def _values(table: _Retrieved, measure: Measure) -> Floats:
    """A measure's value of each query, shape [queries]."""
    if not measure.is_own:
        return _FORMULAS[measure.name](table, measure)
    return own_measure(measure, *table.judgements_by_rank(measure.cutoff))


@dataclass(frozen=True, eq=False)
class _Retrieved:
    """Common input of the measures: ranked judged documents, and the judgements.

    Attributes:
        queries: number of judged queries.
        retrieved: number of documents in the run for each query. Shape [queries].
        query, rank, level: index of the query, 1-based rank and judgement of each document that is retrieved
            and judged; by query, then rank. Shape [found].
        score: score of these documents. Shape [found].
        every: all retrieved documents, judged or not.
        judged_query, judged_level: all judgements, retrieved or not. Shape [judgements].
    """

    queries: int
    retrieved: Ints
    query: Ints
    rank: Ints
    level: Ints
    score: Floats
    every: _Every
    judged_query: Ints
    judged_level: Ints

    @classmethod
    def of(cls, run: Run, qrels: Qrels, judged_query: Ints) -> _Retrieved:
        """Rank the run and look up the judgements."""
        queries, lengths = len(qrels.query_ids), np.diff(run.offsets)
        found = match(run, qrels, judged_query)
        ranking = order(run)
        place = ranking
        if (ranking[1:] < ranking[:-1]).any():
            place = np.empty(len(ranking), dtype=np.int64)
            place[ranking] = np.arange(len(ranking))
        own_query = np.repeat(np.arange(len(lengths)), np.diff(np.searchsorted(found.rows, run.offsets)))
        query, rank = judged_query[own_query], place[found.rows] - run.offsets[own_query] + 1
        key = (query << _HALF) | rank
        by_rank = np.arange(len(key)) if (key[1:] > key[:-1]).all() else np.argsort(key)
        own = judged_query >= 0
        retrieved = np.zeros(queries, dtype=np.int64)
        retrieved[judged_query[own]] = lengths[own]
        return cls(
            queries=queries,
            retrieved=retrieved,
            query=query[by_rank],
            rank=rank[by_rank],
            level=qrels.relevance[found.judgements][by_rank],
            score=run.scores[found.rows][by_rank],
            every=_Every(run, judged_query, found.rows, qrels.relevance[found.judgements]),
            judged_query=np.repeat(np.arange(queries), np.diff(qrels.offsets)),
            judged_level=qrels.relevance,
        )

    def relevant(self, rel: int) -> _Relevant:
        """The retrieved documents judged ``rel`` or above."""
        if rel not in self.by_level:
            hit = self.level >= rel
            query = self.query[hit]
            self.by_level[rel] = _Relevant(
                queries=self.queries,
                query=query,
                rank=self.rank[hit],
                number=_number_within(query, self.queries),
                total=np.bincount(self.judged_query[self.judged_level >= rel], minlength=self.queries),
            )
        return self.by_level[rel]

    @cached_property
    def by_level(self) -> dict[int, _Relevant]:
        """Cache of :meth:`relevant`."""
        return {}

    def judgements_by_rank(self, cutoff: float | None) -> tuple[list[Ints], list[Ints]]:
        """For each query: the judgements of retrieved documents, best first, and all of its judgements.

        A document that isn't judged has judgement 0.
        """
        ranked = [np.zeros(count, dtype=np.int64) for count in self.retrieved]
        for query, rank, level in zip(self.query, self.rank, self.level, strict=True):
            ranked[query][rank - 1] = max(0, level)
        every = np.split(self.judged_level, np.searchsorted(self.judged_query, np.arange(1, self.queries)))
        return [one[: None if cutoff is None else int(cutoff)] for one in ranked], every

    def scored(self, rel: int) -> ScoredRows:
        """All retrieved documents of judged queries; hits are those judged ``rel`` or above."""
        query, score, level = self.every.rows()
        answered = self.relevant(rel).total > 0
        return ScoredRows(self.queries, query, score, level >= rel, answered)

    @cached_property
    def ideal(self) -> tuple[Ints, Ints, Ints]:
        """Query, rank and level of the positive judgements, in the ideal order. Shape [gains]."""
        gain = self.judged_level > 0
        query, level = self.judged_query[gain], self.judged_level[gain]
        most = int(level.max(initial=1))
        bins = self.queries * most
        if bins <= _MOST_BINS * len(level):  # counting sort, as there are few levels
            each, counts = np.arange(bins), np.bincount(query * most + (most - level), minlength=bins)
            query, level = np.repeat(each // most, counts), np.repeat(most - each % most, counts)
        else:
            best = np.lexsort((-level, query))
            query, level = query[best], level[best]
        return query, _number_within(query, self.queries), level

    def sums(self, query: Ints, weights: Floats) -> Floats:
        """Sum of ``weights`` of each query."""
        return np.bincount(query, weights=weights, minlength=self.queries).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Every:
    """All retrieved documents.

    Attributes:
        run: the run that has them.
        judged_query: the judged query of each query of the run, below 0 for none. Shape [queries of the run].
        judged: rows of the judged documents. Shape [found].
        level: judgement of these documents. Shape [found].
    """

    run: Run
    judged_query: Ints
    judged: Ints
    level: Ints

    def rows(self) -> tuple[Ints, Floats, Ints]:
        """Query, score and judgement of the documents of judged queries.

        The judgement is negative if there is none.
        """
        level = np.full(len(self.run.scores), -1, dtype=np.int64)
        level[self.judged] = self.level
        query = np.repeat(self.judged_query, np.diff(self.run.offsets))
        known = query >= 0
        return query[known], self.run.scores[known], level[known]


@dataclass(frozen=True, slots=True, eq=False)
class _Relevant:
    """Relevant documents in rank order.

    Attributes:
        queries: number of judged queries.
        query: index of the query. Shape [hits].
        rank: 1-based rank. Shape [hits].
        number: number of relevant documents of the query at this rank or above. Shape [hits].
        total: number of relevant documents of each query, retrieved or not. Shape [queries].
    """

    queries: int
    query: Ints
    rank: Ints
    number: Ints
    total: Ints

    @property
    def precision(self) -> Floats:
        """Precision at each hit, shape [hits]."""
        return self.number / self.rank

    def within(self, depth: float | Ints | None) -> Bools:
        """True for hits at ``depth`` or above; one depth for all, or one per query."""
        if depth is None:
            return np.ones(len(self.rank), dtype=bool)
        return self.rank <= (depth[self.query] if isinstance(depth, np.ndarray) else depth)

    def count(self, depth: float | Ints | None) -> Floats:
        """Relevant documents down to ``depth``, shape [queries]."""
        return np.bincount(self.query[self.within(depth)], minlength=self.queries).astype(np.float64)

    def share(self, amount: Floats) -> Floats:
        """``amount`` divided by the number of relevant documents; zero if there are none."""
        return amount / np.maximum(self.total, 1)


def _average_precision(table: _Retrieved, measure: Measure) -> Floats:
    hits = table.relevant(measure.rel)
    kept = hits.within(measure.cutoff)
    return hits.share(table.sums(hits.query[kept], hits.precision[kept]))


def _average_recall(table: _Retrieved, measure: Measure) -> Floats:
    """SemEval 2016 task 3's score: at each depth, the hits of all queries over the maximum possible.

    It is a quotient of sums, so a single query has no value: see :func:`_of_quotient`.
    """
    hits = table.relevant(measure.rel)
    depths = range(1, int(measure.cutoff or _DEEPEST) + 1)
    parts = [
        _of_quotient(hits.count(depth), np.minimum(hits.total, depth).astype(np.float64)) for depth in depths
    ]
    return np.asarray(np.mean(parts, axis=0))


def _accuracy(table: _Retrieved, measure: Measure) -> Floats:
    """Accuracy over all judged documents.

    Documents at or above the score are called relevant, those not retrieved never are.
    """
    judged = table.judged_level >= 0
    known = np.bincount(table.judged_query[judged], minlength=table.queries).astype(np.float64)
    called = (table.level >= 0) & (table.score >= (measure.cutoff or 0.0))
    gained = np.where(table.level >= measure.rel, 1.0, -1.0)
    right = known - table.relevant(measure.rel).total + table.sums(table.query[called], gained[called])
    return _of_quotient(right, known)


def _of_quotient(amount: Floats, whole: Floats) -> Floats:
    """Values of queries whose mean is sum(amount) / sum(whole), with the spread of the quotient.

    The linearisation of a ratio, by which its standard error is estimated (Cochran, "Sampling Techniques",
    1977). All of shape [queries].
    """
    total = float(whole.sum())
    quotient = float(amount.sum()) / total if total else 0.0
    return quotient + (amount - quotient * whole) * len(whole) / (total or 1.0)


def _reciprocal_rank(table: _Retrieved, measure: Measure) -> Floats:
    hits = table.relevant(measure.rel)
    first = hits.within(measure.cutoff) & (hits.number == 1)
    return table.sums(hits.query[first], 1.0 / hits.rank[first])


def _precision(table: _Retrieved, measure: Measure) -> Floats:
    assert measure.cutoff is not None  # noqa: S101 - Measure refuses to be made without
    return table.relevant(measure.rel).count(measure.cutoff) / measure.cutoff


def _recall(table: _Retrieved, measure: Measure) -> Floats:
    hits = table.relevant(measure.rel)
    return hits.share(hits.count(measure.cutoff))


def _r_precision(table: _Retrieved, measure: Measure) -> Floats:
    hits = table.relevant(measure.rel)
    return hits.share(hits.count(hits.total))


def _ndcg(table: _Retrieved, measure: Measure) -> Floats:
    """nDCG: gain is the judgement, discount log2(rank + 1), ideal of all judged."""
    depth = np.inf if measure.cutoff is None else measure.cutoff

    def gained(query: Ints, rank: Ints, level: Ints) -> Floats:
        kept = (level > 0) & (rank <= depth)
        return table.sums(query[kept], level[kept] / np.log2(rank[kept] + 1.0))

    ideal = gained(*table.ideal)
    return gained(table.query, table.rank, table.level) / np.where(ideal > 0, ideal, 1.0)


def _binary_preference(table: _Retrieved, measure: Measure) -> Floats:
    """Buckley and Voorhees 2004, as in trec_eval: at most R irrelevant documents count."""
    wrong = (table.level >= 0) & (table.level < measure.rel)
    wrong_so_far = np.cumsum(wrong)
    start = np.searchsorted(table.query, table.query)
    wrong_before = wrong_so_far - wrong_so_far[start] + wrong[start]
    hit = table.level >= measure.rel
    query, above = table.query[hit], wrong_before[hit]
    hits = table.relevant(measure.rel)
    judged_wrong = (table.judged_level >= 0) & (table.judged_level < measure.rel)
    pool = np.bincount(table.judged_query[judged_wrong], minlength=table.queries)
    most = np.minimum(pool, hits.total)[query]
    return hits.share(table.sums(query, 1.0 - np.minimum(above, hits.total[query]) / np.maximum(most, 1)))


def _interpolated_precision(table: _Retrieved, measure: Measure) -> Floats:
    """Best precision at or below the rank of the required number of relevant documents.

    trec_eval 9 requires (long)(recall * R + 0.9) of them, in double precision: 2 for recall 0.7 of R = 3.
    """
    assert measure.cutoff is not None  # noqa: S101 - Measure refuses to be made without
    hits = table.relevant(measure.rel)
    needed = (measure.cutoff * hits.total.astype(np.float64) + 0.9).astype(np.int64)
    enough = hits.number >= needed[hits.query]
    query, precision = hits.query[enough], hits.precision[enough]
    best = np.zeros(table.queries)
    if len(query):
        starts = np.flatnonzero(is_new(query))
        best[query[starts]] = np.maximum.reduceat(precision, starts)
    return best


def _number_within(query: Ints, queries: int) -> Ints:
    """1-based index of each row within its query; ``query`` is sorted."""
    counts = np.bincount(query, minlength=queries)
    return np.arange(1, len(query) + 1) - (np.cumsum(counts) - counts)[query]


_FORMULAS: dict[str, Callable[[_Retrieved, Measure], Floats]] = {
    "MAP": _average_precision,
    "MAP(mapk)": lambda table, measure: mapk(table.scored(measure.rel)),
    "MAP(shuffled)": lambda table, measure: shuffled(table.scored(measure.rel)),
    "MAP(optimistic)": lambda table, measure: optimistic(table.scored(measure.rel)),
    "AvgRec": _average_recall,
    "Accuracy": _accuracy,
    "GMAP": lambda table, measure: np.maximum(_average_precision(table, measure), _LOWEST_AP),
    "MRR": _reciprocal_rank,
    "nDCG": _ndcg,
    "P": _precision,
    "R": _recall,
    "Success": lambda table, measure: np.minimum(table.relevant(measure.rel).count(measure.cutoff), 1.0),
    "Rprec": _r_precision,
    "Bpref": _binary_preference,
    "IPrec": _interpolated_precision,
    "NumQ": lambda table, measure: np.ones(table.queries),
    "NumRet": lambda table, measure: table.retrieved.astype(np.float64),
    "NumRel": lambda table, measure: table.relevant(measure.rel).total.astype(np.float64),
    "NumRelRet": lambda table, measure: table.relevant(measure.rel).count(None),
}
