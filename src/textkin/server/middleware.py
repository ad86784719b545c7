"""What surrounds every route: ids, who may ask at all, errors as answers, headers, metrics, the log."""

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
    """What all routes share.

    Attributes:
        service: what answers.
        access: whose requests are taken at all.
        log: where a line of each goes.
    """

    service: Service
    access: Access
    log: RequestsLog


@final
class RequestMiddleware:
    """What surrounds a route. It knows the request as ``scope["call"]``.

    Args:
        app: that answers; what it raises becomes an answer, too.
        route: which one this is, and whose errors it speaks.
        around: what it shares with all routes.
    """

    def __init__(self, app: ASGIApp, route: Route, around: Surroundings) -> None:
        self._app, self._route, self._around = app, route, around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have one request answered."""
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
                    message["headers"].append((b"connection", b"close"))  # what comes is not read
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
    """What surrounds the tools for assistants: they have a protocol and answers of their own.

    Args:
        app: that has the tools.
        around: what it shares with all routes.
    """

    def __init__(self, app: ASGIApp, around: Surroundings) -> None:
        self._app, self._around = app, around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let an assistant through that may ask."""
        headers, keys = dict(scope["headers"]), self._around.service.keys
        granted = self._around.access.granted(headers)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *granted]
            await send(message)

        try:
            self._around.access.check(headers)
            keys.count(keys.require(authorization_of(headers), writes=False), 1)  # as if it were one text
        except Exception as error:
            refusal = refusal_of(error)
            reply = Reply(body_of(refusal, Dialect.TEI), refusal.status, refusal.headers)
            reply.raw_headers += _headers_of(Call.now("mcp", seconds=1.0))
            await reply(scope, receive, sent)
            return
        await self._app(scope, receive, sent)


@final
class PreflightMiddleware:
    """Hands a browser's question whether a page elsewhere may ask to its own route, all else on.

    Args:
        app: that answers all else.
        preflight: that answers the question.
    """

    def __init__(self, app: ASGIApp, preflight: ASGIApp) -> None:
        self._app, self._preflight = app, preflight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have one request answered."""
        is_asked = scope["method"] == "OPTIONS" and any(name == b"origin" for name, _ in scope["headers"])
        await (self._preflight if is_asked else self._app)(scope, receive, send)


def authorization_of(headers: Mapping[bytes, bytes]) -> str | None:
    """The key that a request brings, as it stands in its header."""
    found = headers.get(b"authorization")
    return None if found is None else found.decode("latin-1")


def _headers_of(call: Call) -> list[tuple[bytes, bytes]]:
    """The headers that all answers have, and those of texts."""
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
