"""Fit a collection's search weights and probabilities on judged queries."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError, inapplicable, invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.base.progress import progress
from textkin.collection.calibration.calibration_result import NDCG, CalibratedCollection, SearchFigures
from textkin.collection.calibration.fitted_search import FittedSearch, keep, systems_of
from textkin.collection.calibration.judged_queries import JudgedQueries
from textkin.collection.collection_model import CollectionModel
from textkin.collection.search.options import LEAST_DEPTH
from textkin.collection.search.rank_fusion import RERANKER, VECTORS, WORDS, Fused, run_of
from textkin.collection.search.rankings import both_runs, encoded, read_of_hits
from textkin.collection.search.reranker import RERANKED_AT_ONCE, Reranker
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.records import Hit, Qrels, Run
from textkin.kinds.judge import estimate
from textkin.kinds.ranked_intervals import intervals
from textkin.kinds.relevance import JudgedHits, RelevanceFigures, fit_for_goal, relevance_figures
from textkin.measures.decisions.combination import Combination, CombinedBy
from textkin.measures.decisions.combination_fit import cross_fitted, fit_combination, folds_of
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks, with_lowest
from textkin.measures.decisions.relevance import Hits
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.measure_names import parse
from textkin.measures.metrics.ranked import evaluate
from textkin.report.content import Estimate, ends_of
from textkin.vectors.index.rank_fusion import relevance_in

RRF, WEIGHTED, ALL_WEIGHTED = "reciprocal ranks", "weighted", "weighted with reranker"


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """Options for calibrating a collection.

    Attributes:
        goal: the goal of the probability threshold.
        k: the probability is fitted on this many hits per query, and holds for them.
        test: judged queries to evaluate the fit on; None for none.
        rerank_depth: the number of hits per query that a reranker sees.
        sampling: settings of intervals and folds.
    """

    goal: Goal = field(default_factory=lambda: Goal(Aim.F1))
    k: int = 10
    test: JudgedQueries | None = None
    rerank_depth: int = LEAST_DEPTH
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        check_fields(self)

    def check(self, reranker: Reranker | None) -> None:
        """Reject options that are out of range.

        Raises:
            UsageError: ``k`` is below 1, or above the search depth; or ``rerank_depth`` is below 1, or given
                without a reranker.
        """
        if self.rerank_depth < 1:
            raise invalid("rerank_depth", self.rerank_depth, expected="at least 1")
        if reranker is None and self.rerank_depth != LEAST_DEPTH:
            raise inapplicable("rerank_depth", to="a search without `rerank`")
        most = LEAST_DEPTH if reranker is None else self.rerank_depth
        if not 1 <= self.k <= most:
            raise invalid("k", self.k, expected=f"a number from 1 to {most}")


def calibrate_collection(
    store: CollectionStore,
    model: CollectionModel,
    judged: JudgedQueries,
    *,
    options: FitOptions | None = None,
    reranker: Reranker | None = None,
) -> CalibratedCollection:
    """Fit weights and probabilities for a collection, store them, and evaluate them.

    Args:
        store: the collection.
        model: the collection's model.
        judged: the judged queries to learn from.
        options: see :class:`FitOptions`.
        reranker: a scorer of the first hits, whose weight is fitted; its scores become features, too.

    Raises:
        UsageError: an option is out of range.
        DataError: too few queries are judged, or not both relevant and other hits are found.
        LeakError: all test queries are among the training queries.
        PromiseError: no threshold reaches the goal.
        ModelError: the model doesn't exist, or has changed.
        OutputError: another process is writing, or the disk is full.
    """
    options = options or FitOptions()
    options.check(reranker)
    test = None if options.test is None else options.test.without(judged)
    fit = _Fit(store, model, options, reranker)
    with store.reading():
        entries, change = len(store), store.counter()
        found = fit.searched(judged)
        folds = folds_of(found.groups(found.fused.pool.questions), seed=options.sampling.seed)
        combination, first = found.weighed(found.fused, folds)
        reranking, last = None, first
        if reranker is not None:
            reranking, last = found.weighed(fit.reranked(first), folds)
        hits, relevant = found.hits(last, options.k)
        saved, told = fit_for_goal(
            JudgedHits(
                hits,
                relevant,
                systems_of(store, reranker),
                fit.depth,
                options.k,
                judged.name,
                judged.sha256,
                groups=found.groups(hits.questions),
            ),
            options.goal,
            sampling=options.sampling,
        )
        rankings = fit.rankings(found, first, last)
        fitted = FittedSearch(
            combination, reranking, saved, entries, len(judged.queries), ends_of(rankings), fit.seen, change
        )
        crossed = found.figures(rankings, told)
        tested = None if test is None else fit.tested(test, fitted)
    keep(store, fitted)
    learnt = 0 if test is None or options.test is None else len(options.test.queries) - len(test.queries)
    return CalibratedCollection(fitted, judged.name, crossed, judged.textless, tested, learnt)


@dataclass(frozen=True, slots=True, eq=False)
class _Searched:
    """The entries found for judged queries."""

    judged: JudgedQueries
    qrels: Qrels
    absent: int
    fused: Fused

    def votes(self, fused: Fused) -> Votes:
        """One row per pooled entry; an entry without a judgement isn't relevant."""
        pool = fused.pool
        return Votes(
            with_lowest(pool.scores, pool.questions),
            relevance_in(pool, self.qrels).astype(np.float64),
            self.groups(pool.questions),
            JudgedBy.RANKED,
            questions=pool.questions,
            ties=np.unique(pool.doc_ids, return_inverse=True)[1],
        )

    def weighed(self, fused: Fused, folds: Ints) -> tuple[Combination, Fused]:
        """The weights of the rankings, and the entries by weights that were fitted on the other folds.

        Entries that the reranker did not see stay out. Folds have the shape [entries].
        """
        seen = np.isfinite(fused.combined)
        votes = self.votes(fused).select(seen)
        combined = np.full(len(seen), -np.inf)
        combined[seen] = cross_fitted(votes, CombinedBy.WEIGHTED, folds[seen])
        return fit_combination(votes, CombinedBy.WEIGHTED), replace(fused, combined=combined)

    def hits(self, fused: Fused, k: int) -> tuple[Hits, Floats]:
        """The features of the ``k`` best hits of each query, and 1 for relevant hits."""
        rows = fused.rows(k)
        relevant = relevance_in(fused.pool, self.qrels)[rows] > 0
        return fused.features(rows), relevant.astype(np.float64)

    def groups(self, questions: Ints) -> Ints:
        """The groups of rows: queries with the same letters and digits form one. Shape [rows]."""
        keys = self.judged.keys()
        groups, _ = enumerated(keys[one] for one in self.fused.pool.query_ids)
        return np.asarray(groups, dtype=np.int64)[questions]

    def figures(self, rankings: Mapping[str, Estimate], told: RelevanceFigures) -> SearchFigures:
        """All metrics together."""
        relevant = len(_answerable(self.qrels).query_ids)
        return SearchFigures(len(self.judged.queries), relevant, self.absent, rankings, told)


class _Fit:
    """Searches of one collection for many judged queries, as by :class:`CollectionSearch`."""

    def __init__(
        self, store: CollectionStore, model: CollectionModel, options: FitOptions, reranker: Reranker | None
    ) -> None:
        self._store, self._model, self._options, self._reranker = store, model, options, reranker
        self.seen = 0 if reranker is None else options.rerank_depth
        self.depth = max(LEAST_DEPTH, self.seen)

    def searched(self, judged: JudgedQueries) -> _Searched:
        """The rankings by words and by vectors, side by side."""
        names = sorted({name.decode() for name in judged.qrels.doc_ids.tolist()})
        there = frozenset(one.entry_id for one in self._store.rows(names))
        qrels, absent = judged.of_entries(there)
        vectors = encoded(self._model, list(judged.queries.values()))
        runs = both_runs(self._store, vectors, judged.queries, self.depth)
        fused = Fused.of(judged.queries, runs, ReciprocalRanks(2))
        if not _answerable(qrels).query_ids:
            raise DataError(
                f"no judged query of {judged.name} has a relevant entry in the collection",
                fix="see that judgements name entries by the ids that the collection has",
            )
        return _Searched(judged, qrels, absent, fused)

    def reranked(self, fused: Fused, by: Combination | None = None) -> Fused:
        """The same with the reranker, if there is one; ``by`` combines all three."""
        if self._reranker is None:
            return fused
        texts, found = list(fused.queries.values()), fused.hits(self.seen)
        ordered: list[list[Hit]] = []
        vectors = encoded(self._model, texts) if self._model.window else None
        with progress("reranking", total=len(texts)) as shown:
            for start in range(0, len(texts), RERANKED_AT_ONCE):
                at = slice(start, start + RERANKED_AT_ONCE)
                part = found[at]
                read = read_of_hits(self._store, part, None if vectors is None else vectors[at])
                ordered += self._reranker.order(texts[at], part, read)
                shown.advance(len(part))
        return fused.reranked(run_of(list(fused.queries), ordered, self._reranker.name), by)

    def rankings(self, found: _Searched, first: Fused, last: Fused) -> dict[str, Estimate]:
        """nDCG@10 of each ranking."""
        runs = {
            WORDS: found.fused.runs[0],
            VECTORS: found.fused.runs[1],
            RRF: found.fused.run(RRF),
            WEIGHTED: first.run(WEIGHTED),
        }
        if self._reranker is not None:
            runs |= {RERANKER: last.runs[-1], ALL_WEIGHTED: last.run(ALL_WEIGHTED)}
        qrels = _answerable(found.qrels)
        return {name: self._ndcg(run, qrels) for name, run in runs.items()}

    def tested(self, judged: JudgedQueries, fitted: FittedSearch) -> SearchFigures:
        """The fit, evaluated on other queries."""
        found = self.searched(judged)
        first = Fused.of(judged.queries, found.fused.runs, fitted.combination)
        last = self.reranked(first, fitted.reranking)
        hits, relevant = found.hits(last, self._options.k)
        model = fitted.relevance.model
        of_hits = model.of_hits(hits)
        of_queries = model.of_queries(of_hits, hits.questions)
        told = relevance_figures(hits, relevant, of_hits, of_queries, sampling=self._options.sampling)
        return found.figures(self.rankings(found, first, last), told)

    def _ndcg(self, run: Run, qrels: Qrels) -> Estimate:
        sampling, measure = self._options.sampling, parse(NDCG)
        found = intervals(evaluate(run, qrels, [measure]), resamples=sampling.resamples, seed=sampling.seed)
        return estimate(found[measure])


def _answerable(qrels: Qrels) -> Qrels:
    """The judgements of queries that have a relevant entry."""
    judged = qrels.to_dict()
    return Qrels.from_dict({query: own for query, own in judged.items() if max(own.values(), default=0) > 0})
