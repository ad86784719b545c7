"""Search a collection for the queries of a file, and write a TREC run."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Unpack

from textkin.base.counts import count
from textkin.base.errors import DataError
from textkin.base.files import refuse_overwriting
from textkin.base.paths import shown_output
from textkin.base.progress import progress
from textkin.base.results import ResultRow, Summary
from textkin.collection.collection import OpenCollection
from textkin.collection.open_collection import open_collection
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.rank_fusion import run_of
from textkin.collection.search.rankings import CollectionSearch, Ranking
from textkin.collection.search.reranker import RERANKED_AT_ONCE
from textkin.data.readers import TextReading
from textkin.data.readers.datasets.beir import is_beir, read_beir_texts
from textkin.data.readers.read_report import ReadReport, SkipCounter, note_read
from textkin.data.readers.texts import open_texts
from textkin.data.readers.trec import write_run
from textkin.vectors.on_ray.location import Workplace, check_where, engine_of

_AT_ONCE = 256


class RanksQueries(Protocol):
    """An object that ranks the entries of a collection."""

    def rank(self, queries: Sequence[str]) -> list[Ranking]:
        """Rank each query."""


def rankings_of(searcher: RanksQueries, queries: Sequence[str]) -> list[Ranking]:
    """The rankings of some queries."""
    return searcher.rank(queries)


class SearcherThere:
    """A collection opened by a worker, at the state in which it was sent.

    Args:
        collection: the open collection.
        options: the search options.
    """

    def __init__(self, collection: OpenCollection, options: SearchOptions) -> None:
        self._place, (self._model, self._accept_drift) = collection.folder, collection.given
        self._options, self._counter = options, collection.store.counter()
        self._searcher: CollectionSearch | None = None

    def rank(self, queries: Sequence[str]) -> list[Ranking]:
        """Rank each query.

        Raises:
            DataError: the collection can't be opened there, or has changed meanwhile.
        """
        if self._searcher is None:
            opened = open_collection(self._place, model=self._model, accept_drift=self._accept_drift)
            opened.prepare(self._options)
            ExitStack().enter_context(opened.store.reading())  # for as long as the worker lives
            if (counter := opened.store.counter()) != self._counter:
                raise DataError(
                    f"{self._place} was changed during the search: {self._counter} changes, now {counter}",
                    fix="run the command again",
                )
            self._searcher = opened.searcher(self._options)
        return self._searcher.rank(queries)


@dataclass(frozen=True, slots=True, repr=False)
class SearchedFile(Summary):
    """The result of searching a file.

    Attributes:
        queries: the number of queries.
        without: the number of queries that found nothing.
        hits: the total number of hits.
        out: the run.
        read: the reader's account of skipped rows.
        ranked_by: the ranking method, in words.
        unmatched: the number of queries none of whose words found an entry.
    """

    queries: int
    without: int
    hits: int
    out: Path
    read: ReadReport
    ranked_by: str = ""
    unmatched: int = 0

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields("queries", "without", "unmatched", "hits", "out", "ranked_by")

    def text(self) -> str:
        """The counts of queries and hits, and the ranking method."""
        without = f", {self.without:,} found nothing" if self.without else ""
        without += f", {self.unmatched:,} found nothing by words" if self.unmatched else ""
        counts = f"{count(self.queries, 'query')}{without}; {count(self.hits, 'hit')}"
        return f"{counts} written to {shown_output(self.out)}\nranked {self.ranked_by}"


def search_file(
    collection: OpenCollection,
    queries: Path,
    out: Path,
    options: SearchOptions,
    *,
    reading: TextReading | None = None,
    **where: Unpack[Workplace],
) -> SearchedFile:
    """Search for every query of a file in one snapshot, and write a TREC run.

    Args:
        collection: the collection to search.
        queries: plain text with one query per line, a table, or a BEIR folder, whose queries are read.
        out: the run to write.
        options: the search options.
        reading: options for reading a table.
        where: the place of the work, with a collection that all machines can open: see
            :class:`textkin.vectors.on_ray.location.Workplace`.

    Raises:
        UsageError: the options can't be parsed, need probabilities that were never fitted, or ``out`` is the
            query file.
        DataError: the file can't be read, or an id holds white space.
        OutputError: the run can't be written.
    """
    check_where(**where)
    refuse_overwriting([out], [queries])
    counter = SkipCounter(queries)
    if queries.is_dir() and is_beir(queries):
        asked = read_beir_texts(queries, "queries.jsonl", counter)
    else:
        asked = dict(open_texts(queries, reading=reading).rows(counter))
    ids, texts = list(asked), list(asked.values())
    rankings: list[Ranking] = []
    collection.prepare(options)
    with (
        engine_of(**where) as engine,
        collection.store.reading(),
        progress("searching", total=len(texts)) as shown,
    ):
        searcher = collection.searcher(options)
        at_once = _AT_ONCE if searcher.reranker is None else RERANKED_AT_ONCE
        parts = [texts[start : start + at_once] for start in range(0, len(texts), at_once)]
        given = searcher if where.get("on") is None else SearcherThere(collection, options)
        for found in engine.each(rankings_of, given, parts):
            rankings += found
            shown.advance(len(found))
    write_run(out, run_of(ids, [one.hits for one in rankings], f"textkin-{options.mode}"))
    counts = [len(one.hits) for one in rankings]
    blind = sum(one.unmatched is not None for one in rankings)
    read, ranked_by = counter.report(), searcher.ranked_by
    note_read(read)
    return SearchedFile(len(texts), counts.count(0), sum(counts), out, read, ranked_by, blind)
