"""Exact rankings of a whole corpus for every query of a retrieval set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.errors import DataError
from textkin.base.progress import track
from textkin.data.protocols import Features, Scorer
from textkin.data.records import RetrievalSet, Run
from textkin.text.baselines.lucene_parts import Clauses, Counted
from textkin.vectors.index.exact_search import place
from textkin.vectors.index.lucene_postings import LexicalIndex
from textkin.vectors.index.sparse_products import QUERIES_AT_ONCE, Best, ProductIndex, best_rows


def rank_collection(
    scorer: Scorer, collection: RetrievalSet, *, depth: int = 1000, drop_identical_ids: bool = False
) -> Run:
    """The best documents of the corpus for every judged query.

    Ties at the last rank are broken by the tie rule of ``ranking.py``. Lexical scorers find only documents
    that share a term with the query.

    Args:
        scorer: an encoder or a lexical scorer; others would have to score every query with every document.
        collection: corpus, queries and judgements.
        depth: number of documents per query.
        drop_identical_ids: True to drop the document with the query's own id, as in BEIR's evaluation.

    Raises:
        UsageError: the scorer can't rank a corpus.
        DataError: the scorer returns NaN or infinity.
    """
    judged = [query for query in collection.qrels.query_ids if query in collection.queries]
    queries = {query: collection.queries[query] for query in judged}
    corpus = Corpus(scorer, collection.corpus)
    return corpus.ranked(queries, depth=depth, drop_identical_ids=drop_identical_ids)


@final
class Corpus:
    """Documents prepared for repeated ranking.

    Args:
        scorer: an encoder or a lexical scorer.
        documents: texts by id.

    Attributes:
        scorer: the scorer.

    Raises:
        UsageError: the scorer can't rank a corpus.
        DataError: the scorer returns vectors with NaN or infinity.
    """

    def __init__(self, scorer: Scorer, documents: Mapping[str, str]) -> None:
        self.scorer = scorer
        names = np.array([name.encode() for name in documents], dtype=np.bytes_)
        order = np.argsort(names)[::-1]
        self._names = names[order]  # so the first of ties is the one that the tie rule selects
        placed = place(scorer, (), list(documents.values())).documents
        self._numbers = np.empty(len(order), dtype=np.int64)
        self._numbers[order] = np.arange(len(order))
        self._documents: ProductIndex | LexicalIndex | NDArray[np.float32]
        if isinstance(placed, Counted):
            self._documents = LexicalIndex(placed)
        elif isinstance(placed, np.ndarray):
            self._documents = placed
        else:
            self._documents = ProductIndex(placed[order])

    def ranked(
        self, queries: Mapping[str, str], *, depth: int = 1000, drop_identical_ids: bool = False
    ) -> Run:
        """The best documents for every query.

        Args:
            queries: texts by id.
            depth: number of documents per query.
            drop_identical_ids: True to drop the document with the query's own id.

        Raises:
            DataError: the scorer returns NaN or infinity.
        """
        name = self.scorer.name
        without = np.full(len(queries), -1, dtype=np.int64)
        if drop_identical_ids:
            places = {key: number for number, key in enumerate(self._names.tolist())}
            without[:] = [places.get(query.encode(), -1) for query in queries]
        rows: list[Best] = []
        blocks = self._blocks(place(self.scorer, list(queries.values()), ()).queries, depth, without)
        total = -(-len(queries) // QUERIES_AT_ONCE)
        for found in track(blocks, title=f"ranking with {name}", total=total):
            if found is None:
                raise DataError(f"{name} gives scores that are no finite numbers", fix="leave it out")
            rows.extend(found)
        return Run(
            query_ids=tuple(queries),
            offsets=np.cumsum([0, *(len(documents) for documents, _ in rows)], dtype=np.int64),
            doc_ids=self._names[np.concatenate([row for row, _ in rows])]
            if rows
            else np.empty(0, dtype="S1"),
            scores=np.concatenate([row for _, row in rows]).astype(np.float64) if rows else np.empty(0),
            name=name,
        )

    def _blocks(
        self, queries: Features | Clauses, depth: int, without: NDArray[np.int64]
    ) -> Iterator[list[Best] | None]:
        """The results of queries, batch by batch; None for a batch with NaN or infinite scores."""
        ready = self._documents
        if isinstance(ready, ProductIndex):
            yield from ready.best(csr_array(cast("Features", queries)), depth, without)
            return
        for start in range(0, len(without), QUERIES_AT_ONCE):
            part = slice(start, start + QUERIES_AT_ONCE)
            asked = queries[part]
            scores: csr_array | NDArray[np.float32]
            if isinstance(ready, LexicalIndex):
                scores = ready.scores(cast("Clauses", asked))
            else:
                scores = np.asarray(asked) @ ready.T
            yield best_rows(scores, self._numbers, depth, without[part])
