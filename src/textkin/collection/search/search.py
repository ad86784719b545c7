"""Search in a collection: by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textkin.base.counts import count
from textkin.base.printable import shortened, visible_line
from textkin.base.results import HitLists, ResultRow
from textkin.base.text_table import text_table
from textkin.collection.search.options import Mode
from textkin.collection.search.rankings import CollectionSearch, Ranking, Unmatched
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.filter_notes import FilterNote
from textkin.data.entry_records import Window

if TYPE_CHECKING:
    from textkin.collection.search.explain import ExplainedHit

_LONGEST = 160  # characters of a text that are shown


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
        cosine: its cosine with the query, of its best window; None in searches by words, and if it is not
            among the nearest that both rankings are fused from.
        bm25: its BM25 score; None in searches by vectors, and if it is not among the best by words.
        reranker: the reranker's score; None without one.
    """

    entry_id: str
    score: float
    text: str
    metadata: Mapping[str, Any]
    probability: float | None = None
    window: Window | None = None
    cosine: float | None = None
    bm25: float | None = None
    reranker: float | None = None

    @property
    def matched(self) -> str:
        """The matching window, or the whole text without windows."""
        return self.text if self.window is None else self.text[slice(*self.window)]


@dataclass(frozen=True, slots=True, repr=False)
class SearchResult(HitLists):
    """The result of a search: the hits of one query, or a list of hits for each of several queries.

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
        explained: for each query, the explanation of each hit; empty unless asked for.
        one_query: True if a single query was given; the result is then the sequence of its hits.
        reranked: True if a reranker ordered the hits.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?", "When do you open?"])
        ...     notes.search("parking", k=1)[0].text
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
    explained: tuple[tuple[ExplainedHit, ...], ...] = ()
    one_query: bool = False
    reranked: bool = False

    def _asked(self) -> int:
        return len(self.queries)

    def _columns(self) -> Sequence[str]:
        scores = ["cosine", "bm25"] if self.mode == "hybrid" else []
        if self.reranked:
            own = {"hybrid": [], "vectors": ["cosine"], "words": ["bm25"]}[self.mode]
            scores += [*own, "reranker"]
        probability = ["probability"] if any(one is not None for one in self.answered) else []
        windowed = any(hit.window is not None for hits in self.hits for hit in hits)
        window = ["window"] if windowed else []
        return ["query", "rank", "score", *probability, *scores, "id", "text", *window]

    def _each(self) -> Iterator[Iterator[ResultRow]]:
        columns = self._columns()
        return (_rows_of(*one, columns) for one in zip(self.queries, self.hits, strict=True))

    def _said(self) -> tuple[str, ...]:
        asked = zip(self.queries, self.remarks, strict=True) if self.remarks else ()
        remarks = tuple(f"{query!r}: {remark}" for query, remark in asked if remark)
        return (*remarks, *map(str, self.filter_notes))

    def _summary(self) -> str:
        return f"{count(len(self.queries), 'query')}, {count(self._count(), 'hit')}, {self.ranked_by}"

    def text(self) -> str:
        """The hits of each query as a table, with their explanations."""
        return "\n\n".join(self._text_of(place) for place in range(len(self.queries)))

    def _text_of(self, place: int) -> str:
        hits, answered, remark = self.hits[place], self.answered[place], self.remarks[place]
        if not hits:
            return remark
        told = "" if answered is None else f"; the probability that any answers is {answered:.2f}"
        header = ["score", *(["probability"] if answered is not None else []), "id", "text"]
        rows = [
            [
                f"{hit.score:.4f}",
                *([f"{hit.probability:.3f}" if hit.probability is not None else ""] if told else []),
                str(hit.entry_id),
                shortened(visible_line(hit.matched), _LONGEST),
            ]
            for hit in hits
        ]
        why = self.explained[place] if self.explained else ()
        lines = [
            f"{self.ranked_by}{told}",
            *([remark] if remark else []),
            text_table(header, rows, width=None),
        ]
        return "\n".join([*lines, *(one.tables() for one in why)])

    def as_dict(self) -> dict[str, Any]:
        """The hits of a single query with what is known of them, or those of each query."""
        each = [self._dict_of(place) for place in range(len(self.queries))]
        return each[0] if self.one_query else {"queries": each}

    def _dict_of(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = {
            "query": self.queries[place],
            "ranked_by": self.ranked_by,
            "answered": self.answered[place],
            "unmatched": self.unmatched[place],
            "remark": self.remarks[place],
            "hits": self.hits[place],
        }
        if self.explained:
            found["explained"] = [one.to_dict() for one in self.explained[place]]
        return found


def _rows_of(query: str, hits: Sequence[EntryHit], columns: Sequence[str]) -> Iterator[ResultRow]:
    for rank, hit in enumerate(hits, 1):
        window = "" if hit.window is None else hit.matched
        row = {"query": query, "rank": rank, "id": hit.entry_id, "window": window}
        yield {name: row[name] if name in row else getattr(hit, name) for name in columns}


def _remark(ranking: Ranking, searcher: CollectionSearch) -> str:
    """A remark on a query that found nothing, or nothing by words; "" otherwise."""
    why = ranking.unmatched
    if ranking.hits:
        return "" if why is None else f"{why.in_words}: ranked by vectors alone"
    if ranking.answered is not None:
        least = searcher.min_probability
        what = "nothing here answers this; the probability that anything does"
        if least is not None and ranking.answered > 0.5:
            what = f"no hit has a probability of {least:g} or more; that of any answer here"
        return f"{what} is {ranking.answered:.2f}"
    if why is not None:
        return f"nothing found: {why.in_words}"
    if searcher.min_score is not None:
        return f"nothing found with a cosine of {searcher.min_score:g} or more"
    return "nothing found"


def search(searcher: CollectionSearch, store: CollectionStore, queries: Sequence[str]) -> SearchResult:
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
            EntryHit(hit.doc_id, hit.score, entry.text, entry.metadata, told, window, **parts._asdict())
            for hit, told, window, parts in zip(one.hits, one.probabilities, matched, one.parts, strict=True)
            for entry in (there[hit.doc_id],)
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
        reranked=searcher.reranker is not None,
    )
