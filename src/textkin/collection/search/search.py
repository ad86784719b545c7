"""Search in a collection: by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from textkin.base.results import Result, ResultRow
from textkin.collection.search.empty_results import Unmatched
from textkin.collection.search.options import Mode
from textkin.collection.search.rankings import CollectionSearch, Ranking
from textkin.collection.store.filter_warnings import FilterNote
from textkin.data.entry_records import Window
from textkin.data.protocols import Store


@final
@dataclass(frozen=True, slots=True)
class EntryHit:
    """An entry found by a search.

    Attributes:
        entry_id: its id.
        score: the score that it is ranked by: BM25, a cosine, the sum of reciprocal ranks, the weighted sum
            of scores, or the reranker's.
        text: its text.
        metadata: its metadata.
        probability: the probability that it is relevant; None if the collection isn't calibrated for such a
            search.
        window: the offsets (start, end) of the window most similar to the query. None if the text has one
            vector, and in searches by words alone.
    """

    entry_id: str
    score: float
    text: str
    metadata: Mapping[str, Any]
    probability: float | None = None
    window: Window | None = None

    @property
    def matched(self) -> str:
        """The matching window, or the whole text without windows."""
        return self.text if self.window is None else self.text[slice(*self.window)]


@final
@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(Result):
    """The result of a search.

    Attributes:
        queries: the queries' texts.
        hits: the hits of each query, best first.
        mode: the search mode.
        answered: for each query, the probability that any entry found is relevant, including those that
            ``min_probability`` drops; None if the collection isn't calibrated.
        ranked_by: the ranking method, in words.
        unmatched: for each query, the reason why words found nothing: "no words", "unknown words", or
            "filtered"; None if they found something or weren't used.
        remarks: further remarks on each query, such as why nothing was found; "" without.
        filter_notes: suspicious parts of the filter, such as a name that no entry has.

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
    unmatched: tuple[Unmatched | None, ...] = ()
    remarks: tuple[str, ...] = ()
    filter_notes: tuple[FilterNote, ...] = ()

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
        asked = zip(self.queries, self.remarks, strict=True) if self.remarks else ()
        remarks = tuple(f"{query!r}: {remark}" for query, remark in asked if remark)
        return (*remarks, *map(str, self.filter_notes))


def _remark(ranking: Ranking, searcher: CollectionSearch) -> str:
    """A remark on a query that found nothing, or nothing by words; "" otherwise."""
    why = ranking.unmatched
    if ranking.hits:
        return "" if why is None else f"{why.in_words}: ranked by vectors alone"
    if ranking.answered is not None:
        return f"nothing here answers this; the probability that anything does is {ranking.answered:.2f}"
    if why is not None:
        return f"nothing found: {why.in_words}"
    if searcher.min_score is not None:
        return f"nothing found with a cosine of {searcher.min_score:g} or more"
    return "nothing found"


def search(searcher: CollectionSearch, store: Store, queries: Sequence[str]) -> SearchResult:
    """Search for texts.

    Raises:
        UsageError: the filter can't be parsed.
        ModelError: the model doesn't exist, or has changed.
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
    return SearchResult(
        tuple(queries),
        found,
        searcher.mode,
        answered,
        searcher.ranked_by,
        unmatched=tuple(one.unmatched for one in rankings),
        remarks=tuple(_remark(one, searcher) for one in rankings),
    )
