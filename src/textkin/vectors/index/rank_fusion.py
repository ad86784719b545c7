"""Several rankings of the same queries as one: what any of them found, and its combined scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.data.ranking import of_rising, order, rising
from textkin.data.records import Qrels, Run
from textkin.measures.decisions.combination import Combination
from textkin.measures.metrics.judgement_lookup import match

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_FAR = 1 << 33  # more than numbers of single precision can be apart


@final
@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The documents that any of several rankings found for a query, and what each says of them.

    Attributes:
        query_ids: of all rankings, in the order in which they come first.
        offsets: documents of query i stand at offsets[i]:offsets[i+1]. Shape [queries + 1].
        doc_ids: UTF-8 bytes, rising within a query. Shape [documents].
        scores: of each ranking; NaN where it did not find the document. Shape [documents, rankings].
    """

    query_ids: tuple[str, ...]
    offsets: _Ints
    doc_ids: NDArray[np.bytes_]
    scores: _Floats

    @classmethod
    def of(cls, runs: Sequence[Run], *, depth: int | None = None) -> Self:
        """Put rankings side by side, down to ``depth`` documents each; None for all.

        Raises:
            UsageError: there are no rankings, or the depth is none.
            DataError: a score is not a number.
        """
        if not runs or (depth is not None and depth < 1):
            raise UsageError(
                f"{len(runs)} rankings to a depth of {depth}", fix="give one or more, to 1 or more"
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
    def questions(self) -> _Ints:
        """The number of each document's query. Shape [documents]."""
        return np.repeat(np.arange(len(self.query_ids)), np.diff(self.offsets))

    def decided(self, combined: _Floats) -> _Floats:
        """One number a document, shape [documents], in which the last ranking decides between equals.

        Where documents of a query are equal in single precision, and the last ranking tells them apart, those
        of lower scores there, or of none, get the next lower numbers. So the order survives whatever reads
        numbers alone, such as a file of the ranking.
        """
        keys, questions = rising(combined), self.questions
        last = np.where(np.isnan(self.scores[:, -1]), -np.inf, self.scores[:, -1]).astype(np.float32)
        order = np.lexsort((-last, -keys, questions))
        ranked, by_last = keys[order], last[order]
        differs = np.ones(len(keys), dtype=np.bool_)
        differs[1:] = (ranked[1:] != ranked[:-1]) | (by_last[1:] != by_last[:-1])
        # A number that differs from the one before is lower by a step, if it isn't lower anyway. Numbers of
        # later queries are far lower, so that nothing is carried from one query to the next.
        below = np.cumsum(differs) - questions[order] * _FAR
        found = np.empty(len(keys), dtype=np.int64)
        found[order] = np.minimum.accumulate(ranked + below) - below
        return np.where(found == keys, combined, of_rising(found))

    def run(self, combined: _Floats, *, name: str, depth: int | None = None) -> Run:
        """The ranking by one number a document, shape [documents], cut at ``depth`` by the tie rule."""
        found = Run(self.query_ids, self.offsets, self.doc_ids, combined, name)
        return found if depth is None else _ranked(found, depth)


def fuse(
    runs: Sequence[Run], combination: Combination, *, depth: int | None = None, name: str = "hybrid"
) -> Run:
    """One ranking of several, of everything that any of them found; of equals by the last one's scores.

    Args:
        runs: in the order of the combination's members; their scores need share no scale.
        combination: fitted, or :class:`ReciprocalRanks`, which needs no fit.
        depth: so many documents of each ranking count, and so many are kept; None for all.
        name: of the ranking.

    Raises:
        UsageError: there are no rankings, or the depth is none.
        DataError: a score is not a number.
    """
    pool = Pool.of(runs, depth=depth)
    combined = pool.decided(combination.combine(pool.scores, pool.questions))
    return pool.run(combined, name=name, depth=depth)


def relevance_in(pool: Pool, qrels: Qrels) -> _Ints:
    """The judgement of each pooled document; 0 where it is none or negative. Shape [documents]."""
    pooled = Run(pool.query_ids, pool.offsets, pool.doc_ids, np.zeros(len(pool.doc_ids)))
    places = {query: number for number, query in enumerate(qrels.query_ids)}
    judged = np.array([places.get(query, -1) for query in pool.query_ids], dtype=np.int64)
    found = match(pooled, qrels, judged)
    relevance = np.zeros(len(pool.doc_ids), dtype=np.int64)
    relevance[found.rows] = np.maximum(qrels.relevance[found.judgements], 0)
    return relevance


def _ranked(run: Run, depth: int | None) -> Run:
    """The same in the order of the ranking, down to ``depth``."""
    ranking, lengths = order(run), np.diff(run.offsets)
    if depth is not None:
        place = np.arange(len(ranking)) - np.repeat(run.offsets[:-1], lengths)
        ranking, lengths = ranking[place < depth], np.minimum(lengths, depth)
    ends = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return replace(run, offsets=ends, doc_ids=run.doc_ids[ranking], scores=run.scores[ranking])
