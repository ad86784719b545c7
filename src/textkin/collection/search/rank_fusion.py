"""Fuse rankings by words and vectors, with the features of each hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple, Self, TypeVar

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import UsageError, invalid
from textkin.data.ranking import order
from textkin.data.records import Hit, Run
from textkin.measures.decisions.combination import Combination
from textkin.measures.decisions.reciprocal_ranks import places_within, with_lowest
from textkin.measures.decisions.relevance import Hits
from textkin.vectors.index.rank_fusion import Pool


def best_hits(pool: Pool, combined: Floats, k: int) -> Ints:
    """The rows of the ``k`` best documents of each query by combined score, best first.

    Raises:
        UsageError: ``k`` is below 1.
    """
    if k < 1:
        raise invalid("k", k, expected="at least 1")
    ranking = order(pool.run(combined, name="hits"))
    place = np.arange(len(ranking)) - np.repeat(pool.offsets[:-1], np.diff(pool.offsets))
    return ranking[place < k]


def features_of(pool: Pool, rows: Ints, *, rankings: Sequence[str], queries: Mapping[str, str]) -> Hits:
    """The features of some documents of a pool.

    For each ranking there are four: the score, or the query's lowest one if the document is missing; the
    lead, which is the score minus that of the best other document; the logarithm of the rank (ties share it),
    or of the rank after the last one if it is missing; and a flag for missing ones. For the query, there is
    the logarithm of its number of words plus one.

    Args:
        pool: the rankings side by side.
        rows: rows of the documents. Shape [hits].
        rankings: names of the rankings.
        queries: texts of the queries by id.

    Raises:
        UsageError: the numbers of names and rankings differ.
    """
    if len(rankings) != pool.scores.shape[1]:
        raise UsageError(f"{len(rankings)} names of {pool.scores.shape[1]} rankings", fix="name each of them")
    questions = pool.questions
    scores = with_lowest(pool.scores, questions)
    names, columns = list[str](), list[Floats]()
    lengths = np.array([len(queries[query].split()) for query in pool.query_ids], dtype=np.float64)
    for number, name in enumerate(rankings):
        listed = ~np.isnan(pool.scores[:, number])
        places = (np.bincount(questions[listed], minlength=len(pool.query_ids)) + 1.0)[questions]
        places[listed], _ = places_within(pool.scores[listed, number], questions[listed])
        parts = {
            "score": scores[:, number],
            "lead": _lead(scores[:, number], questions, len(pool.query_ids)),
            "log place": np.log(places),
            "lacking": (~listed).astype(np.float64),
        }
        names += [f"{name}: {one}" for one in parts]
        columns += [one[rows] for one in parts.values()]
    names.append("log words")
    columns.append(np.log1p(lengths)[questions[rows]])
    return Hits(np.stack(columns, axis=1), tuple(names), questions[rows])


def _lead(scores: Floats, questions: Ints, count: int) -> Floats:
    """Each score minus the best other one of its query; 0 if there is no other."""
    best, second = np.full(count, -np.inf), np.full(count, -np.inf)
    np.maximum.at(best, questions, scores)
    first = np.full(count, -1, dtype=np.int64)
    leads = np.flatnonzero(scores == best[questions])
    first[questions[leads[::-1]]] = leads[::-1]
    others = np.ones(len(scores), dtype=np.bool_)
    others[first[first >= 0]] = False
    np.maximum.at(second, questions[others], scores[others])
    runner_up = np.where(others, best[questions], second[questions])
    return np.where(np.isinf(runner_up), 0.0, scores - np.where(np.isinf(runner_up), 0.0, runner_up))


WORDS, VECTORS, RERANKER = "words", "vectors", "reranker"
"""The rankings' names in features."""


class ScoreParts(NamedTuple):
    """The scores that a hit's own score is made of; None where its ranking doesn't reach the hit.

    Attributes:
        bm25: the BM25 score.
        cosine: the cosine with the query, of the best window.
        reranker: the reranker's score.
    """

    bm25: float | None = None
    cosine: float | None = None
    reranker: float | None = None


_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """Several rankings of the same queries, and their fusion.

    Attributes:
        queries: the texts of the queries by id.
        runs: the runs by words, by vectors, and by a reranker if there is one.
        pool: the same rankings side by side.
        combined: one number per pooled entry, higher is better; minus infinity for entries that the reranker
            did not see. Shape [entries].
    """

    queries: Mapping[str, str]
    runs: tuple[Run, ...]
    pool: Pool
    combined: Floats

    @classmethod
    def of(cls, queries: Mapping[str, str], runs: Sequence[Run], by: Combination) -> Self:
        """Fuse rankings; ties are broken by the cosine.

        Args:
            queries: the texts by id.
            runs: the run by words, then that by vectors.
            by: combines both scores into one number.
        """
        pool = Pool.of(runs)
        combined = pool.decided(by.combine(pool.scores, pool.questions))
        return cls(queries, tuple(runs), pool, combined)

    def reranked(self, by_reranker: Run, by: Combination | None = None) -> Fused:
        """The ranking of the entries that a reranker saw, together with its source rankings.

        Args:
            by_reranker: the entries that it saw, with its scores.
            by: combines the scores by words, by vectors and by the reranker; None for the reranker's alone.
        """
        runs = (*self.runs, by_reranker)
        pool = Pool.of(runs)
        own = pool.scores[:, -1]
        combined = own if by is None else pool.decided(by.combine(pool.scores, pool.questions))
        return Fused(self.queries, runs, pool, np.where(np.isnan(own), -np.inf, combined))

    def run(self, name: str) -> Run:
        """The ranking as a run, without entries that the reranker did not see."""
        pool, seen = self.pool, np.isfinite(self.combined)
        offsets = np.concatenate(([0], np.cumsum(seen)))[pool.offsets]
        return Run(pool.query_ids, offsets, pool.doc_ids[seen], self.combined[seen], name)

    def rows(self, k: int) -> Ints:
        """The positions in the pool of the ``k`` best of each query, best first. Shape [hits]."""
        rows = best_hits(self.pool, self.combined, k)
        return rows[np.isfinite(self.combined[rows])]

    def hits(self, k: int) -> list[list[Hit]]:
        """The ``k`` best of each query, best first; a query without any has an empty list."""
        return self.hits_at(self.rows(k))

    def hits_at(self, rows: Ints) -> list[list[Hit]]:
        """The hits at positions in the pool, for each query in their order."""
        scores = self.combined[rows].astype(np.float32).tolist()
        names = self.pool.doc_ids[rows].tolist()
        hits = [Hit(name.decode(), score) for name, score in zip(names, scores, strict=True)]
        return self._by_query(rows, hits)

    def parts_at(self, rows: Ints) -> list[list[ScoreParts]]:
        """The scores that the same hits' own are made of."""
        listed = self.pool.scores[rows].tolist()
        parts = [ScoreParts(*(None if isnan(score) else score for score in scores)) for scores in listed]
        return self._by_query(rows, parts)

    def _by_query(self, rows: Ints, things: Sequence[_Thing]) -> list[list[_Thing]]:
        place = {query: number for number, query in enumerate(self.queries)}
        found: list[list[_Thing]] = [[] for _ in self.queries]
        for question, thing in zip(self.pool.questions[rows].tolist(), things, strict=True):
            found[place[self.pool.query_ids[question]]].append(thing)
        return found

    def features(self, rows: Ints) -> Hits:
        """The features of pooled entries, known before any judgement. Shape [hits]."""
        names = (WORDS, VECTORS, RERANKER)[: len(self.runs)]
        return features_of(self.pool, rows, rankings=names, queries=self.queries)


def run_of(ids: Sequence[str], rankings: Sequence[Sequence[Hit]], name: str) -> Run:
    """The rankings of queries as a run."""
    return Run.from_dict(
        {query: {hit.doc_id: hit.score for hit in hits} for query, hits in zip(ids, rankings, strict=True)},
        name=name,
    )
