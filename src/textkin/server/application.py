"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from importlib.util import find_spec
from typing import Any, final

from textkin.server.access import Access
from textkin.server.agents import agent_server
from textkin.server.call import Call, Reply
from textkin.server.description import docs_page, openapi
from textkin.server.exchange import Exchange, Receive, Send, Traffic, content_of, send_reply
from textkin.server.page import page_policy
from textkin.server.problems import Dialect, RequestError, Trouble, body_of, refusal_of
from textkin.server.requests_log import RequestsLog
from textkin.server.route import Body, NoBody, Route
from textkin.server.routes import all_routes
from textkin.server.service import Service

_MCP = "/mcp"


@final
class _Anything(Body):
    """Whatever is sent where no route reads it."""


@final
class Application:
    """All routes of a service.

    Args:
        service: what is served.
        access: whose requests are taken.
        log: where requests are told.
    """

    def __init__(
        self, service: Service, *, access: Access | None = None, log: RequestsLog | None = None
    ) -> None:
        self.service = service
        access, log, traffic = access or Access(), log or RequestsLog("errors"), Traffic()
        self._access = access
        self._agents = _agents(service)
        routes = (*all_routes(), *_described(all_routes()))
        self._exchanges: dict[str, dict[str, Exchange]] = {}
        for route in routes:
            of_path = self._exchanges.setdefault(route.path, {})
            of_path[route.method] = Exchange(route, service, traffic=traffic, access=access, log=log)
        self._nowhere, self._preflight, self._wrong_method = (
            Exchange(
                Route(method="GET", path=path, body=_Anything, answer=answer, is_open=True),
                service,
                traffic=traffic,
                access=access,
                log=log,
            )
            for path, answer in (
                ("(unknown)", _nothing_there),
                ("(preflight)", _may_ask),
                ("(method)", _wrong_method),
            )
        )

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request; websockets are refused."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        is_for_agents = scope["path"] == _MCP and self._agents is not None
        of_path = self._exchanges.get(scope["path"])
        if of_path is None and not is_for_agents:
            await self._nowhere(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and any(name == b"origin" for name, _ in scope["headers"]):
            await self._preflight(scope, receive, send)
            return
        if of_path is None:
            await self._guarded(scope, receive, send)
            return
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        await of_path.get(method, self._wrong_method)(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Keep what serves assistants alive between start and end."""
        async with AsyncExitStack() as stack:
            if self._agents is not None:
                await stack.enter_async_context(self._agents.router.lifespan_context(self._agents))
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return

    async def _guarded(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Let an assistant through that may ask."""
        headers = dict(scope["headers"])
        granted = self._access.granted(headers)

        async def told(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *granted]}
            await send(message)

        try:
            self._access.check(headers)
            said = headers.get(b"authorization")
            key = self.service.keys.require(None if said is None else said.decode("latin-1"), writes=False)
            self.service.keys.count(key, 1)  # what a tool asks is counted as one text
        except Exception as error:
            refusal = refusal_of(error)
            reply = Reply(body_of(refusal, Dialect.TEI), refusal.status, headers=refusal.headers)
            await send_reply(reply, content_of(reply), Call.now("mcp", seconds=1.0), told)
            return
        await self._agents(scope, receive, told)


def _agents(service: Service) -> Any:
    """What serves assistants; None without a collection, or without the package for it."""
    if not service.collections or find_spec("mcp") is None:
        return None
    made = agent_server(service)
    return made.streamable_http_app(
        streamable_http_path=_MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=service.limits.body_bytes,
        host="0.0.0.0",  # which hosts may ask is checked before
    )


async def _nothing_there(service: Service, body: _Anything, call: Call) -> Reply:
    """Say that there is no such route."""
    del service, body, call
    raise RequestError(
        "there is no such route", status=404, trouble=Trouble.NOT_FOUND, fix="see /docs for those that are"
    )


async def _may_ask(service: Service, body: _Anything, call: Call) -> Reply:
    """Tell a browser that a page elsewhere may ask."""
    del service, body, call
    return Reply(b"", 204)


async def _wrong_method(service: Service, body: _Anything, call: Call) -> Reply:
    """Say that the route takes another method."""
    del service, body, call
    raise RequestError("this route takes another method", status=405, fix="see /docs")


def _described(routes: tuple[Route, ...] | Any) -> tuple[Route, ...]:
    """The routes that describe the others."""
    schema = openapi(routes)
    page = docs_page(schema).encode()

    async def as_json(service: Service, body: NoBody, call: Call) -> Reply:
        """Describe all routes, in OpenAPI's form."""
        del service, body, call
        return Reply(schema)

    async def as_page(service: Service, body: NoBody, call: Call) -> Reply:
        """Describe all routes, for people."""
        del service, body, call
        headers = {"content-security-policy": page_policy()}
        return Reply(page, media_type="text/html; charset=utf-8", headers=headers)

    return (
        Route(method="GET", path="/openapi.json", answer=as_json),
        Route(method="GET", path="/docs", answer=as_page, is_open=True),
    )
