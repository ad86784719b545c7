"""The queries of a file searched in a collection, to a run that ``measure`` reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from textkin.errors import UsageError
from textkin.files import overwritten
from textkin.progress import progress
from textkin.readers import TextReading
from textkin.readers.beir import is_beir, read_beir_texts
from textkin.readers.report import ReadReport, SkipCounter
from textkin.readers.texts import TextFile
from textkin.readers.trec import write_run
from textkin.results import Account, ResultRow
from textkin.tasks.find.collection import OpenCollection
from textkin.tasks.find.searching.fused import run_of
from textkin.tasks.find.searching.options import SearchOptions
from textkin.tasks.find.searching.ranked import Ranking

_AT_ONCE = 256


@final
@dataclass(frozen=True, slots=True, repr=False)
class SearchedFile(Account):
    """What was searched for.

    Attributes:
        queries: how many.
        without: of them those that found nothing.
        hits: in all.
        out: the run.
        read: what the reader skipped.
        ranked_by: what gives the order, in words.
    """

    queries: int
    without: int
    hits: int
    out: Path
    read: ReadReport
    ranked_by: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields("queries", "without", "hits", "out", "ranked_by")


def search_file(
    collection: OpenCollection,
    queries: Path,
    out: Path,
    options: SearchOptions,
    *,
    reading: TextReading | None = None,
) -> SearchedFile:
    """Search for every query of a file, all at one moment of the collection, and write a TREC run.

    Args:
        collection: what is searched.
        queries: plain text with one query a line, a table, or a BEIR folder, whose queries are read.
        out: the run to write.
        options: how to search.
        reading: of a table.

    Raises:
        UsageError: the options can't be understood, ask for probabilities that nobody has fitted, or ``out``
            is the file of queries.
        DataError: the file can't be read, or an id holds white space.
        OutputError: the run can't be written.
    """
    if overwritten([out], [queries]):
        raise UsageError(f"{out} is the file of queries", fix="choose another file for the run")
    counter = SkipCounter(queries)
    if queries.is_dir() and is_beir(queries):
        asked = read_beir_texts(queries, "queries.jsonl", counter)
    else:
        asked = dict(TextFile(queries, reading=reading).rows(counter))
    ids, texts = list(asked), list(asked.values())
    rankings: list[Ranking] = []
    collection.prepare(options)
    with collection.store.reading(), progress("searching", total=len(texts)) as shown:
        searcher = collection.searcher(options)
        for start in range(0, len(texts), _AT_ONCE):
            part = texts[start : start + _AT_ONCE]
            rankings += searcher.rank(part)
            shown.advance(len(part))
    write_run(out, run_of(ids, [one.hits for one in rankings], f"textkin-{options.mode}"))
    counts = [len(one.hits) for one in rankings]
    return SearchedFile(len(texts), counts.count(0), sum(counts), out, counter.report(), searcher.ranked_by)
