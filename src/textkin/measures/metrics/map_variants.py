"""Metrics that papers report as MAP: different measures, and other rules for ties.

They allow comparisons with such papers. Each has its own name: ``MAP(mapk)``, ``MAP(shuffled)``,
``MAP(optimistic)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints, is_new


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """The retrieved documents of judged queries, in run order.

    Attributes:
        queries: number of judged queries.
        query: index of the query. Shape [documents].
        score: higher is better. Shape [documents].
        hit: True for relevant documents. Shape [documents].
        answered: True for queries with a relevant document, retrieved or not. Shape [queries].
    """

    queries: int
    query: Ints
    score: Floats
    hit: Bools
    answered: Bools

    def sums(self, values: Floats) -> Floats:
        """Sum over the documents of each query, shape [queries]."""
        return np.bincount(self.query, weights=values, minlength=self.queries).astype(np.float64)

    def ranked(self) -> tuple[ScoredRows, Ints]:
        """The rows by query and decreasing score, ties in run order, with their ranks."""
        by_score = np.lexsort((-self.score, self.query))
        query = self.query[by_score]
        rank = np.arange(len(query)) - np.searchsorted(query, query) + 1
        rows = ScoredRows(self.queries, query, self.score[by_score], self.hit[by_score], self.answered)
        return rows, rank


def mapk(rows: ScoredRows) -> Floats:
    """The mean of 1 / rank over the relevant documents, instead of precision; NaN without any.

    Equal scores stay in run order. Source: gensim's evaluation of similarity learning by A. Joshi (2018),
    whose example gives 0.75 where AP is 0.8333.
    """
    ranked, rank = rows.ranked()
    return _left_out(rows, _share(ranked.sums(ranked.hit / rank), ranked.sums(ranked.hit.astype(np.float64))))


def shuffled(rows: ScoredRows) -> Floats:
    """Mean AP over all orders of equal scores, as in MatchZoo 1.

    The divisor is the number of relevant documents that were retrieved. Source of the mean: McSherry and
    Najork, "Computing information retrieval performance measures efficiently in the presence of tied scores"
    (2008).
    """
    ranked, rank = rows.ranked()
    hit = ranked.hit.astype(np.float64)
    group, first = _ties(ranked)
    size = np.bincount(group).astype(np.float64)[group]
    inside = np.bincount(group, weights=hit)[group]
    before = np.cumsum(hit) - hit
    start = np.searchsorted(ranked.query, ranked.query)
    above = before[first[group]] - before[start]
    place = np.arange(len(group)) - first[group]  # from 0, within equal scores
    others = place * (inside - 1) / np.maximum(size - 1, 1)
    precision = (above + 1 + others) / rank
    return _share(ranked.sums(inside / size * precision), ranked.sums(hit))


def optimistic(rows: ScoredRows) -> Floats:
    """AP that counts a document as relevant if it ties with a relevant one; NaN without any.

    Source: the scorer of QA-Transfer (Min, Seo and Hajishirzi 2017) for WikiQA.
    """
    ranked, rank = rows.ranked()
    group, _ = _ties(ranked)
    counted = (np.bincount(group, weights=ranked.hit)[group] > 0).astype(np.float64)
    number = np.cumsum(counted)
    start = np.searchsorted(ranked.query, ranked.query)
    so_far = number - (number[start] - counted[start])
    return _left_out(rows, _share(ranked.sums(counted * so_far / rank), ranked.sums(counted)))


def _ties(ranked: ScoredRows) -> tuple[Ints, Ints]:
    """The tie group of each row, and the first position of each group."""
    new = is_new(ranked.query) | is_new(ranked.score)
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _share(amount: Floats, number: Floats) -> Floats:
    return amount / np.maximum(number, 1)


def _left_out(rows: ScoredRows, values: Floats) -> Floats:
    """Set NaN for queries that are excluded from the mean."""
    return np.where(rows.answered, values, np.nan)
