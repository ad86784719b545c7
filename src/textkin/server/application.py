"""The service as an ASGI application: its endpoints as Starlette routes."""

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

from textkin.server.call import Call, Reply
from textkin.server.endpoint import Endpoint, Traffic
from textkin.server.mcp_tools import agent_server
from textkin.server.middleware import (
    Access,
    AgentsMiddleware,
    PreflightMiddleware,
    RequestMiddleware,
    Surroundings,
)
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
    """A route without parameters, matched by its path alone, which is faster than ninety patterns."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """True if a request is for this route."""
        if scope["type"] != "http" or scope["path"] != self.path:
            return _NO_MATCH
        is_taken = self.methods is None or scope["method"] in self.methods
        return Match.FULL if is_taken else Match.PARTIAL, {"endpoint": self.endpoint, "path_params": {}}


@final
class _Anything(Body):
    """Any input, for requests without an endpoint."""


def application(
    service: Service,
    *,
    access: Access | None = None,
    log: RequestsLog | None = None,
    traffic: Traffic | None = None,
) -> Router:
    """Build all routes of a service.

    Args:
        service: the service.
        access: the access control.
        log: the log of requests.
        traffic: the current load.
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
    """The MCP app for assistants; None without a collection or the package."""
    if not service.collections or find_spec("mcp") is None:
        return None
    return agent_server(service).streamable_http_app(
        streamable_http_path=_MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=service.limits.body_bytes,
        host="0.0.0.0",  # the hosts of requests are checked before
    )


def _lifespan_of(agents: Any) -> Callable[[Any], Any] | None:
    """The lifespan of the MCP app."""
    if agents is None:
        return None

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        async with agents.router.lifespan_context(agents):
            yield

    return lifespan


async def _nothing_there(service: Service, body: _Anything, call: Call) -> Reply:
    """Report a missing route."""
    raise RequestError(
        "there is no such route", trouble=Trouble.NOT_FOUND, fix="see /docs for those that are"
    )


async def _wrong_method(service: Service, body: _Anything, call: Call) -> Reply:
    """Report a wrong method."""
    raise RequestError("this route takes another method", status=405, fix="see /docs")


async def _may_ask(service: Service, body: _Anything, call: Call) -> Reply:
    """Answer a browser's preflight request."""
    return Reply(b"", 204)
