"""Repeated search of texts by a scorer, with the scores of the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast, final

import numpy as np

from textkin.data.protocols import Scorer
from textkin.text.baselines.lucene_parts import Clauses
from textkin.vectors.index.exact_search import nearest, place, searchable
from textkin.vectors.index.lucene_postings import LexicalIndex
from textkin.vectors.join.nearest import Nearest, Searcher


@final
class Retriever:
    """Texts prepared for repeated exact search.

    Args:
        scorer: an encoder, a lexical scorer or Lucene's.
        texts: the texts to search.

    Raises:
        UsageError: the scorer is none of these.
        DataError: the scorer returns vectors with NaN or infinity.

    Example:
        >>> from textkin.text.baselines.lucene_classic import LuceneClassic
        >>> texts = ["ice melts", "fire burns"]
        >>> Retriever(LuceneClassic.fit(texts), texts).found(["what burns"], 2).documents.tolist()
        [[1, -1]]
    """

    def __init__(self, scorer: Scorer, texts: Sequence[str]) -> None:
        self._scorer = scorer
        self._documents = place(scorer, (), texts).documents
        self._ready = searchable(self._documents)
        self._count = len(texts)

    def found(self, queries: Sequence[str], depth: int) -> Nearest:
        """The ``depth`` best texts of each query, best first; ties by position."""
        asked = place(self._scorer, queries, ())
        depth = min(depth, self._count)
        if isinstance(self._ready, LexicalIndex):
            return self._ready.nearest(cast("Clauses", asked.queries), depth)
        if isinstance(self._ready, Searcher):
            return self._ready.nearest(np.asarray(asked.queries), depth, floor=asked.floor)
        documents = nearest(asked.queries, self._ready, depth, floor=asked.floor)
        scores = np.full(documents.shape, -np.inf, dtype=np.float32)
        rows, columns = np.nonzero(documents >= 0)
        space = replace(asked, documents=self._documents)
        scores[rows, columns] = space.scores(rows, documents[rows, columns])
        return Nearest(documents, scores)
