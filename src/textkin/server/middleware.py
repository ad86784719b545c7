"""Middleware of every endpoint: ids, access, errors, headers, metrics, the log."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textkin.server.access import Access
from textkin.server.call import Call, Reply
from textkin.server.request_errors import Dialect, body_of, refusal_of
from textkin.server.requests_log import RequestsLog
from textkin.server.route import Route
from textkin.server.service import Service

_REQUEST_ID = re.compile(rb"[\w.-]{1,64}\Z", re.ASCII)
_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]


@final
@dataclass(frozen=True, slots=True)
class Surroundings:
    """The state shared by all endpoints.

    Attributes:
        service: the service.
        access: the access control.
        log: the log, with one line per request.
    """

    service: Service
    access: Access
    log: RequestsLog


@final
class RequestMiddleware:
    """Middleware of an endpoint. The request is in ``scope["call"]``.

    Args:
        app: the wrapped app, whose exceptions become responses, too.
        route: the route, which determines the error format.
        around: the shared state.
    """

    def __init__(self, app: ASGIApp, route: Route, around: Surroundings) -> None:
        self._app, self._route, self._around = app, route, around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        service, access, log = self._around.service, self._around.access, self._around.log
        headers, route = dict(scope["headers"]), self._route.path
        call = scope["call"] = Call.now(_id_of(headers), seconds=service.limits.seconds, headers=headers)
        trouble: str | None = None

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                service.metrics.answered(
                    route, status, seconds=call.seconds, texts=call.texts, trouble=trouble
                )
                log.write(call, route, status, trouble=trouble)
                message["headers"] = [*message["headers"], *_headers_of(call), *access.granted(headers)]
                if status == 413:
                    message["headers"].append((b"connection", b"close"))  # the rest isn't read
            await send(message)

        try:
            access.check(headers)
            await self._app(scope, receive, sent)
        except ClientDisconnect:
            log.write(call, route, 499)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal.status >= 500:
                log.defect(call, error)
            trouble = refusal.trouble.value
            reply = Reply(body_of(refusal, self._route.dialect), refusal.status, refusal.headers)
            await reply(scope, receive, sent)


@final
class AgentsMiddleware:
    """Middleware of the MCP endpoint, which has its own protocol and error format.

    Args:
        app: the MCP app.
        around: the shared state.
    """

    def __init__(self, app: ASGIApp, around: Surroundings) -> None:
        self._app, self._around = app, around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on an authorized assistant's request."""
        headers, keys = dict(scope["headers"]), self._around.service.keys
        granted = self._around.access.granted(headers)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *granted]
            await send(message)

        try:
            self._around.access.check(headers)
            keys.count(keys.require(authorization_of(headers), writes=False), 1)  # counts as one text
        except Exception as error:
            refusal = refusal_of(error)
            reply = Reply(body_of(refusal, Dialect.TEI), refusal.status, refusal.headers)
            reply.raw_headers += _headers_of(Call.now("mcp", seconds=1.0))
            await reply(scope, receive, sent)
            return
        await self._app(scope, receive, sent)


@final
class PreflightMiddleware:
    """Sends CORS preflight requests to their own route, and passes on all others.

    Args:
        app: the app for all other requests.
        preflight: the app for preflight requests.
    """

    def __init__(self, app: ASGIApp, preflight: ASGIApp) -> None:
        self._app, self._preflight = app, preflight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        is_asked = scope["method"] == "OPTIONS" and any(name == b"origin" for name, _ in scope["headers"])
        await (self._preflight if is_asked else self._app)(scope, receive, send)


def authorization_of(headers: Mapping[bytes, bytes]) -> str | None:
    """The key of a request, as in its header."""
    found = headers.get(b"authorization")
    return None if found is None else found.decode("latin-1")


def _headers_of(call: Call) -> list[tuple[bytes, bytes]]:
    """The common headers of responses, and those about texts."""
    found = [(b"x-request-id", call.request_id.encode()), *_ALWAYS]
    if call.texts:
        found += [
            (b"x-compute-type", b"cpu"),
            (b"x-compute-characters", b"%d" % call.characters),
            (b"x-compute-tokens", b"%d" % call.tokens),
            (b"x-total-time", b"%d" % round(call.seconds * 1_000)),
            (b"x-textkin-truncated", b"%d" % call.truncated),
        ]
    return found


def _id_of(headers: Mapping[bytes, bytes]) -> str:
    given = headers.get(b"x-request-id", b"")
    return given.decode() if _REQUEST_ID.match(given) else os.urandom(8).hex()
