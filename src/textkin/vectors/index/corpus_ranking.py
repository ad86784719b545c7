"""Ranking a whole corpus for every query of a collection, exactly."""

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
    judged = [query for query in collection.qrels.query_ids if query in collection.queries]
    queries = {query: collection.queries[query] for query in judged}
    corpus = Corpus(scorer, collection.corpus)
    return corpus.ranked(queries, depth=depth, drop_identical_ids=drop_identical_ids)


@final
class Corpus:
    """Documents that a scorer has looked at, to be ranked for queries time and again.

    Args:
        scorer: an encoder or a lexical one.
        documents: texts by id.

    Attributes:
        scorer: as given.

    Raises:
        UsageError: the scorer can't rank a corpus.
        DataError: it gives vectors that are not numbers.
    """

    def __init__(self, scorer: Scorer, documents: Mapping[str, str]) -> None:
        self.scorer = scorer
        names = np.array([name.encode() for name in documents], dtype=np.bytes_)
        order = np.argsort(names)[::-1]
        self._names = names[order]  # so the first of equals is the one that the tie rule wants
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
            depth: documents to keep for each query.
            drop_identical_ids: leave out the document whose id is the query's own.

        Raises:
            DataError: the scorer gives scores that are not numbers.
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
        """What each query finds, some queries at a time; None where scores are no numbers."""
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
