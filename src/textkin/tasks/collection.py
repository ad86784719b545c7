"""Ranking a whole corpus for every query of a collection, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError
from textkin.progress import track
from textkin.protocols import Encoder, Scorer, Side
from textkin.records import Collection, Run
from textkin.scorers.bm25 import Bm25
from textkin.scorers.tfidf import TfIdf

_QUERIES_AT_ONCE = 64


def rank_collection(scorer: Scorer, collection: Collection, *, depth: int = 1000) -> Run:
    """The best documents of the corpus for every judged query.

    Args:
        scorer: an encoder, BM25 or TF-IDF; other scorers would have to score every query with every document.
        collection: corpus, queries and judgements.
        depth: documents to keep for each query.

    Raises:
        UsageError: the scorer can't rank a corpus.
    """
    doc_ids = list(collection.corpus)
    names = np.array([name.encode() for name in doc_ids], dtype=np.bytes_)
    judged = [query for query in collection.qrels.query_ids if query in collection.queries]
    texts = [collection.queries[query] for query in judged]
    left, right = _sides(scorer, texts, list(collection.corpus.values()))
    kept = min(depth, len(doc_ids))
    best, scores = [], []
    starts = range(0, len(judged), _QUERIES_AT_ONCE)
    for start in track(starts, title=f"ranking with {scorer.name}", total=len(starts)):
        block = _product(left[start : start + _QUERIES_AT_ONCE], right)
        for row in block:
            # The cut keeps every document that ties with the last one; the tie rule then decides which are
            # reported.
            last = np.partition(row, len(row) - kept)[len(row) - kept]
            found = np.flatnonzero(row >= last)
            order = np.lexsort((names[found], row[found]))[::-1][:kept]
            best.append(names[found[order]])
            scores.append(row[found[order]].astype(np.float64))
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in best]))).astype(np.int64)
    return Run(
        tuple(judged),
        offsets,
        np.concatenate(best) if best else np.empty(0, dtype="S1"),
        np.concatenate(scores) if scores else np.empty(0),
        scorer.name,
    )


def _sides(scorer: Scorer, queries: list[str], documents: list[str]) -> tuple[Any, Any]:
    if isinstance(scorer, Bm25):
        return scorer.queries(queries), scorer.documents(documents).T.tocsc()
    if isinstance(scorer, TfIdf):
        return scorer.matrix(queries), scorer.matrix(documents).T.tocsc()
    if isinstance(scorer, Encoder):
        return _unit(scorer.encode(queries, side=Side.QUERY)), _unit(scorer.encode(documents)).T
    raise UsageError(
        f"{scorer.name} can't rank a whole corpus",
        fix="give a model directory, tfidf, tfidf-char, bm25 or mean-vectors",
    )


def _product(left: Any, right: Any) -> NDArray[np.float32]:
    product = left @ right
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product, dtype=np.float32)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: NDArray[np.float32] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return units
