"""What surrounds every route: who asks, how much, until when; errors as answers; figures and logs."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, final, get_origin
from urllib.parse import parse_qs

import orjson
from pydantic import ValidationError

from textkin.server.access import Access
from textkin.server.call import Call, Reply
from textkin.server.deadlines import Deadlines
from textkin.server.invalid import body_in, invalid
from textkin.server.problems import RequestError, Trouble, body_of, overloaded, refusal_of
from textkin.server.requests_log import RequestsLog
from textkin.server.route import NoBody, Route
from textkin.server.service import Service

_REQUEST_ID = re.compile(rb"[\w.-]{1,64}\Z", re.ASCII)
_JSON = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
]

Receive = Callable[[], Any]
Send = Callable[[dict[str, Any]], Any]


@final
class _Gone(Exception):
    """The client has hung up."""


@final
class Traffic:
    """What is on its way at present, of all routes together."""

    def __init__(self) -> None:
        self.requests, self.bytes, self.deadlines = 0, 0, Deadlines()


@final
class Exchange:
    """A route as an ASGI application.

    Args:
        route: who answers.
        service: what with.
        traffic: shared by all routes.
        access: whose requests are taken at all.
        log: where a line of each goes.
    """

    def __init__(
        self, route: Route, service: Service, *, traffic: Traffic, access: Access, log: RequestsLog
    ) -> None:
        self._route, self._service, self._traffic = route, service, traffic
        self._access, self._log = access, log

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = dict(scope["headers"])
        call = Call.now(_id_of(headers), seconds=self._service.limits.seconds)
        trouble = None
        self._traffic.requests += 1
        try:
            reply = await self._answered(scope, headers, receive, call)
            content = content_of(reply)  # before status and log: what can't be written is no answer
        except _Gone:
            self._log.write(call, self._route.path, 499)
            return
        except Exception as error:
            refusal = refusal_of(error)
            if refusal.status >= 500:
                self._log.defect(call, error)
            trouble = refusal.trouble.value
            reply = Reply(body_of(refusal, self._route.dialect), refusal.status, headers=refusal.headers)
            content = content_of(reply)
        finally:
            self._traffic.requests -= 1
        self._service.figures.answered(
            self._route.path, reply.status, seconds=call.seconds, texts=call.texts, trouble=trouble
        )
        self._log.write(call, self._route.path, reply.status, trouble=trouble)
        await send_reply(reply, content, call, send, granted=self._access.granted(headers))

    async def _answered(
        self, scope: Mapping[str, Any], headers: Mapping[bytes, bytes], receive: Receive, call: Call
    ) -> Reply:
        route = self._route
        self._access.check(headers)
        if not route.is_open:
            if self._traffic.requests > self._service.limits.requests:
                raise overloaded(
                    f"{self._service.limits.requests:,} requests are being answered", retry_after=1
                )
            call.key = self._service.keys.require(_text(headers.get(b"authorization")), writes=route.writes)
            if route.writes and self._service.read_only:
                raise RequestError("this server is read-only", status=403, trouble=Trouble.UNAUTHORIZED)
        if route.method == "GET":
            return await route.answer(self._service, self._queried(scope["query_string"]), call)
        raw = await self._body(headers, receive)
        try:
            body = self._parsed(raw)
            return await _unless_gone(route.answer(self._service, body, call), receive)
        finally:
            self._traffic.bytes -= len(raw)

    async def _body(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """The body, as far as limits allow; counted in the traffic until the caller takes it out."""
        limits, said = self._service.limits, headers.get(b"content-length", b"")
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
            raise RequestError(
                "the body is no JSON by its content type",
                status=415,
                fix="send the header Content-Type: application/json",
            )
        if said.isdigit() and int(said) > limits.body_bytes:
            raise _too_large(limits.body_bytes)
        parts: list[bytes] = []
        size, whole = 0, False
        try:
            with self._traffic.deadlines.at(asyncio.get_running_loop().time() + limits.body_seconds):
                while not whole:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Gone
                    part, whole = message.get("body", b""), not message.get("more_body", False)
                    size += len(part)
                    self._traffic.bytes += len(part)
                    parts.append(part)
                    if size > limits.body_bytes:
                        raise _too_large(limits.body_bytes)
                    if self._traffic.bytes > limits.bodies_bytes:
                        raise overloaded("the bodies of requests take too much memory", retry_after=1)
        except BaseException as error:
            self._traffic.bytes -= size
            if isinstance(error, TimeoutError):
                raise RequestError(
                    f"the body did not come within {limits.body_seconds:g} s",
                    status=408,
                    trouble=Trouble.TIMEOUT,
                ) from None
            raise
        return b"".join(parts)

    def _parsed(self, raw: bytes) -> Any:
        if self._route.body is NoBody and not raw:
            return NoBody()
        try:
            return self._route.body.model_validate_json(raw)
        except ValidationError as error:
            raise invalid(error, body_in(raw), list(self._route.body.model_fields)) from None

    def _queried(self, query: bytes) -> Any:
        try:
            given = parse_qs(query.decode(), keep_blank_values=True, max_num_fields=1_000)
        except ValueError:
            raise RequestError("the query can't be read", status=400) from None
        fields = self._route.body.model_fields
        many = {name for name, one in fields.items() if get_origin(one.annotation) is tuple}
        for name, found in given.items():
            if len(found) > 1 and name not in many:
                raise RequestError(f"{name[:80]} is given {len(found)} times", fix="give it once", param=name)
        values = {name: found if name in many else found[0] for name, found in given.items()}
        try:
            return self._route.body.model_validate(values)
        except ValidationError as error:
            raise invalid(error, values, list(fields)) from None


async def _unless_gone(answer: Awaitable[Reply], receive: Receive) -> Reply:
    """The answer, unless the client hangs up before; then nothing more is computed for it."""
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
            raise _Gone from None
        raise
    finally:
        listening.cancel()


def content_of(reply: Reply) -> bytes:
    """An answer as bytes.

    Raises:
        TypeError: it holds what JSON can't hold.
    """
    content = reply.content
    return content if isinstance(content, bytes) else orjson.dumps(content, option=_JSON)


async def send_reply(
    reply: Reply, content: bytes, call: Call, send: Send, *, granted: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Send an answer, with the headers that all answers have."""
    headers = [
        (b"content-type", reply.media_type.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"x-request-id", call.request_id.encode()),
        *_ALWAYS,
    ]
    if call.texts:
        headers += [
            (b"x-compute-type", b"cpu"),
            (b"x-compute-characters", str(call.characters).encode()),
            (b"x-compute-tokens", str(call.tokens).encode()),
            (b"x-total-time", str(round(call.seconds * 1_000)).encode()),
            (b"x-textkin-truncated", str(call.truncated).encode()),
        ]
    headers += granted
    headers += [(name.encode(), value.encode()) for name, value in reply.headers.items()]
    headers += [(b"connection", b"close")] if reply.status == 413 else []  # what comes is not read
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _too_large(most: int) -> RequestError:
    return RequestError(f"the body is larger than {most:,} bytes", status=413, fix="send fewer texts at once")


def _id_of(headers: Mapping[bytes, bytes]) -> str:
    given = headers.get(b"x-request-id", b"")
    return given.decode() if _REQUEST_ID.match(given) else os.urandom(8).hex()


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("latin-1")
