"""The work of ``search``."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
from textkin.verbs.collections.opened import Opened, note_account, opened, readings
from textkin.verbs.inputs import file_of_texts, note_file_as_text, texts_from


def search_texts(
    texts: Any,
    queries: Any,
    options: SearchOptions,
    reading: TextReading,
    *,
    model: Any = None,
    explain: bool = False,
    accept_drift: bool = False,
) -> SearchResult | Iterator[SearchResult]:
    """Search for one query or several, or for each line of standard input as it comes.

    Raises:
        UsageError: options don't go together, or a query is blank.
        DataError: texts or queries can't be read.
        ModelError: there is no such model.
    """
    of_texts, of_queries = readings(texts, queries, reading)
    if isinstance(queries, str) and is_standard(queries):
        return _typed(texts, options, of_texts, model=model, explain=explain, accept_drift=accept_drift)
    note_file_as_text(queries)
    asked = [queries] if isinstance(queries, str) else texts_from(queries, of_queries, name="queries").texts
    if not all(map(str.strip, asked)):
        raise invalid("queries", queries, expected="a text that isn't blank")
    with opened(
        texts, of_texts, model=model, accept_drift=accept_drift, encoded=_needs_vectors(options)
    ) as found:
        _note_filter(found, options)
        result = _found(found, asked, options, explain=explain)
        _note_accounts(found)
    return replace(result, one_query=isinstance(queries, str))


def search_to_file(
    texts: Any,
    queries: Any,
    out: Path,
    options: SearchOptions,
    reading: TextReading,
    *,
    model: Any = None,
    explain: bool = False,
    accept_drift: bool = False,
    **where: Unpack[Workplace],
) -> SearchedFile:
    """Search for each query of a file, and write a run.

    Raises:
        UsageError: options don't go together.
        DataError: texts or queries can't be read.
        ModelError: there is no such model.
        OutputError: the run can't be written.
    """
    if explain:
        raise conflict("explain", "out", why="a run has no room for explanations")
    path = file_of_texts(queries)
    of_texts, of_queries = readings(texts, path, reading)
    with opened(
        texts, of_texts, model=model, accept_drift=accept_drift, encoded=_needs_vectors(options)
    ) as found:
        if found.ids is not None and where.get("on") is not None:
            raise inapplicable("on", to="texts that are no collection")
        _note_filter(found, options)
        result = search_file(found.collection, path, out, options, reading=of_queries, **where)
        _note_accounts(found)
    return result


def _typed(
    texts: Any,
    options: SearchOptions,
    reading: TextReading,
    *,
    model: Any,
    explain: bool,
    accept_drift: bool,
) -> Iterator[SearchResult]:
    with opened(
        texts, reading, model=model, accept_drift=accept_drift, encoded=_needs_vectors(options)
    ) as found:
        _note_filter(found, options)
        for _, line in typed_lines():
            yield replace(_found(found, [line], options, explain=explain), one_query=True)
        _note_accounts(found)


def _found(given: Opened, queries: Sequence[str], options: SearchOptions, *, explain: bool) -> SearchResult:
    collection = given.collection
    collection.prepare(options)
    with collection.store.reading():  # so that hits and explanations are of one moment
        found = collection.find(queries, options)
        if explain:
            why = (
                collection.explain(query, hits, mode=options.mode, rerank=options.rerank, bm25=options.bm25)
                for query, hits in zip(queries, found.hits, strict=True)
            )
            found = replace(found, explained=tuple(why))
    if given.ids is None:
        return found
    named = (tuple(replace(hit, entry_id=given.id_of(hit.entry_id)) for hit in hits) for hits in found.hits)
    return replace(found, hits=tuple(named))


def _note_filter(given: Opened, options: SearchOptions) -> None:
    """Report suspicious parts of a filter, such as misspelt names."""
    if given.ids is not None and options.where is not None:
        raise inapplicable("where", to="texts without metadata", fix="add them to a collection: `add()`")
    for one in () if options.where is None else given.collection.filter_notes(options.where):
        note(str(one))


def _needs_vectors(options: SearchOptions) -> bool:
    return options.mode != "words"


def _note_accounts(given: Opened) -> None:
    collection = given.collection
    note_account(collection.model.of_queries)
    if given.ids is not None:
        note_account(collection.model.of_texts)
    if collection.reranker is not None:
        note_truncation(collection.reranker.truncation)
