"""An endpoint as an ASGI application: authorization, input and deadline."""

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, get_origin
from urllib.parse import parse_qs

from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from textkin.server.call import Call, Deadlines, Reply
from textkin.server.middleware import authorization_of
from textkin.server.request_errors import RequestError, Trouble, body_error, body_in, overloaded
from textkin.server.route import NoBody, Route
from textkin.server.service import Service


class Traffic:
    """The current load of all endpoints together."""

    def __init__(self) -> None:
        self.requests, self.bytes, self.deadlines = 0, 0, Deadlines()


class Endpoint:
    """Handles the requests of a route, wrapped in :class:`RequestMiddleware`.

    Args:
        route: the route.
        service: the service.
        traffic: the load shared by all routes.
    """

    def __init__(self, route: Route, service: Service, traffic: Traffic) -> None:
        self._route, self._service, self._traffic = route, service, traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        call: Call = scope["call"]
        self._traffic.requests += 1
        try:
            reply = await self._answered(scope, receive, call)
        finally:
            self._traffic.requests -= 1
            self._traffic.bytes -= call.body_bytes
        await reply(scope, receive, send)

    async def _answered(self, scope: Scope, receive: Receive, call: Call) -> Reply:
        route, service = self._route, self._service
        if not route.is_open:
            if self._traffic.requests > service.limits.requests:
                raise overloaded(f"{service.limits.requests:,} requests are being answered", retry_after=1)
            call.key = service.keys.require(authorization_of(call.headers), writes=route.writes)
            if route.writes and service.read_only:
                raise RequestError("this server is read-only", trouble=Trouble.UNAUTHORIZED)
        if route.method == "GET":
            return await route.answer(service, self._queried(scope), call)
        self._check_head(call.headers)
        body = self._parsed(await self._read(Request(scope, receive), call))
        return await _unless_gone(route.answer(service, body, call), receive)

    def _check_head(self, headers: Mapping[bytes, bytes]) -> None:
        """Check by the headers that a body can be accepted."""
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise RequestError(
                "the body is not JSON by its content type",
                status=415,
                fix="send the header Content-Type: application/json",
            )
        if headers.get(b"content-encoding", b"identity").strip().lower() != b"identity":
            raise RequestError(
                "the body is compressed", status=415, fix="send it without the header Content-Encoding"
            )
        length, most = headers.get(b"content-length", b""), self._service.limits.body_bytes
        if length.isdigit() and int(length) > most:
            raise _too_large(most)

    async def _read(self, request: Request, call: Call) -> bytes:
        """Read the body, within the limits."""
        limits, parts = self._service.limits, list[bytes]()
        try:
            with self._traffic.deadlines.at(asyncio.get_running_loop().time() + limits.body_seconds):
                async for part in request.stream():
                    call.body_bytes += len(part)
                    self._traffic.bytes += len(part)
                    parts.append(part)
                    if call.body_bytes > limits.body_bytes:
                        raise _too_large(limits.body_bytes)
                    if self._traffic.bytes > limits.bodies_bytes:
                        raise overloaded("the bodies of requests take too much memory", retry_after=1)
        except TimeoutError:
            raise RequestError(
                f"the body did not come within {limits.body_seconds:g} s", status=408, trouble=Trouble.TIMEOUT
            ) from None
        return b"".join(parts)

    def _parsed(self, raw: bytes) -> Any:
        if self._route.body is NoBody and not raw:
            return NoBody()
        try:
            return self._route.body.model_validate_json(raw)
        except ValidationError as error:
            raise body_error(error, body_in(raw), list(self._route.body.model_fields)) from None

    def _queried(self, scope: Scope) -> Any:
        """The fields of a GET request, in its query and at the end of its path."""
        try:
            given = parse_qs(scope["query_string"].decode(), keep_blank_values=True, max_num_fields=1_000)
        except ValueError:
            raise RequestError("the query can't be read", status=400) from None
        fields = self._route.body.model_fields
        many = {name for name, one in fields.items() if get_origin(one.annotation) is tuple}
        for name, found in given.items():
            if len(found) > 1 and name not in many:
                raise RequestError(f"{name[:80]} is given {len(found)} times", fix="give it once", param=name)
        values = {name: found if name in many else found[0] for name, found in given.items()}
        values |= scope.get("path_params", {})
        try:
            return self._route.body.model_validate(values)
        except ValidationError as error:
            raise body_error(error, values, list(fields)) from None


async def _unless_gone(answer: Awaitable[Reply], receive: Receive) -> Reply:
    """The response, unless the client disconnects first, which stops its computation."""
    asking, is_gone = asyncio.current_task(), False

    async def listen() -> None:
        nonlocal is_gone
        while (await receive())["type"] != "http.disconnect":
            pass
        is_gone = asking is not None and asking.cancel()

    listening = asyncio.ensure_future(listen())
    try:
        return await answer
    except asyncio.CancelledError:
        if is_gone and asking is not None and not asking.uncancel():
            raise ClientDisconnect from None
        raise
    finally:
        listening.cancel()


def _too_large(most: int) -> RequestError:
    return RequestError(f"the body is larger than {most:,} bytes", status=413, fix="send fewer texts at once")
