"""Tools for assistants, over the Model Context Protocol: search, fetch and match.

Search and fetch have the shapes that assistants expect of a search server: results with ids, titles and URLs,
and a document by its id.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import getdoc, signature
from typing import Any, ParamSpec, TypeVar, Unpack
from urllib.parse import quote

from pydantic import BaseModel, ValidationError, create_model

from textkin.base.errors import TextkinError
from textkin.base.extras import imported
from textkin.base.printable import shortened
from textkin.base.spelling import Spelling, spelling_as
from textkin.collection.match.match import told
from textkin.collection.match.match_rules import MatchArguments, MatchOptions
from textkin.collection.search.options import SearchArguments
from textkin.data.entry_records import Entry
from textkin.data.readers.entries import hashed_id
from textkin.server.call import Call
from textkin.server.request_errors import RequestError, Trouble, body_error
from textkin.server.route import verb_fields
from textkin.server.routes.collections import MATCH_OPTIONS, SEARCH_OPTIONS, searching
from textkin.server.served_collection import ServedCollection
from textkin.server.service import Service
from textkin.vectors.groups.guards import guards_of
from textkin.verbs.collections import match as matching
from textkin.verbs.collections import search as verbs
from textkin.version import __version__

_Asked = ParamSpec("_Asked")
_Told = TypeVar("_Told")

_TITLE = 80  # characters of a title made from the text
_MOST_HITS = 1_000
_TOLD = "Search a collection of texts, fetch one of them, or ask whether a text was said before."


SEARCH_FIELDS = verb_fields(verbs.search, SEARCH_OPTIONS, most={"k": _MOST_HITS, "rerank_depth": _MOST_HITS})
"""The arguments of the tool search that are options of the verb."""

MATCH_FIELDS = verb_fields(matching.match, MATCH_OPTIONS, kinds={"guards": tuple[str, ...] | str | None})
"""The arguments of the tool match that are options of the verb."""


class FoundDocument(BaseModel):
    """A hit: its id, title and URL."""

    id: str
    title: str
    url: str


class FoundDocuments(BaseModel):
    """Hits, best first, and remarks, such as why nothing was found, or an unknown name in the filter."""

    results: list[FoundDocument]
    remarks: list[str]


class FetchedDocument(BaseModel):
    """A document."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, Any]


class MatchedText(BaseModel):
    """The match of a text in a collection.

    The verdict is duplicate, new, or ask, which means that a person should decide. The rule explains the
    verdict by the score, a cosine. Without labels it is a default threshold, and "fitted" is false. Guards
    name the differences that keep the texts apart, whatever the score.
    """

    verdict: str
    probability: float | None
    score: float | None
    guards: list[str]
    nearest_id: str | None
    nearest_text: str | None
    rule: list[str]
    fitted: bool


class AgentTools:
    """The tools of a service.

    Args:
        service: a service with at least one collection.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    async def search(
        self, query: str, collection: str | None = None, **options: Unpack[SearchArguments]
    ) -> FoundDocuments:
        """Find the k documents of a collection that best match a query, by words and by meaning.

        An optional metadata filter in where, such as lang = "en" and year >= 2020, restricts the results.
        """
        chosen = self._service.collection(collection)
        call = self._call()
        self._service.count_queries(call, [query])
        found = await chosen.search(call, [query], searching(self._service, call, options))
        return FoundDocuments(
            results=[_found(chosen, hit.entry_id, hit.text, hit.metadata) for hit in found.hits[0]],
            remarks=[*filter(None, found.remarks), *map(str, found.filter_notes)],
        )

    async def fetch(self, id: str, collection: str | None = None) -> FetchedDocument:
        """Fetch a document by its id."""
        chosen = self._service.collection(collection)
        rows: list[Entry] = await chosen.rows(self._call(), [id])
        if not rows:
            raise RequestError(f"there is no document {id!r}", trouble=Trouble.NOT_FOUND)
        one = rows[0]
        found = _found(chosen, one.entry_id, one.text, one.metadata)
        return FetchedDocument(**found.model_dump(), text=one.text, metadata=dict(one.metadata))

    async def match(
        self, text: str, collection: str | None = None, **options: Unpack[MatchArguments]
    ) -> MatchedText:
        """Check whether a text duplicates a document of a collection: duplicate, new, or ask."""
        chosen = self._service.collection(collection)
        call = self._call()
        self._service.count(call, [text])
        entry = Entry(hashed_id(text), text)
        options["guards"] = guards_of(options.get("guards", "auto"))
        found = await chosen.match(call, [entry], MatchOptions(**options), add=False)
        (one,) = found.matches
        self._service.metrics.matched(chosen.name, one.verdict.value)
        return MatchedText(
            verdict=one.verdict.value,
            probability=one.probability,
            score=one.score,
            guards=list(one.guards),
            nearest_id=one.nearest_id,
            nearest_text=one.nearest_text,
            rule=told(found.rule, found.source),
            fitted=found.fitted,
        )

    def _call(self) -> Call:
        return Call.now(f"mcp-{os.urandom(6).hex()}", seconds=self._service.limits.seconds)


def agent_server(service: Service) -> Any:
    """The tools as a server of the official package.

    Raises:
        MissingExtraError: it is not installed.
    """
    package = imported("mcp.server", extra="mcp")
    # Log only above errors: rejections by a tool are reported to the assistant.
    tools = AgentTools(service)
    refused = imported("mcp.server.mcpserver.exceptions", extra="mcp").ToolError
    asked = [
        _strict(_telling(one, refused), more, refused)
        for one, more in ((tools.search, SEARCH_FIELDS), (tools.fetch, {}), (tools.match, MATCH_FIELDS))
    ]
    return package.MCPServer(
        "textkin", instructions=_TOLD, version=__version__, log_level="CRITICAL", tools=asked
    )


def _strict(tool: Callable[..., Awaitable[Any]], more: Mapping[str, Any], refused: type[Exception]) -> Any:
    """A tool of the package with further arguments that rejects unknown ones instead of ignoring them."""
    package: Any = imported("mcp.server.mcpserver.tools", extra="mcp").Tool

    class Checked(package):  # type: ignore[misc]
        """A tool whose errors about arguments are textkin's."""

        async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
            try:
                return await super().run(arguments, context, convert_result)
            except refused as error:
                if not isinstance(cause := error.__cause__, ValidationError):
                    raise
                told = body_error(cause, arguments, list(self.fn_metadata.arg_model.model_fields))
                raise refused(f"Error executing tool {self.name}: {told}") from error

    made = Checked.from_function(
        tool, description=getdoc(tool), annotations={"readOnlyHint": True}, structured_output=True
    )
    known = made.fn_metadata.arg_model
    strict = create_model(known.__name__, __base__=known, **more)
    strict.model_config["extra"] = "forbid"
    strict.model_rebuild(force=True)
    made.fn_metadata.arg_model, made.parameters = strict, strict.model_json_schema(by_alias=True)
    return made


def _telling(
    tool: Callable[_Asked, Awaitable[_Told]], refused: type[Exception]
) -> Callable[_Asked, Awaitable[_Told]]:
    """The tool, with textkin's errors translated for the assistant."""

    @wraps(tool)
    async def told(*arguments: _Asked.args, **named: _Asked.kwargs) -> _Told:
        try:
            return await tool(*arguments, **named)
        except TextkinError as error:
            with spelling_as(Spelling("json")):
                raise refused(str(error)) from error

    own = signature(tool, eval_str=True)
    named = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
    told.__signature__ = own.replace(parameters=named)  # type: ignore[attr-defined]
    return told


def _found(collection: ServedCollection, entry_id: str, text: str, metadata: Any) -> FoundDocument:
    """A hit with a URL, as assistants cite only documents that have one."""
    title, url = metadata.get("title"), metadata.get("url")
    own = "/".join(quote(part, safe="") for part in (collection.name, entry_id))
    return FoundDocument(
        id=entry_id,
        title=str(title) if title else shortened(" ".join(text.split()), _TITLE),
        url=str(url) if url else f"textkin://{own}",
    )
