"""Search in a collection: by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from textkin.errors import UsageError, did_you_mean
from textkin.index.fusion import reciprocal_rank_fusion
from textkin.protocols import Store
from textkin.ranking import best_first
from textkin.records import Hit, Run
from textkin.results import Result, ResultRow
from textkin.tasks.find.model import CollectionModel

Mode = Literal["hybrid", "vectors", "words"]
MODES: tuple[Mode, ...] = ("hybrid", "vectors", "words")

_LEAST_POOL = 100
_POOL = 2  # times k: how deep the rankings are that are fused


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Attributes:
        k: so many entries are found for each query, where there are so many.
        mode: by words (BM25), by vectors (cosines), or by both, fused by their ranks.
        where: a filter of metadata, such as ``lang = "en" and year >= 2020``; None for all entries.

    Example:
        >>> import textkin as tk
        >>> tk.SearchOptions(k=3, where='lang = "en"').mode
        'hybrid'
    """

    k: int = 10
    mode: Mode = "hybrid"
    where: str | None = None

    def check(self) -> None:
        """Refuse what can't be asked.

        Raises:
            UsageError: ``k`` is below 1, or there is no such mode.
        """
        if self.k < 1:
            raise UsageError(f"k is {self.k}", fix="ask for at least 1")
        if self.mode not in MODES:
            raise UsageError(f"mode is {self.mode!r}", fix=did_you_mean(self.mode, MODES))


@final
@dataclass(frozen=True, slots=True)
class EntryHit:
    """An entry that was found.

    Attributes:
        entry_id: its id.
        score: BM25, a cosine, or the sum of reciprocal ranks, by the mode.
        text: its text.
        metadata: its metadata.
    """

    entry_id: str
    score: float
    text: str
    metadata: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Result):
    """What was found.

    Attributes:
        queries: the texts that were asked for.
        hits: of each query, best first.
        mode: how it was searched.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?", "When do you open?"])
        ...     notes.search("parking", k=1).hits[0][0].text
        'Where can I park?'
    """

    queries: tuple[str, ...]
    hits: tuple[tuple[EntryHit, ...], ...]
    mode: Mode

    def _rows(self) -> Iterator[ResultRow]:
        for query, hits in zip(self.queries, self.hits, strict=True):
            for rank, hit in enumerate(hits, 1):
                yield {"query": query, "rank": rank, "score": hit.score, "id": hit.entry_id, "text": hit.text}


def search(
    store: Store, model: CollectionModel, queries: Sequence[str], options: SearchOptions
) -> SearchResult:
    """Search for texts.

    Raises:
        UsageError: the options or the filter can't be understood.
        ModelError: the model isn't there, or has changed.
        DataError: the collection is damaged.
    """
    with store.reading():
        rankings = ranked(store, model, queries, options)
        there = {one.entry_id: one for one in store.rows([hit.doc_id for hits in rankings for hit in hits])}
    found = tuple(
        tuple(
            EntryHit(hit.doc_id, hit.score, there[hit.doc_id].text, there[hit.doc_id].metadata)
            for hit in hits
        )
        for hits in rankings
    )
    return SearchResult(tuple(queries), found, options.mode)


def ranked(
    store: Store, model: CollectionModel, queries: Sequence[str], options: SearchOptions
) -> list[list[Hit]]:
    """The ranking of each query, of ids and scores alone."""
    options.check()
    k, where = options.k, options.where
    pool = k if options.mode != "hybrid" else max(_POOL * k, _LEAST_POOL)
    by_words = store.words(queries, pool, where=where) if options.mode != "vectors" else []
    if options.mode == "words":
        return by_words
    vectors = np.asarray(model.encode_queries(queries), dtype=np.float32) if len(queries) else _NONE
    by_vectors = store.nearest(vectors, pool, where=where)
    if options.mode == "vectors":
        return by_vectors
    ids = [str(number) for number in range(len(queries))]
    both = run_of(ids, by_words, "words"), run_of(ids, by_vectors, "vectors")
    fused = reciprocal_rank_fusion(both, depth=pool).to_dict()
    return [_hits(fused.get(one, {}))[:k] for one in ids]


def run_of(ids: Sequence[str], rankings: Sequence[Sequence[Hit]], name: str) -> Run:
    """The rankings of queries as a run."""
    return Run.from_dict(
        {query: {hit.doc_id: hit.score for hit in hits} for query, hits in zip(ids, rankings, strict=True)},
        name=name,
    )


def _hits(scores: Mapping[str, float]) -> list[Hit]:
    return best_first([Hit(name, float(np.float32(score))) for name, score in scores.items()])


_NONE = np.empty((0, 0), dtype=np.float32)
