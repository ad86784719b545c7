"""Inverted lists for exact search by Lucene's classic similarity, term at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from textkin.base.threads import cores, side_by_side
from textkin.text.baselines.lucene_parts import Clauses, Counted
from textkin.vectors.join.nearest import Nearest

if TYPE_CHECKING:
    from textkin.vectors.index.posting_loops import Asked, Field, Sums

_QUERIES_AT_ONCE = 64


class LexicalIndex:
    """Documents by their words, prepared for repeated search.

    Scores equal those of :class:`textkin.text.baselines.lucene_classic.LuceneClassic` bit for bit. Each list
    of a query's words is read once, and a heap keeps the best documents. If numba's compiler is disabled, the
    same loops run slowly.

    Args:
        documents: word counts from the scorer.
    """

    def __init__(self, documents: Counted) -> None:
        from textkin.vectors.index.posting_loops import WordLists

        by_word = documents.roots.tocsc()
        self._numbers = documents.numbers
        self._lists = WordLists(
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int32),
            by_word.data.astype(np.float32),
            documents.norms.astype(np.float32),
        )

    def __len__(self) -> int:
        return len(self._lists.norms)

    def nearest(self, queries: Clauses, depth: int, *, workers: int | None = None) -> Nearest:
        """The ``depth`` best documents of each query that share a word with it.

        Args:
            queries: clauses from the scorer.
            depth: at least 1.
            workers: number of threads; None for all cores.
        """
        from textkin.vectors.index.posting_loops import best

        asked = self._asked(queries)
        shape = len(queries), depth
        found = Nearest(np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf, dtype=np.float32))

        def search(first: int) -> None:
            part = slice(first, first + _QUERIES_AT_ONCE)
            best(self._lists, asked, self._room(), first, found.documents[part], found.scores[part])

        starts = range(0, len(queries), _QUERIES_AT_ONCE)
        for _ in side_by_side(search, starts, workers=workers or cores()):
            pass
        return found

    def scores(self, queries: Clauses) -> csr_array:
        """The scores of all documents that share a word with a query. Shape [queries, documents]."""
        from textkin.vectors.index.posting_loops import every

        asked = self._asked(queries)
        known = asked.terms[asked.terms >= 0]
        most = int((self._lists.offsets[known + 1] - self._lists.offsets[known]).sum())
        documents, scores = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.float32)
        ends = np.zeros(len(queries) + 1, dtype=np.int64)
        every(self._lists, asked, self._room(), documents, scores, ends)
        used = slice(int(ends[-1]))
        return csr_array((scores[used], documents[used], ends), shape=(len(queries), len(self)))

    def field(self, queries: Clauses) -> Field:
        """The loops' input from documents and queries."""
        from textkin.vectors.index.posting_loops import Field

        return Field(self._lists, self._asked(queries), self._room())

    def _asked(self, queries: Clauses) -> Asked:
        from textkin.vectors.index.posting_loops import Asked

        return Asked(queries.offsets, queries.numbered(self._numbers), queries.weights)

    def _room(self) -> Sums:
        from textkin.vectors.index.posting_loops import Sums

        found, matched = np.zeros((2, len(self)), dtype=np.int32)
        return Sums(np.zeros(len(self)), matched, found)


def best_of_fields(
    first: LexicalIndex,
    second: LexicalIndex,
    queries: tuple[Clauses, Clauses],
) -> Nearest:
    """The best document of each query over two fields.

    This is Lucene's query ``first:(...) second:(...)``: each field's score has its own ``coord``, and their
    sum is halved if only one of them matches, unless the query has no clause for the other.

    Args:
        first: documents by the first field.
        second: the same documents by the second field.
        queries: clauses for each field, weighted together.

    Returns:
        Documents and scores of shape [queries, 1]; -1 and 0 without a match.
    """
    from textkin.vectors.index.posting_loops import best_of_two

    count = len(queries[0])
    found = Nearest(np.full((count, 1), -1, dtype=np.int64), np.zeros((count, 1), dtype=np.float32))

    def search(start: int) -> None:
        part = slice(start, start + _QUERIES_AT_ONCE)
        fields = first.field(queries[0][part]), second.field(queries[1][part])
        best_of_two(*fields, found.documents[part, 0], found.scores[part, 0])

    starts = range(0, count, _QUERIES_AT_ONCE)
    for _ in side_by_side(search, starts, workers=cores()):
        pass
    return found
