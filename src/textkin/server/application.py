"""The service as an ASGI application: routes of Starlette, and their documentation."""

import html
import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Match, Router
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from textkin.server import middleware
from textkin.server.call import Call, Reply
from textkin.server.endpoint import Endpoint, Traffic
from textkin.server.log import ServerLog
from textkin.server.mcp_over_http import MCP, AssistantsApp
from textkin.server.page import page_policy
from textkin.server.request_errors import Dialect, RequestError, Trouble
from textkin.server.route import Answering, Body, NoBody, Route, route_name
from textkin.server.routes import all_routes
from textkin.server.service import Service
from textkin.version import __version__

_NO_MATCH: tuple[Match, Scope] = (Match.NONE, {})


class _PlainRoute(StarletteRoute):
    """A route matched by its path, or by what comes before a name at its end: faster than ninety patterns."""

    @cached_property
    def _parts(self) -> tuple[str, str]:
        return route_name(self.path)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """True if a request is for this route."""
        before, name = self._parts
        if scope["type"] != "http" or not (path := scope["path"]).startswith(before):
            return _NO_MATCH
        rest = path.removeprefix(before)
        if bool(rest) != bool(name):
            return _NO_MATCH
        is_taken = self.methods is None or scope["method"] in self.methods
        given = {name: rest} if name else {}
        return Match.FULL if is_taken else Match.PARTIAL, {"endpoint": self.endpoint, "path_params": given}


class _Anything(Body):
    """Any input, for requests without an endpoint."""


def application(
    service: Service,
    *,
    access: middleware.Access | None = None,
    log: ServerLog | None = None,
    traffic: Traffic | None = None,
    root_path: str = "",
) -> ASGIApp:
    """Build all routes of a service.

    Args:
        service: the service.
        access: the access control.
        log: the log of requests.
        traffic: the current load.
        root_path: the path below which a proxy passes on requests, such as "/textkin".
    """
    around = middleware.Surroundings(service, access or middleware.Access(), log or ServerLog("errors"))
    traffic = traffic or Traffic()

    def answering(route: Route) -> ASGIApp:
        return middleware.RequestMiddleware(Endpoint(route, service, traffic), route, around)

    def refusing(name: str, answer: Answering, dialect: Dialect = Dialect.TEI) -> ASGIApp:
        refusal = Route(method="GET", path=name, body=_Anything, answer=answer, dialect=dialect, is_open=True)
        return answering(refusal)

    unknown, preflight = refusing("(unknown)", _nothing_there), refusing("(preflight)", _may_ask)
    routes = (*all_routes(), *description_routes(all_routes()))
    otherwise = [Middleware(middleware.PreflightMiddleware, preflight)]
    found = [_PlainRoute(one.path, answering(one), methods=[one.method]) for one in routes]
    there: dict[str, list[Route]] = {}
    for one in routes:
        there.setdefault(one.path, []).append(one)
    for path, same in there.items():
        wrong = _wrong_method([one.method for one in same])
        found.append(_PlainRoute(path, refusing("(method)", wrong, same[0].dialect), middleware=otherwise))
    agents = _assistants(service)
    if agents is not None:
        found.append(_PlainRoute(MCP, middleware.AgentsMiddleware(agents, around), middleware=otherwise))

    async def nowhere(scope: Scope, receive: Receive, send: Send) -> None:
        await (WebSocketClose() if scope["type"] == "websocket" else unknown)(scope, receive, send)

    router = Router(
        found, redirect_slashes=False, default=nowhere, lifespan=None if agents is None else agents.lifespan
    )
    return middleware.RootPathMiddleware(router, root_path) if root_path else router


def _assistants(service: Service) -> AssistantsApp | None:
    """The app for assistants; None without a collection or the package."""
    return AssistantsApp(service) if service.collections and find_spec("mcp") is not None else None


async def _nothing_there(service: Service, body: _Anything, call: Call) -> Reply:
    """Report a missing route."""
    raise RequestError("there is no such endpoint", trouble=Trouble.NOT_FOUND, fix="see /docs")


def _wrong_method(methods: Sequence[str]) -> Answering:
    """A function that reports a wrong method, and the right ones."""

    async def answer(service: Service, body: _Anything, call: Call) -> Reply:
        takes = " or ".join(methods)
        raise RequestError(f"this endpoint takes {takes}", status=405, fix="see /docs", allow=methods)

    return answer


async def _may_ask(service: Service, body: _Anything, call: Call) -> Reply:
    """Answer a browser's preflight request."""
    return Reply(b"", 204)


_REFERENCES = "#/components/schemas/{model}"
_IN_ID = str.maketrans("/", "_", "{}")


def description_routes(routes: Sequence[Route]) -> tuple[Route, ...]:
    """The documentation routes."""

    # Made at the first request for them: a server that starts has no time to describe itself.
    @cache
    def schema() -> dict[str, Any]:
        return openapi(routes)

    @cache
    def page() -> bytes:
        return docs_page(schema()).encode()

    async def as_json(service: Service, body: NoBody, call: Call) -> Reply:
        """Describe all routes, in OpenAPI's form."""
        return Reply(schema())

    async def as_page(service: Service, body: NoBody, call: Call) -> Reply:
        """Describe all routes, for people."""
        headers = {"content-security-policy": page_policy()}
        return Reply(page(), media_type="text/html; charset=utf-8", headers=headers)

    return (
        Route(method="GET", path="/openapi.json", answer=as_json),
        Route(method="GET", path="/docs", answer=as_page, is_open=True),
    )


def openapi(routes: Sequence[Route]) -> dict[str, Any]:
    """The OpenAPI 3.1 description of routes, without the page's own files."""
    schemas: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if route.path.startswith("/page/"):
            continue
        told: dict[str, Any] = {
            "summary": route.summary,
            "operationId": route.method.lower() + route.path.translate(_IN_ID),
            "responses": {"200": {"description": "The answer."}, "default": {"description": "An error."}},
        }
        if not route.is_open:
            told["security"] = [{"key": []}]
        if route.body is not NoBody:
            schema = route.body.model_json_schema(ref_template=_REFERENCES)
            schemas |= schema.pop("$defs", {})
            if route.method == "GET":
                required = schema.get("required", [])
                in_path = route_name(route.path)[1]
                told["parameters"] = [
                    {
                        "name": name,
                        "in": "path" if name == in_path else "query",
                        "required": name in required,
                        "schema": one,
                    }
                    for name, one in schema["properties"].items()
                ]
            else:
                name = route.body.__name__
                schemas[name] = schema
                content = {"application/json": {"schema": {"$ref": _REFERENCES.format(model=name)}}}
                told["requestBody"] = {"required": True, "content": content}
        paths.setdefault(route.path, {})[route.method.lower()] = told
    keys = {"key": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "textkin", "version": __version__},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": keys},
    }


def docs_page(schema: Mapping[str, Any]) -> str:
    """The documentation as a page."""
    parts = [
        _route(schema, path, *one) for path, methods in schema["paths"].items() for one in methods.items()
    ]
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'><title>HTTP API of textkin</title>"
        "<link rel=icon href='data:,'><link rel=stylesheet href=page/page.css>"
        "<main class=docs><h1>HTTP API of textkin</h1>"
        "<p>For programs: <a href=openapi.json>openapi.json</a>. A server with API keys wants "
        "<code>Authorization: Bearer KEY</code> with each request. <a href=./>Back to the web page</a>.</p>"
        + "".join(parts)
        + "</main></html>"
    )


def _route(schema: Mapping[str, Any], path: str, method: str, told: Mapping[str, Any]) -> str:
    body, schemas = told.get("requestBody"), schema["components"]["schemas"]
    fields: Sequence[tuple[str, Any, bool]] = ()
    if body is not None:
        name = body["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        found = schemas[name]
        needed = found.get("required", [])
        fields = [(one, value, one in needed) for one, value in found.get("properties", {}).items()]
    elif "parameters" in told:
        fields = [(one["name"], one["schema"], one["required"]) for one in told["parameters"]]
    rows = "".join(
        f"<tr><th scope=row><code>{html.escape(name)}</code><td>{html.escape(_kind(value, schemas))}"
        f"<td>{'required' if needed else html.escape(json.dumps(value.get('default')))}"
        for name, value, needed in fields
    )
    table = (
        f"<div class=scroll tabindex=0><table aria-label='Fields of {method.upper()} {html.escape(path)}'>"
        "<thead><tr><th>Field<th>Kind<th>Default<tbody>"
        f"{rows}</table></div>"
        if rows
        else ""
    )
    title = f"<code>{method.upper()} {html.escape(path)}</code>"
    return f"<section><h2>{title}</h2><p>{html.escape(told['summary'])}</p>{table}</section>"


def _kind(value: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """A field's schema in a few words; for an object its fields, optional ones with "?"."""
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_kind(one, schemas) for one in value["anyOf"]))
    if "$ref" in value:
        found = schemas[str(value["$ref"]).rsplit("/", 1)[1]]
        needed = found.get("required", ())
        names = (name if name in needed else f"{name}?" for name in found.get("properties", ()))
        return f"{{{', '.join(names)}}}"
    if "enum" in value:
        return " | ".join(map(str, value["enum"]))
    if value.get("type") == "array":
        return f"list of {_kind(value.get('items', {}), schemas)}" if "items" in value else "list"
    return str(value.get("type", "any"))
