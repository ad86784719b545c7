"""The loop that scores some queries with every document that is allowed, without a matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.compiled import compiled
from textkin.join.kernels import Arrays, Best, insert, near_score, score_of


@compiled
def scan(
    queries: Arrays,
    documents: Arrays,
    allowed: NDArray[np.bool_],
    slack: NDArray[np.float32],
    best: Best,
    first: int,
    last: int,
) -> None:
    """Put documents among the best of all queries; of equal scores the earlier one stays.

    Args:
        queries: few, so that they stay in the processor's cache.
        documents: all of them.
        allowed: which of them may be found; all if it is empty. Shape [documents].
        slack: how far a score in single precision may lie below the score. Shape [queries].
        best: of the queries.
        first: the number of the first document to look at.
        last: one more than that of the last.
    """
    depth = best.scores.shape[1]
    for document in range(first, last):
        if len(allowed) > 0 and not allowed[document]:
            continue
        for query in range(queries.values.shape[0]):
            worst = max(best.floor[query], best.scores[query, depth - 1])
            if near_score(queries, documents, query, document) < worst - slack[query]:
                continue
            score = score_of(queries, documents, query, document)
            if score > worst:
                insert(best.scores[query], best.columns[query], score, document)
