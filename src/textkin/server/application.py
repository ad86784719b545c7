"""The service as an ASGI application: the routes, as Starlette has them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, final

from starlette.middleware import Middleware
from starlette.routing import Match, Router
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from textkin.server.access import Access
from textkin.server.call import Call, Reply
from textkin.server.endpoint import Endpoint, Traffic
from textkin.server.mcp_tools import agent_server
from textkin.server.middleware import AgentsMiddleware, PreflightMiddleware, RequestMiddleware, Surroundings
from textkin.server.openapi import description_routes
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.requests_log import RequestsLog
from textkin.server.route import Body, Route
from textkin.server.routes import all_routes
from textkin.server.service import Service

_MCP = "/mcp"
_NO_MATCH: tuple[Match, Scope] = (Match.NONE, {})


@final
class _ExactRoute(StarletteRoute):
    """A route without parameters, found by its path alone: ninety patterns would take a request longer."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether a request is this route's."""
        if scope["type"] != "http" or scope["path"] != self.path:
            return _NO_MATCH
        is_taken = self.methods is None or scope["method"] in self.methods
        return Match.FULL if is_taken else Match.PARTIAL, {"endpoint": self.endpoint, "path_params": {}}


@final
class _Anything(Body):
    """Whatever is sent where no route reads it."""


def application(
    service: Service,
    *,
    access: Access | None = None,
    log: RequestsLog | None = None,
    traffic: Traffic | None = None,
) -> Router:
    """All routes of a service.

    Args:
        service: what is served.
        access: whose requests are taken.
        log: where requests are told.
        traffic: what is on its way.
    """
    around = Surroundings(service, access or Access(), log or RequestsLog("errors"))
    traffic = traffic or Traffic()

    def answering(route: Route) -> ASGIApp:
        return RequestMiddleware(Endpoint(route, service, traffic), route, around)

    unknown, wrong_method, preflight = (
        answering(Route(method="GET", path=path, body=_Anything, answer=answer, is_open=True))
        for path, answer in (
            ("(unknown)", _nothing_there),
            ("(method)", _wrong_method),
            ("(preflight)", _may_ask),
        )
    )
    routes = (*all_routes(), *description_routes(all_routes()))
    otherwise = [Middleware(PreflightMiddleware, preflight)]
    found = [_ExactRoute(one.path, answering(one), methods=[one.method]) for one in routes]
    found += [
        _ExactRoute(path, wrong_method, middleware=otherwise)
        for path in dict.fromkeys(one.path for one in routes)
    ]
    agents = _agents(service)
    if agents is not None:
        found.append(_ExactRoute(_MCP, AgentsMiddleware(agents, around), middleware=otherwise))

    async def nowhere(scope: Scope, receive: Receive, send: Send) -> None:
        await (WebSocketClose() if scope["type"] == "websocket" else unknown)(scope, receive, send)

    return Router(found, redirect_slashes=False, default=nowhere, lifespan=_lifespan_of(agents))


def _agents(service: Service) -> Any:
    """What serves assistants; None without a collection, or without the package for it."""
    if not service.collections or find_spec("mcp") is None:
        return None
    return agent_server(service).streamable_http_app(
        streamable_http_path=_MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=service.limits.body_bytes,
        host="0.0.0.0",  # which hosts may ask is checked before
    )


def _lifespan_of(agents: Any) -> Callable[[Any], Any] | None:
    """What lives between start and end: that which serves assistants."""
    if agents is None:
        return None

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        del app
        async with agents.router.lifespan_context(agents):
            yield

    return lifespan


async def _nothing_there(service: Service, body: _Anything, call: Call) -> Reply:
    """Say that there is no such route."""
    del service, body, call
    raise RequestError(
        "there is no such route", status=404, trouble=Trouble.NOT_FOUND, fix="see /docs for those that are"
    )


async def _wrong_method(service: Service, body: _Anything, call: Call) -> Reply:
    """Say that the route takes another method."""
    del service, body, call
    raise RequestError("this route takes another method", status=405, fix="see /docs")


async def _may_ask(service: Service, body: _Anything, call: Call) -> Reply:
    """Tell a browser that a page elsewhere may ask."""
    del service, body, call
    return Reply(b"", 204)
