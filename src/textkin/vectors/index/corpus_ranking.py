"""Exact rankings of a whole corpus, also by sparse vectors."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import not_finite
from textkin.base.progress import track
from textkin.base.threads import cores, side_by_side
from textkin.data.protocols import Features, Scorer
from textkin.data.records import RetrievalSet, Run
from textkin.text.baselines.lucene_parts import Clauses, Counted
from textkin.vectors.index.exact_search import place
from textkin.vectors.index.lucene_postings import LexicalIndex

if TYPE_CHECKING:
    from textkin.vectors.index.product_loops import Columns, SparseRows


def rank_corpus(
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
        self._documents: ProductIndex | LexicalIndex | Floats32
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
                raise not_finite(name)
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

    def _blocks(self, queries: Features | Clauses, depth: int, without: Ints) -> Iterator[list[Best] | None]:
        """The results of queries, batch by batch; None for a batch with NaN or infinite scores."""
        ready = self._documents
        if isinstance(ready, ProductIndex):
            yield from ready.best(csr_array(cast("Features", queries)), depth, without)
            return
        for start in range(0, len(without), QUERIES_AT_ONCE):
            part = slice(start, start + QUERIES_AT_ONCE)
            asked = queries[part]
            scores: csr_array | Floats32
            if isinstance(ready, LexicalIndex):
                scores = ready.scores(cast("Clauses", asked))
            else:
                scores = np.asarray(asked) @ ready.T
            yield best_rows(scores, self._numbers, depth, without[part])


Best = tuple[Ints, Floats32]
"""The best documents of a query, best first, with their scores."""

QUERIES_AT_ONCE = 64

# SciPy takes 20 ns to multiply, sum and rank a number. The compiled loops take 1 to 3 ns, but loading them
# takes 0.1 s if the compiler is loaded already, else 0.6 s.
_LOADED_IN = 5_000_000
_LOADED_WITH_COMPILER_IN = 30_000_000

_SIDE_BY_SIDE_FROM = 5_000_000  # numbers, which take at least 5 ms

# Minimum density of columns with a dense copy, which takes up to twice the memory.
_WHOLE_FROM = 0.25


class ProductIndex:
    """Documents by columns, prepared for repeated search.

    Scores equal those of SciPy's sparse matrix product bit for bit. SciPy computes them until that has taken
    as long as loading the compiled loops, and always for types other than float32.

    Args:
        documents: shape [documents, features].
    """

    def __init__(self, documents: csr_array) -> None:
        self._by_column = documents.T.tocsr()
        self._holders = np.diff(self._by_column.indptr)
        self._columns: Columns | None = None
        self._multiplied = 0

    def __len__(self) -> int:
        return int(self._by_column.shape[1])

    def best(self, queries: csr_array, depth: int, without: Ints) -> Iterator[list[Best] | None]:
        """Yield the best documents of each query, batch by batch; ties by lowest number.

        Documents with a score of zero are not found.

        Args:
            queries: shape [queries, features].
            depth: at least 1.
            without: a document to exclude for each query, -1 for none. Shape [queries].

        Returns:
            The results of one batch of queries after another; None if a score is not finite.
        """
        numbers = int(self._holders[queries.indices].sum())
        self._multiplied += numbers
        starts = range(0, queries.shape[0], QUERIES_AT_ONCE)
        if queries.dtype != np.float32 or self._by_column.dtype != np.float32 or not self._loops_pay():
            return map(partial(self._by_scipy, queries, depth, without), starts)
        from textkin.vectors.index.product_loops import SparseRows

        columns = self._columns = self._columns or self._for_loops()
        asked = SparseRows(queries.indptr.astype(np.int64), queries.indices, queries.data, without)
        shape = min(depth, len(self)), len(self)
        workers = cores() if numbers >= _SIDE_BY_SIDE_FROM else 1
        return side_by_side(partial(_by_loops, columns, asked, shape), starts, workers=workers)

    def _loops_pay(self) -> bool:
        """True if the loops are loaded, or if enough was computed to pay for loading them."""
        needed = _LOADED_IN if "numba" in sys.modules else _LOADED_WITH_COMPILER_IN
        return "textkin.vectors.index.product_loops" in sys.modules or self._multiplied >= needed

    def _for_loops(self) -> Columns:
        from textkin.vectors.index.product_loops import Columns

        many = np.flatnonzero(self._holders >= max(_WHOLE_FROM * len(self), 1))
        whole_of = np.full(len(self._holders), -1, dtype=np.int32)
        whole_of[many] = np.arange(len(many))
        return Columns(
            self._by_column.indptr.astype(np.int64),
            self._by_column.indices.astype(np.uint32),
            self._by_column.data,
            self._by_column[many].toarray(),
            whole_of,
        )

    def _by_scipy(self, queries: csr_array, depth: int, without: Ints, start: int) -> list[Best] | None:
        part = slice(start, start + QUERIES_AT_ONCE)
        return best_rows(queries[part] @ self._by_column, np.arange(len(self)), depth, without[part])


def _by_loops(columns: Columns, asked: SparseRows, shape: tuple[int, int], start: int) -> list[Best] | None:
    from textkin.vectors.index.product_loops import SparseRows, best_products, room_for

    depth, size = shape
    stop = min(start + QUERIES_AT_ONCE, len(asked.without))
    documents = np.empty((stop - start, depth), dtype=np.int64)
    scores, counts = np.empty(documents.shape, dtype=np.float32), np.empty(stop - start, dtype=np.int64)
    part = SparseRows(asked.offsets[start : stop + 1], asked.columns, asked.values, asked.without[start:stop])
    if not best_products(columns, part, room_for(size), documents, scores, counts):
        return None
    pieces = enumerate(counts.tolist())
    return [(documents[row, :count].copy(), scores[row, :count].copy()) for row, count in pieces]


def best_rows(
    product: csr_array | Floats32,
    numbers: Ints,
    depth: int,
    without: Ints,
) -> list[Best] | None:
    """The best documents of each query by score, ties by number, from all scores.

    Args:
        product: scores; a sparse product holds only those found. Shape [queries, documents].
        numbers: numbers of the documents. Shape [documents].
        depth: number of documents per query.
        without: a document to exclude for each query, -1 for none. Shape [queries].

    Returns:
        The results; None if a score is not finite.
    """
    found: list[Best] = []
    for (documents, scores), left_out in zip(_rows(product), without, strict=True):
        if not np.isfinite(scores).all():
            return None
        ranks = numbers[documents]
        if left_out >= 0:
            ranks, scores = ranks[ranks != left_out], scores[ranks != left_out]
        kept = np.arange(len(scores))
        if len(scores) > depth:
            last = np.partition(scores, len(scores) - depth)[len(scores) - depth]
            kept = np.flatnonzero(scores >= last)  # including all ties with the last one
        best = kept[np.lexsort((ranks[kept], -scores[kept]))[:depth]]
        found.append((ranks[best], scores[best]))
    return found


def _rows(product: csr_array | Floats32) -> Iterator[Best]:
    """Yield documents and scores of every query; a sparse product lists only those found."""
    if isinstance(product, np.ndarray):
        return ((np.arange(product.shape[1]), row) for row in product)
    ends = product.indptr[1:-1]
    return zip(np.split(product.indices, ends), np.split(product.data, ends), strict=True)
