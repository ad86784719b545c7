"""Features of the hits of a fused search, for their probability of relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError, invalid
from textkin.data.ranking import order
from textkin.measures.decisions.reciprocal_ranks import places_within, with_lowest
from textkin.measures.decisions.relevance import Hits
from textkin.vectors.index.rank_fusion import Pool

_Floats = NDArray[np.float64]


def best_hits(pool: Pool, combined: _Floats, k: int) -> NDArray[np.int64]:
    """The rows of the ``k`` best documents of each query by combined score, best first.

    Raises:
        UsageError: ``k`` is below 1.
    """
    if k < 1:
        raise invalid("k", k, expected="at least 1")
    ranking = order(pool.run(combined, name="hits"))
    place = np.arange(len(ranking)) - np.repeat(pool.offsets[:-1], np.diff(pool.offsets))
    return ranking[place < k]


def features_of(
    pool: Pool, rows: NDArray[np.int64], *, rankings: Sequence[str], queries: Mapping[str, str]
) -> Hits:
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
    names, columns = list[str](), list[_Floats]()
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


def _lead(scores: _Floats, questions: NDArray[np.int64], count: int) -> _Floats:
    """Each score minus the best other one of its query; 0 if there is no other."""
    best, second = np.full(count, -np.inf), np.full(count, -np.inf)
    np.maximum.at(best, questions, scores)
    first = np.full(count, -1, dtype=np.int64)
    leads = np.flatnonzero(scores == best[questions])
    first[questions[leads[::-1]]] = leads[::-1]
    others = np.ones(len(scores), dtype=np.bool_)
    others[first[first >= 0]] = False
    np.maximum.at(second, questions[others], scores[others])
    rival = np.where(others, best[questions], second[questions])
    return np.where(np.isinf(rival), 0.0, scores - np.where(np.isinf(rival), 0.0, rival))
