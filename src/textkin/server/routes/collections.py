"""Collection routes: search, match, and documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Field, StringConstraints, create_model, model_validator

from textkin.collection.match.match import Match, told
from textkin.collection.match.match_rules import MatchOptions
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.search import EntryHit
from textkin.data.entry_records import Entry
from textkin.data.readers.entries import distinct, hashed_id
from textkin.report.text_diff import differing
from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import FilledText, NoBody, Route, StrictBody, verb_fields
from textkin.server.served_collection import ServedCollection
from textkin.server.service import Service
from textkin.text.baselines.shared_words import Places
from textkin.vectors.groups.guards import guards_of
from textkin.verbs.collections import match as matching
from textkin.verbs.collections import search as verbs

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


SEARCH_OPTIONS = (
    "k",
    "mode",
    "where",
    "min_probability",
    "min_score",
    "rerank",
    "rerank_depth",
    "probe",
    "bm25",
)
"""The options of ``search`` that clients may give; the others name files and models of the server."""

MATCH_OPTIONS = ("threshold", "base_rate", "precision", "ask", "guards")
"""The options of ``match`` that clients may give; storing texts has a route of its own."""

MOST_HITS = 10_000
"""The greatest number of hits that a client may ask for."""


class _Queries(StrictBody):
    """A query or several, and the collection.

    With ``highlight``, each hit has the places of the words that it shares with the query.
    """

    query: FilledText | None = None
    queries: tuple[FilledText, ...] = ()
    collection: str | None = None
    highlight: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.query is None) == (not self.queries):
            raise ValueError("give query or queries, one of them")
        return self


SearchBody: Any = create_model(
    "SearchBody",
    __base__=_Queries,
    __doc__="The body of ``POST /search``.",
    **verb_fields(verbs.search, SEARCH_OPTIONS, most={"k": MOST_HITS, "rerank_depth": MOST_HITS}),
)


class NewDocument(StrictBody):
    """A text for a collection; without an id it gets a hash of its text."""

    text: FilledText
    id: _Name | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class _NewTexts(StrictBody):
    """Texts, and the collection to match them with."""

    texts: Annotated[tuple[FilledText | NewDocument, ...], Field(min_length=1)]
    collection: str | None = None


_MATCHING = verb_fields(matching.match, MATCH_OPTIONS, kinds={"guards": tuple[str, ...] | str | None})
_SHOWING: dict[str, Any] = {
    "differences": (
        bool,
        Field(False, description="Return the parts in which each text and its match differ."),
    ),
    "draft": (
        bool,
        Field(False, description="A text that is being typed: don't watch or count its verdict."),
    ),
}
MatchBody: Any = create_model(
    "MatchBody", __base__=_NewTexts, __doc__="The body of ``POST /match``.", **_MATCHING, **_SHOWING
)
MatchAddBody: Any = create_model(
    "MatchAddBody", __base__=_NewTexts, __doc__="The body of ``POST /match/add``.", **_MATCHING
)


class DocumentsBody(StrictBody):
    """The body of ``POST /documents``."""

    documents: Annotated[tuple[NewDocument, ...], Field(min_length=1)]
    collection: str | None = None


class RemoveBody(StrictBody):
    """The body of ``DELETE /documents``: ids, or a filter."""

    ids: tuple[_Name, ...] = ()
    where: _Name | None = None
    collection: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> RemoveBody:
        if (self.where is None) == (not self.ids):
            raise ValueError("give ids or where, one of them")
        return self


class GetBody(StrictBody):
    """The query of ``GET /documents``: an id, or several."""

    id: Annotated[tuple[_Name, ...], Field(min_length=1)]
    collection: str | None = None


def searching(service: Service, call: Call, given: Mapping[str, Any], queries: int = 1) -> SearchOptions:
    """The options of a search as a client gave them; a reranker is a served model, by its name.

    Raises:
        RequestError: there is no such model, or too many hits would be reranked.
        UsageError: the options don't go together.
    """
    options = SearchOptions(**given)
    if options.rerank is None:
        return options
    chosen = service.model(str(options.rerank), lambda one: one.scorer, "compare two texts", param="rerank")
    service.count(call, [], items=queries * options.rerank_depth)
    return replace(options, rerank=chosen.scorer)


async def search(service: Service, body: Any, call: Call) -> Reply:
    """Search a collection by words, by vectors, or by both."""
    collection = service.collection(body.collection)
    queries = list(body.queries) or [body.query or ""]
    service.count_queries(call, queries)
    options = searching(service, call, {name: getattr(body, name) for name in SEARCH_OPTIONS}, len(queries))
    found = await collection.search(call, queries, options)
    shared = await collection.shared_words(call, found) if body.highlight else None
    listed = [
        {
            "query": found.queries[place],
            "answered": found.answered[place],
            "unmatched": found.unmatched[place],
            "remark": found.remarks[place],
            "hits": [
                _hit(one, None if shared is None else shared[place][number])
                for number, one in enumerate(hits)
            ],
        }
        for place, hits in enumerate(found.hits)
    ]
    notes = [str(one) for one in found.filter_notes]
    about = {**_about(collection), "ranked_by": found.ranked_by, "filter_notes": notes}
    return Reply({**about, **(listed[0] if body.query is not None else {"results": listed})})


async def match(service: Service, body: Any, call: Call) -> Reply:
    """Check whether texts duplicate documents of a collection: duplicate, new, or ask."""
    return await _matched(service, body, call, differences=body.differences, draft=body.draft)


async def match_and_add(service: Service, body: Any, call: Call) -> Reply:
    """Match texts, and store them, duplicates with a link to their match."""
    return await _matched(service, body, call, add=True)


async def add(service: Service, body: DocumentsBody, call: Call) -> Reply:
    """Add documents, or replace those with the same ids; they are durable when the answer comes."""
    collection = service.collection(body.collection)
    service.count(call, [one.text for one in body.documents])
    entries = list(distinct(_entries(body.documents)))
    found = await collection.add(call, entries)
    counts = {one.name: getattr(found, one.name) for one in dataclasses.fields(found)}
    return Reply({**_about(collection), **counts, "ids": [one.entry_id for one in entries]})


async def remove(service: Service, body: RemoveBody, call: Call) -> Reply:
    """Remove documents by id or by a filter."""
    collection = service.collection(body.collection)
    service.count(call, [], items=len(body.ids))
    removed, notes = await collection.remove(call, body.ids, body.where)
    return Reply({**_about(collection), "removed": removed, "filter_notes": notes})


async def get(service: Service, body: GetBody, call: Call) -> Reply:
    """Return documents by id."""
    collection = service.collection(body.collection)
    service.count(call, [], items=len(body.id))
    rows = await collection.rows(call, body.id)
    there = {one.entry_id for one in rows}
    missing = [one for one in body.id if one not in there]
    if not rows:
        raise RequestError(f"there is no document {missing[0]!r}", trouble=Trouble.NOT_FOUND, param="id")
    return Reply({"collection": collection.name, "documents": list(map(_document, rows)), "missing": missing})


async def listed(service: Service, body: NoBody, call: Call) -> Reply:
    """List the served collections."""
    return Reply({"collections": await about_collections(service, call)})


async def about_collections(service: Service, call: Call) -> list[dict[str, Any]]:
    """Each collection with its model and its number of entries."""
    return [{**_about(one), "entries": await one.entries(call)} for one in service.collections.values()]


async def _matched(
    service: Service,
    body: Any,
    call: Call,
    *,
    add: bool = False,
    differences: bool = False,
    draft: bool = False,
) -> Reply:
    collection = service.collection(body.collection)
    entries = _entries(body.texts)
    service.count(call, [one.text for one in entries])
    given = {name: getattr(body, name) for name in MATCH_OPTIONS}
    options = MatchOptions(**{**given, "guards": guards_of(body.guards)})
    found = await collection.match(call, entries, options, add=add, draft=draft)
    if not draft:
        for one in found.matches:
            service.metrics.matched(collection.name, one.verdict.value)
    rule = found.rule
    return Reply(
        {
            **_about(collection),
            "rule": list(told(rule, found.source)),
            "fitted": found.fitted,
            "limits": {"duplicate": rule.duplicate_from, "ask": rule.ask_from},
            "matches": [_match(one, differences=differences) for one in found.matches],
        }
    )


def _match(one: Match, *, differences: bool) -> dict[str, Any]:
    nearest = None if one.nearest_id is None else {"id": one.nearest_id, "text": one.nearest_text}
    parts = None
    if differences and one.nearest_text is not None:
        in_text, in_nearest = differing(one.text, one.nearest_text)
        parts = {"text": in_text, "nearest": in_nearest}
    return {
        "id": one.entry_id,
        "verdict": one.verdict.value,
        "probability": one.probability,
        "score": one.score,
        "nearest": nearest,
        "differences": parts,
        "guards": list(one.guards),
        "stored": one.stored,
    }


def _entries(given: tuple[Any, ...]) -> list[Entry]:
    """Texts as entries."""
    return [
        Entry(hashed_id(one), one)
        if isinstance(one, str)
        else Entry(one.id or hashed_id(one.text), one.text, one.metadata)
        for one in given
    ]


def _about(collection: ServedCollection) -> dict[str, Any]:
    return {"collection": collection.name, "model": collection.model, "passport": collection.passport}


def _hit(hit: EntryHit, highlights: Places | None) -> dict[str, Any]:
    return {
        "id": hit.entry_id,
        "text": hit.text,
        "score": hit.score,
        "cosine": hit.cosine,
        "bm25": hit.bm25,
        "reranker": hit.reranker,
        "probability": hit.probability,
        "highlights": highlights,
        "metadata": dict(hit.metadata),
        "window": hit.window,
    }


def _document(entry: Entry) -> dict[str, Any]:
    return {"id": entry.entry_id, "text": entry.text, "metadata": dict(entry.metadata)}


ROUTES = (
    Route(method="GET", path="/collections", answer=listed),
    Route(method="POST", path="/search", body=SearchBody, answer=search),
    Route(method="POST", path="/match", body=MatchBody, answer=match),
    Route(method="POST", path="/match/add", body=MatchAddBody, answer=match_and_add, writes=True),
    Route(method="POST", path="/documents", body=DocumentsBody, answer=add, writes=True),
    Route(method="DELETE", path="/documents", body=RemoveBody, answer=remove, writes=True),
    Route(method="GET", path="/documents", body=GetBody, answer=get),
)
