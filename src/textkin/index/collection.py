"""Ranking a whole corpus for every query of a collection, exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError
from textkin.index.exact import Space, place
from textkin.index.lexical import LexicalIndex
from textkin.progress import track
from textkin.protocols import Scorer
from textkin.records import Collection, Run
from textkin.scorers.lucene_parts import Counted

_QUERIES_AT_ONCE = 64


def rank_collection(
    scorer: Scorer, collection: Collection, *, depth: int = 1000, drop_identical_ids: bool = False
) -> Run:
    """The best documents of the corpus for every judged query.

    Where the last place is tied, the tie rule of ``ranking.py`` says which of the documents are in. Lexical
    scorers find only documents that share something with the query.

    Args:
        scorer: an encoder or a lexical one; others would have to score every query with every document.
        collection: corpus, queries and judgements.
        depth: documents to keep for each query.
        drop_identical_ids: leave out the document whose id is the query's own, as BEIR's evaluation does.

    Raises:
        UsageError: the scorer can't rank a corpus.
        DataError: it gives scores that are not numbers.
    """
    names = np.array([name.encode() for name in collection.corpus], dtype=np.bytes_)
    by_name = np.empty(len(names), dtype=np.int64)
    by_name[np.argsort(names)] = np.arange(len(names))
    judged = [query for query in collection.qrels.query_ids if query in collection.queries]
    queries = [collection.queries[query] for query in judged]
    space = place(scorer, queries, list(collection.corpus.values()))
    left, scored = space.queries, _scores_of(space)
    found: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    starts = range(0, len(judged), _QUERIES_AT_ONCE)
    for start in track(starts, title=f"ranking with {scorer.name}", total=len(starts)):
        rows = _rows(scored(left[start : start + _QUERIES_AT_ONCE]))
        for query, (documents, values) in zip(judged[start:], rows, strict=False):
            if not np.isfinite(values).all():
                raise DataError(f"{scorer.name} gives scores that are no finite numbers", fix="leave it out")
            if drop_identical_ids:
                others = names[documents] != query.encode()
                documents, values = documents[others], values[others]
            best = _best(values, by_name[documents], depth)
            found.append(documents[best])
            scores.append(values[best].astype(np.float64))
    return Run(
        query_ids=tuple(judged),
        offsets=np.concatenate(([0], np.cumsum([len(row) for row in found]))).astype(np.int64),
        doc_ids=names[np.concatenate(found)] if found else np.empty(0, dtype="S1"),
        scores=np.concatenate(scores) if scores else np.empty(0),
        name=scorer.name,
    )


def _scores_of(space: Space) -> Callable[[Any], Any]:
    """What gives some queries' scores of all documents, or of those that were found."""
    if isinstance(space.documents, Counted):
        return LexicalIndex(space.documents).scores
    right: Any = space.documents.T if isinstance(space.documents, np.ndarray) else space.documents.T.tocsr()
    return lambda left: left @ right


def _rows(product: Any) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Of every query the documents that were found and their scores; a sparse product names those alone."""
    if isinstance(product, np.ndarray):
        everything = np.arange(product.shape[1])
        return [(everything, row) for row in product]
    ends = product.indptr[1:-1]
    documents, values = np.split(product.indices, ends), np.split(product.data, ends)
    return list(zip(documents, values, strict=True))


def _best(scores: NDArray[np.float32], by_name: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """The places of the ``depth`` best, score descending, then name descending, of which ranks are given."""
    kept = np.arange(len(scores))
    if len(scores) > depth:
        last = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = np.flatnonzero(scores >= last)  # with all that tie with the last one
    return kept[np.lexsort((by_name[kept], scores[kept]))[::-1][:depth]]
