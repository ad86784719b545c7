"""The documents that BM25 finds, for networks that rank what they are given but can't search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from textkin.base.arrays import Floats
from textkin.data.records import RetrievalSet, Run
from textkin.text.baselines import build
from textkin.vectors.index.corpus_ranking import rank_corpus

RERANKED = 100
"""The number of documents of each query."""


@dataclass(frozen=True, slots=True)
class FirstStage:
    """The best documents of BM25.

    Attributes:
        run: its ranking.
        texts: the query and the document of each row.
    """

    run: Run
    texts: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, data: RetrievalSet) -> FirstStage:
        """The documents of every judged query of a corpus."""
        run = rank_corpus(build("bm25", fit_texts=list(data.corpus.values())), data, depth=RERANKED)
        rows = np.repeat(np.arange(len(run.query_ids)), np.diff(run.offsets)).tolist()
        named = zip(rows, run.doc_ids.tolist(), strict=True)
        texts = [(data.queries[run.query_ids[row]], data.corpus[name.decode()]) for row, name in named]
        return cls(run, texts)

    def reranked(self, scores: Floats) -> Run:
        """The same documents by the scores of another system, shape [rows]."""
        return replace(self.run, scores=scores)
