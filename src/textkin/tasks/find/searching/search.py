"""Search in a collection: by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from textkin.collection_records import Span
from textkin.protocols import Store
from textkin.results import Result, ResultRow
from textkin.tasks.find.searching.options import Mode
from textkin.tasks.find.searching.ranked import CollectionSearch


@final
@dataclass(frozen=True, slots=True)
class EntryHit:
    """An entry that was found.

    Attributes:
        entry_id: its id.
        score: what it was ranked by: BM25, a cosine, the sum of reciprocal ranks, the weighted sum of scores,
            or the reranker's.
        text: its text.
        metadata: its metadata.
        probability: that it is relevant; None where the collection was not calibrated for such a search.
        window: where the window of the text stands that is most similar to the query: its first character,
            and the one after its last. None where the text has one vector, and in searches by words alone.
    """

    entry_id: str
    score: float
    text: str
    metadata: Mapping[str, Any]
    probability: float | None = None
    window: Span | None = None

    @property
    def matched(self) -> str:
        """The window that matched; the whole text where there is none."""
        return self.text if self.window is None else self.text[slice(*self.window)]


@final
@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Result):
    """What was found.

    Attributes:
        queries: the texts that were asked for.
        hits: of each query, best first.
        mode: how it was searched.
        answered: of each query the probability that any entry that was found is relevant, those that
            ``min_probability`` leaves out among them; None where the collection was not calibrated.
        ranked_by: what gives the order, in words.

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
    answered: tuple[float | None, ...] = ()
    ranked_by: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        calibrated = any(one is not None for one in self.answered)
        windowed = any(hit.window is not None for hits in self.hits for hit in hits)
        for query, hits in zip(self.queries, self.hits, strict=True):
            for rank, hit in enumerate(hits, 1):
                row: ResultRow = {"query": query, "rank": rank, "score": hit.score}
                row |= {"probability": hit.probability} if calibrated else {}
                row |= {"id": hit.entry_id, "text": hit.text}
                yield row | {"window": "" if hit.window is None else hit.matched} if windowed else row

    def _said(self) -> tuple[str, ...]:
        asked = zip(self.queries, self.hits, self.answered, strict=True) if self.answered else ()
        return tuple(f"{query!r}: {nothing_in_words(told)}" for query, hits, told in asked if not hits)


def nothing_in_words(answered: float | None) -> str:
    """What is said of a query without hits."""
    if answered is None:
        return "nothing found"
    return f"nothing here answers this; the probability that anything does is {answered:.2f}"


def search(searcher: CollectionSearch, store: Store, queries: Sequence[str]) -> SearchResult:
    """Search for texts.

    Raises:
        UsageError: the filter can't be understood.
        ModelError: the model isn't there, or has changed.
        DataError: the collection is damaged.
    """
    with store.reading():
        rankings = searcher.rank(queries)
        there = {
            one.entry_id: one for one in store.rows([hit.doc_id for one in rankings for hit in one.hits])
        }
        windows = searcher.windows(queries, rankings)
    found = tuple(
        tuple(
            EntryHit(hit.doc_id, hit.score, there[hit.doc_id].text, there[hit.doc_id].metadata, told, window)
            for hit, told, window in zip(one.hits, one.probabilities, matched, strict=True)
        )
        for one, matched in zip(rankings, windows, strict=True)
    )
    answered = tuple(one.answered for one in rankings)
    return SearchResult(tuple(queries), found, searcher.mode, answered, searcher.ranked_by)
