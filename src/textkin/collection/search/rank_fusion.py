"""Fuse rankings by words and vectors, with the features of each hit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.data.records import Hit, Run
from textkin.measures.decisions.combination import Combination
from textkin.measures.decisions.relevance import Hits
from textkin.vectors.index.hit_features import best_hits, features_of
from textkin.vectors.index.rank_fusion import Pool

WORDS, VECTORS, RERANKER = "words", "vectors", "reranker"
"""The rankings' names in features."""

_Floats = NDArray[np.float64]


@final
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
    combined: _Floats

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

    def reranked(self, by_reranker: Run) -> Fused:
        """The ranking by a reranker, together with its source rankings."""
        runs = (*self.runs, by_reranker)
        pool = Pool.of(runs)
        scores = pool.scores[:, -1]
        return Fused(self.queries, runs, pool, np.where(np.isnan(scores), -np.inf, scores))

    def rows(self, k: int) -> NDArray[np.int64]:
        """The positions in the pool of the ``k`` best of each query, best first. Shape [hits]."""
        rows = best_hits(self.pool, self.combined, k)
        return rows[np.isfinite(self.combined[rows])]

    def hits(self, k: int) -> list[list[Hit]]:
        """The ``k`` best of each query, best first; a query without any has an empty list."""
        place = {query: number for number, query in enumerate(self.queries)}
        found: list[list[Hit]] = [[] for _ in self.queries]
        rows = self.rows(k)
        scores = self.combined[rows].astype(np.float32).tolist()
        names = self.pool.doc_ids[rows].tolist()
        for question, name, score in zip(self.pool.questions[rows].tolist(), names, scores, strict=True):
            found[place[self.pool.query_ids[question]]].append(Hit(name.decode(), score))
        return found

    def features(self, rows: NDArray[np.int64]) -> Hits:
        """The features of pooled entries, known before any judgement. Shape [hits]."""
        names = (WORDS, VECTORS, RERANKER)[: len(self.runs)]
        return features_of(self.pool, rows, rankings=names, queries=self.queries)


def run_of(ids: Sequence[str], rankings: Sequence[Sequence[Hit]], name: str) -> Run:
    """The rankings of queries as a run."""
    return Run.from_dict(
        {query: {hit.doc_id: hit.score for hit in hits} for query, hits in zip(ids, rankings, strict=True)},
        name=name,
    )
