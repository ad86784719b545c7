"""The loop over all allowed documents, checking byte codes first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.vectors.join.score_loop_arguments import Arrays, Best
from textkin.vectors.join.score_loops import insert, near_score, score_of

_ROUNDING = 1e-6  # rounding error of the bound itself, and of scores in single precision


class Short(NamedTuple):
    """The fields of ``byte_codes.ByteCodes``."""

    codes: NDArray[np.int8]
    steps: NDArray[np.float32]
    errors: NDArray[np.float32]


class Parted(NamedTuple):
    """Documents with several vectors each.

    Attributes:
        allowed: True for documents that may be found; empty for all. Shape [documents].
        starts: first vector of each document, and the end of the last one. Shape [documents + 1].
    """

    allowed: NDArray[np.bool_]
    starts: NDArray[np.int64]


class ShortQueries(NamedTuple):
    """The fields of ``byte_codes.QueryCodes``."""

    codes: NDArray[np.int16]
    steps: NDArray[np.float64]
    errors: NDArray[np.float64]


@compiled
def scan(
    queries: Arrays,
    documents: Arrays,
    short_queries: ShortQueries,
    short: Short,
    allowed: NDArray[np.bool_],
    slack: NDArray[np.float32],
    best: Best,
    span: tuple[int, int],
) -> None:
    """Insert documents into the best lists of all queries; ties go to the earlier one.

    Args:
        queries: few enough to stay in the processor's cache.
        documents: all documents.
        short_queries: codes of the queries.
        short: codes of the documents.
        allowed: True for documents that may be found; empty for all. Shape [documents].
        slack: maximum amount by which a single-precision score may be too low. Shape [queries].
        best: best lists of the queries.
        span: number of the first document to scan, and one more than the last.
    """
    depth = best.scores.shape[1]
    for document in range(span[0], span[1]):
        if len(allowed) > 0 and not allowed[document]:
            continue
        step, error = np.float64(short.steps[document]), np.float64(short.errors[document])
        for query in range(queries.values.shape[0]):
            worst = max(best.floor[query], best.scores[query, depth - 1])
            near = step * short_queries.steps[query]
            near *= _product(short.codes[document], short_queries.codes[query])
            if near + error + short_queries.errors[query] * (1 + error) + _ROUNDING < worst:
                continue
            if near_score(queries, documents, query, document) < worst - slack[query]:
                continue
            score = score_of(queries, documents, query, document)
            if score > worst:
                insert(best.scores[query], best.columns[query], score, document)


@compiled
def scan_windows(
    queries: Arrays,
    vectors: Arrays,
    short_queries: ShortQueries,
    short: Short,
    documents: Parted,
    slack: NDArray[np.float32],
    best: Best,
    span: tuple[int, int],
) -> None:
    """Scan documents with several vectors each, like :func:`scan`. The best vector counts.

    Args:
        queries: as in :func:`scan`.
        vectors: vectors of all documents, grouped by document.
        short_queries: codes of the queries.
        short: codes of the vectors.
        documents: vector ranges of the documents.
        slack: as in :func:`scan`.
        best: best lists of the queries.
        span: range of documents.
    """
    depth = best.scores.shape[1]
    for document in range(span[0], span[1]):
        if len(documents.allowed) > 0 and not documents.allowed[document]:
            continue
        for query in range(queries.values.shape[0]):
            least = max(best.floor[query], best.scores[query, depth - 1])
            worst = least
            for vector in range(documents.starts[document], documents.starts[document + 1]):
                step, error = np.float64(short.steps[vector]), np.float64(short.errors[vector])
                near = step * short_queries.steps[query]
                near *= _product(short.codes[vector], short_queries.codes[query])
                if near + error + short_queries.errors[query] * (1 + error) + _ROUNDING < worst:
                    continue
                if near_score(queries, vectors, query, vector) < worst - slack[query]:
                    continue
                worst = max(worst, score_of(queries, vectors, query, vector))
            if worst > least:
                insert(best.scores[query], best.columns[query], worst, document)


@compiled
def _product(codes: NDArray[np.int8], query: NDArray[np.int16]) -> np.int32:
    """The inner product, which fits into 32 bits and vectorises well at that width."""
    total = np.int32(0)
    for place in range(codes.shape[0]):
        total = np.int32(total + np.int32(codes[place]) * np.int32(query[place]))
    return total
