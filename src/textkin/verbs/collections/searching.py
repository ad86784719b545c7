"""The work of ``search``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from textkin.base.errors import conflict, inapplicable, invalid
from textkin.base.paths import is_standard
from textkin.base.progress import note
from textkin.base.standard_streams import typed_lines
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.search import SearchResult
from textkin.collection.search.search_file import SearchedFile, search_file
from textkin.data.readers import TextReading
from textkin.text.truncation_account import note_truncation
from textkin.vectors.on_ray.location import Workplace
from textkin.verbs.collections.opened import Opened, note_account, opened, readings, refuse_file_options
from textkin.verbs.inputs import file_of_texts, note_file_as_text, texts_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """Options of searching.

    Attributes:
        options: options of each search.
        reading: the columns of texts and ids, and how their files are read.
        model: the model.
        explain: show what each word adds to the scores.
        accept_drift: continue with a model that isn't the collection's.
    """

    options: SearchOptions
    reading: TextReading
    model: Any
    explain: bool
    accept_drift: bool

    def of(self, texts: Any, queries: Any) -> SearchResult | Iterator[SearchResult]:
        """Search for one query or several, or for each line of standard input as it comes.

        Raises:
            UsageError: options don't go together, or a query is blank.
            DataError: texts or queries can't be read.
            ModelError: there is no such model.
        """
        of_texts, of_queries = readings(texts, queries, self.reading)
        refuse_file_options(self.reading.quoting, self.reading.encoding, texts, queries)
        if isinstance(queries, str) and is_standard(queries):
            return self._typed(texts, of_texts)
        note_file_as_text(queries)
        if self.reading.id is not None and of_texts.id is None:
            raise inapplicable("id", to="queries without `out`, whose results have their order")
        lone = isinstance(queries, str)
        asked = [queries] if lone else texts_from(queries, of_queries, name="queries").texts
        if not all(map(str.strip, asked)):
            raise invalid("queries", queries, expected="a text that isn't blank")
        with self._opened(texts, of_texts) as found:
            result = self._found(found, asked)
        return replace(result, one_query=lone)

    def to_file(self, texts: Any, queries: Any, out: Path, **where: Unpack[Workplace]) -> SearchedFile:
        """Search for each query of a file, and write a run.

        Raises:
            UsageError: options don't go together.
            DataError: texts or queries can't be read.
            ModelError: there is no such model.
            OutputError: the run can't be written.
        """
        if self.explain:
            raise conflict("explain", "out", why="a run has no room for explanations")
        path = file_of_texts(queries)
        of_texts, of_queries = readings(texts, path, self.reading)
        with self._opened(texts, of_texts, on=where.get("on")) as found:
            return search_file(found.collection, path, out, self.options, reading=of_queries, **where)

    @contextmanager
    def _opened(self, texts: Any, reading: TextReading, *, on: str | None = None) -> Iterator[Opened]:
        """The collection, or the texts, for a block; what is noteworthy is reported before and after it."""
        encoded = self.options.mode != "words"
        with opened(
            texts, reading, model=self.model, accept_drift=self.accept_drift, encoded=encoded
        ) as found:
            if found.ids is not None and on is not None:
                raise inapplicable("on", to="texts that are no collection")
            _note_filter(found, self.options)
            yield found
            _note_accounts(found)

    def _typed(self, texts: Any, reading: TextReading) -> Iterator[SearchResult]:
        with self._opened(texts, reading) as found:
            for _, line in typed_lines():
                yield replace(self._found(found, [line]), one_query=True)

    def _found(self, given: Opened, queries: Sequence[str]) -> SearchResult:
        collection, options = given.collection, self.options
        collection.prepare(options)
        with collection.store.reading():  # so that hits and explanations are of one moment
            found = collection.find(queries, options)
            if self.explain:
                why = (
                    collection.explain(
                        query, hits, mode=options.mode, rerank=options.rerank, bm25=options.bm25
                    )
                    for query, hits in zip(queries, found.hits, strict=True)
                )
                found = replace(found, explained=tuple(why))
        if given.ids is None:
            return found
        named = (
            tuple(replace(hit, entry_id=given.id_of(hit.entry_id)) for hit in hits) for hits in found.hits
        )
        return replace(found, hits=tuple(named))


def _note_filter(given: Opened, options: SearchOptions) -> None:
    """Report suspicious parts of a filter, such as misspelt names."""
    if given.ids is not None and options.where is not None:
        raise inapplicable("where", to="texts without metadata", fix="add them to a collection: `add()`")
    for one in () if options.where is None else given.collection.filter_notes(options.where):
        note(str(one))


def _note_accounts(given: Opened) -> None:
    collection = given.collection
    note_account(collection.model.of_queries)
    if given.ids is not None:
        note_account(collection.model.of_texts)
    if collection.reranker is not None:
        note_truncation(collection.reranker.truncation)
