"""Rank fusion: the union of several rankings, with combined scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats, Ints, is_new
from textkin.base.errors import UsageError
from textkin.data.ranking import of_rising, order, rising
from textkin.data.records import Qrels, Run
from textkin.measures.decisions.combination import Combination
from textkin.measures.metrics.judgement_lookup import match

_FAR = 1 << 33  # more than the largest distance of two numbers in single precision


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The documents found by any of several rankings, with the scores of each ranking.

    Attributes:
        query_ids: queries of all rankings, in order of first occurrence.
        offsets: query i has the documents offsets[i]:offsets[i+1]. Shape [queries + 1].
        doc_ids: UTF-8 bytes, increasing within a query. Shape [documents].
        scores: scores of each ranking; NaN for documents that it doesn't contain. Shape [documents,
            rankings].
    """

    query_ids: tuple[str, ...]
    offsets: Ints
    doc_ids: NDArray[np.bytes_]
    scores: Floats

    @classmethod
    def of(cls, runs: Sequence[Run], *, depth: int | None = None) -> Self:
        """Combine rankings into a pool, down to ``depth`` documents each; None for all.

        Raises:
            UsageError: there are no rankings, or the depth is below 1.
            DataError: a score is NaN.
        """
        if not runs or (depth is not None and depth < 1):
            raise UsageError(
                f"{len(runs)} rankings to a depth of {depth}",
                fix="give one or more, to 1 or more",
                value=(len(runs), depth),
            )
        ranked = [_ranked(run, depth) for run in runs]
        query_ids = tuple(dict.fromkeys(query for run in ranked for query in run.query_ids))
        numbers = {query: number for number, query in enumerate(query_ids)}
        queries = np.concatenate(
            [np.repeat([numbers[one] for one in run.query_ids], np.diff(run.offsets)) for run in ranked]
        ).astype(np.int64)
        ids, named = np.unique(np.concatenate([run.doc_ids for run in ranked]), return_inverse=True)
        pooled, row = np.unique(queries * max(len(ids), 1) + named, return_inverse=True)
        scores = np.full((len(pooled), len(runs)), np.nan)
        ends = np.cumsum([len(run.scores) for run in ranked])
        for column, (run, end) in enumerate(zip(ranked, ends.tolist(), strict=True)):
            scores[row[end - len(run.scores) : end], column] = run.scores
        query, one = np.divmod(pooled, max(len(ids), 1))
        counts = np.bincount(query, minlength=len(query_ids))
        offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(query_ids, offsets, ids[one], scores)

    @property
    def questions(self) -> Ints:
        """The number of each document's query. Shape [documents]."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))

    def decided(self, combined: Floats) -> Floats:
        """Combined scores with ties broken by the last ranking, shape [documents].

        If documents of a query are equal in single precision and the last ranking distinguishes them, those
        with lower scores there, or with none, get the next lower numbers. So the order survives in files that
        store only scores.
        """
        keys, questions = rising(combined), self.questions
        last = np.where(np.isnan(self.scores[:, -1]), -np.inf, self.scores[:, -1]).astype(np.float32)
        order = np.lexsort((-last, -keys, questions))
        ranked, by_last = keys[order], last[order]
        differs = is_new(ranked) | is_new(by_last)
        # A number that differs from its predecessor must be lower by at least one step. Numbers of later
        # queries are far lower, so nothing carries over from one query to the next.
        below = np.cumsum(differs) - questions[order] * _FAR
        found = np.empty(len(keys), dtype=np.int64)
        found[order] = np.minimum.accumulate(ranked + below) - below
        return np.where(found == keys, combined, of_rising(found))

    def run(self, combined: Floats, *, name: str, depth: int | None = None) -> Run:
        """The ranking by combined scores, shape [documents], truncated at ``depth`` by the tie rule."""
        found = Run(self.query_ids, self.offsets, self.doc_ids, combined, name)
        return found if depth is None else _ranked(found, depth)


def fuse(
    runs: Sequence[Run], combination: Combination, *, depth: int | None = None, name: str = "hybrid"
) -> Run:
    """Fuse rankings into one that contains every document of any; ties by the last one's scores.

    Args:
        runs: rankings in the order of the combination's members; scores may differ in scale.
        combination: a fitted combination, or :class:`ReciprocalRanks`, which needs no fit.
        depth: number of documents to use of each ranking, and to keep; None for all.
        name: name of the ranking.

    Raises:
        UsageError: there are no rankings, or the depth is below 1.
        DataError: a score is NaN.
    """
    pool = Pool.of(runs, depth=depth)
    combined = pool.decided(combination.combine(pool.scores, pool.questions))
    return pool.run(combined, name=name, depth=depth)


def relevance_in(pool: Pool, qrels: Qrels) -> Ints:
    """The judgement of each pooled document; 0 if there is none or it is negative. Shape [documents]."""
    pooled = Run(pool.query_ids, pool.offsets, pool.doc_ids, np.zeros(len(pool.doc_ids)))
    places = {query: number for number, query in enumerate(qrels.query_ids)}
    judged = np.array([places.get(query, -1) for query in pool.query_ids], dtype=np.int64)
    found = match(pooled, qrels, judged)
    relevance = np.zeros(len(pool.doc_ids), dtype=np.int64)
    relevance[found.rows] = np.maximum(qrels.relevance[found.judgements], 0)
    return relevance


def _ranked(run: Run, depth: int | None) -> Run:
    """The run in rank order, down to ``depth``."""
    ranking, lengths = order(run), np.diff(run.offsets)
    if depth is not None:
        place = np.arange(len(ranking)) - np.repeat(run.offsets[:-1], lengths)
        ranking, lengths = ranking[place < depth], np.minimum(lengths, depth)
    ends = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return replace(run, offsets=ends, doc_ids=run.doc_ids[ranking], scores=run.scores[ranking])
