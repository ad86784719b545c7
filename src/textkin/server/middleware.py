"""Middleware of every endpoint: ids, access, errors, headers, metrics, the log."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textkin.server.call import Call, Reply
from textkin.server.log import ServerLog
from textkin.server.request_errors import Dialect, RequestError, Trouble, body_of, refusal_of
from textkin.server.route import Route
from textkin.server.service import Service

_REQUEST_ID = re.compile(rb"[\w.-]{1,64}\Z", re.ASCII)
_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]


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
    log: ServerLog


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
        call = scope["call"] = _call_of(scope, headers, seconds=service.limits.seconds)
        call.is_routine = self._route.is_open
        trouble: str | None = None

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = message["status"]
                service.metrics.answered(
                    route, status, seconds=call.seconds, texts=call.texts, trouble=trouble
                )
                log.write(call, route, status, error=trouble)
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
        call, trouble = _call_of(scope, headers, seconds=self._around.service.limits.seconds), None

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._around.log.write(call, scope["path"], message["status"], error=trouble)
                message["headers"] = [*message["headers"], *granted]
            await send(message)

        try:
            self._around.access.check(headers)
            call.key = keys.require(authorization_of(headers), writes=False)
            keys.count(call.key, 1)  # counts as one text
        except Exception as error:
            refusal = refusal_of(error)
            trouble = refusal.trouble.value
            reply = Reply(body_of(refusal, Dialect.TEI), refusal.status, refusal.headers)
            reply.raw_headers += _headers_of(call)
            await reply(scope, receive, sent)
            return
        await self._app(scope, receive, sent)


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


class RootPathMiddleware:
    """Removes the path of a proxy that passes on whole paths; others are left as they are.

    Args:
        app: the app for the paths below it.
        root_path: the path, without a slash at its end.
    """

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app, self._root = app, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        path = scope.get("path", "")
        if path == self._root:  # the page's links begin at its folder
            await RedirectResponse(f"{self._root}/", 308)(scope, receive, send)
            return
        if path.startswith(f"{self._root}/"):
            scope = {**scope, "path": path.removeprefix(self._root)}
        await self._app(scope, receive, send)


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


def _call_of(scope: Scope, headers: Mapping[bytes, bytes], *, seconds: float) -> Call:
    """A request received just now, with the id that its client gave it, or a new one."""
    given, (client, _) = headers.get(b"x-request-id", b""), scope.get("client") or ("", 0)
    return Call.now(
        given.decode() if _REQUEST_ID.match(given) else os.urandom(8).hex(),
        seconds=seconds,
        headers=headers,
        method=scope["method"],
        client=client,
    )


_HEADERS = b"authorization, content-type, x-request-id"
_NAMES = re.compile(rb"[\w!#$%&'*+.^`|~-]{1,100}(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]{1,100}){0,99}", re.ASCII)
"""Names of headers, as a browser lists those a page intends to send."""

_GRANTED = (
    (b"access-control-allow-methods", b"GET, POST, DELETE"),
    (b"access-control-expose-headers", b"retry-after, x-request-id, x-textkin-truncated, mcp-session-id"),
    (b"access-control-max-age", b"600"),
)

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Access:
    """Accepted hosts and origins.

    A local server without keys is open to every page in the machine's browser: the page can give its own name
    that address, or send forms there. So such a server answers only to its own names.

    Args:
        hosts: accepted host names; none for all.
        origins: foreign origins whose pages may send requests; "*" for all.
    """

    def __init__(self, *, hosts: Sequence[str] = (), origins: Sequence[str] = ()) -> None:
        self._hosts = frozenset(one.lower() for one in hosts)
        self.origins = tuple(origins)

    def check(self, headers: Mapping[bytes, bytes]) -> None:
        """Check the host and origin of a request.

        Raises:
            RequestError: it was sent to another host name, or by a foreign page.
        """
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self._hosts and _name_of(host) not in self._hosts:
            raise RequestError(
                f"the host {host[:80]!r} is not allowed",
                status=421,
                trouble=Trouble.UNAUTHORIZED,
                fix="start the server so that it is allowed: `serve()` with `allowed_host`",
            )
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if not origin or origin in self.origins or "*" in self.origins:
            return
        if _netloc_of(origin) != host:
            raise RequestError(
                f"pages of {origin[:80]!r} may not ask this server",
                trouble=Trouble.UNAUTHORIZED,
                fix="start the server so that it is allowed: `serve()` with `cors_allow_origin`",
            )

    def granted(self, headers: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """CORS headers for an allowed foreign page.

        Such a page may send any headers, since clients of other services send some of their own.
        """
        origin = headers.get(b"origin", b"")
        if origin.decode("latin-1").lower() not in self.origins and not (origin and "*" in self.origins):
            return []
        wanted = headers.get(b"access-control-request-headers", b"").strip()
        allowed = wanted if _NAMES.fullmatch(wanted) else _HEADERS
        found = [(b"access-control-allow-origin", origin), (b"access-control-allow-headers", allowed)]
        if headers.get(b"access-control-request-private-network") == b"true":
            found.append((b"access-control-allow-private-network", b"true"))
        return [*found, (b"vary", b"origin, access-control-request-headers"), *_GRANTED]


def _netloc_of(origin: str) -> str:
    """Name and port of an origin; "" if invalid."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """The name in "name:port"."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
