"""A request in progress with its limits and deadline, and its response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Any, Self

import orjson
from starlette.responses import Response

from textkin.base.errors import invalid
from textkin.server.keys import ApiKey

_UNIT = 1_024  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits of a server; a request that exceeds one is rejected with an error that names it.

    Attributes:
        requests: maximum concurrent requests.
        texts: maximum texts per request.
        waiting_texts: maximum texts waiting for a model, over all requests; a pair counts as one. Queries to
            a collection or an index count one per KiB or part of it.
        query_bytes: maximum bytes of a query or question, in UTF-8.
        body_bytes: maximum bytes of a request.
        bodies_bytes: maximum bytes of all requests being read or handled.
        batch_tokens: maximum tokens of a batch, estimated from characters.
        seconds: request timeout, including waiting.
        header_seconds: timeout for the request headers.
        body_seconds: timeout for the request body.
    """

    requests: int = 2_048
    texts: int = 2_048
    waiting_texts: int = 16_384
    query_bytes: int = 65_536
    body_bytes: int = 8_000_000
    bodies_bytes: int = 256_000_000
    batch_tokens: int = 32_768
    seconds: float = 60.0
    header_seconds: float = 10.0
    body_seconds: float = 30.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not value > 0:
                raise invalid(f"max_{one.name}", value, expected="a number above 0")
        if self.texts > self.waiting_texts:
            raise invalid(
                "max_waiting_texts",
                self.waiting_texts,
                expected=f"at least `max_texts`, which is {self.texts}",
            )


def units_of(texts: Sequence[str]) -> int:
    """The number of texts that queries count as by size: one per KiB or part of it, at least one."""
    return sum(1 + len(text.encode(errors="replace")) // _UNIT for text in texts)


_JSON = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


@dataclass(slots=True, eq=False)
class Call:
    """Data about a request besides its body, and statistics for headers, logs and metrics.

    Attributes:
        request_id: its id in logs.
        deadline: its deadline by the event loop's clock.
        headers: its headers, by lower-case name.
        method: its method.
        client: the address that it came from; "" if unknown.
        is_routine: True for requests for health and for the page's own files.
        key: the client's key; None if the server is open.
        texts: the number of texts or pairs in it.
        characters: their number of characters.
        tokens: their number of tokens, if counted by a model.
        truncated: the number of truncated ones.
        body_bytes: the bytes of its body received so far.
    """

    request_id: str
    deadline: float
    headers: Mapping[bytes, bytes] = field(default_factory=dict)
    method: str = "GET"
    client: str = ""
    is_routine: bool = False
    key: ApiKey | None = None
    texts: int = 0
    characters: int = 0
    tokens: int = 0
    truncated: int = 0
    body_bytes: int = 0
    started: float = field(default_factory=time.perf_counter)

    @classmethod
    def now(
        cls,
        request_id: str,
        *,
        seconds: float,
        headers: Mapping[bytes, bytes] | None = None,
        method: str = "GET",
        client: str = "",
    ) -> Call:
        """A request received just now, with these seconds until its deadline."""
        deadline = asyncio.get_running_loop().time() + seconds
        return cls(request_id, deadline, headers or {}, method, client)

    @property
    def seconds(self) -> float:
        """Seconds since its arrival."""
        return time.perf_counter() - self.started


class Reply(Response):
    """A response: a JSON value, or raw bytes.

    Raises:
        TypeError: it contains values that JSON doesn't support.
    """

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The response as bytes."""
        return content if isinstance(content, bytes) else orjson.dumps(content, option=_JSON)

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Set the common headers, in half of Starlette's time for the general case."""
        kind, length = self.media_type.encode(), b"%d" % len(self.body)
        self.raw_headers = [(b"content-type", kind), (b"content-length", length)]
        for name, value in (headers or {}).items():
            self.raw_headers.append((name.encode(), value.encode()))


_EVERY = 0.1  # seconds between two checks for overdue deadlines


class Deadlines:
    """Ends overdue blocks, at most a tenth of a second late."""

    def __init__(self) -> None:
        self._open: dict[asyncio.AbstractEventLoop, set[Deadline]] = {}

    def at(self, when: float) -> Deadline:
        """A block with a deadline by the event loop's clock, after which it raises TimeoutError."""
        return Deadline(self._open, when)


class Deadline:
    """A single deadline; like ``asyncio.timeout_at`` except for the timer."""

    __slots__ = ("_before", "_is_over", "_loop", "_open", "_task", "_when")

    def __init__(self, of_loops: dict[asyncio.AbstractEventLoop, set[Deadline]], when: float) -> None:
        self._open, self._when, self._is_over = of_loops, when, False
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[object] | None = asyncio.current_task()
        self._before = 0 if self._task is None else self._task.cancelling()

    def __enter__(self) -> Self:
        beside = self._open.get(self._loop)
        if beside is None:
            beside = self._open[self._loop] = set()
            self._loop.call_later(_EVERY, _look, self._open, self._loop)
        beside.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.get(self._loop, set()).discard(self)
        if not self._is_over or self._task is None:
            return
        if self._task.uncancel() <= self._before and kind is asyncio.CancelledError:
            raise TimeoutError from error  # nobody else has cancelled it

    def end_if_over(self, now: float) -> bool:
        """End the block if it is overdue."""
        self._is_over = self._when <= now
        if self._is_over and self._task is not None:
            self._task.cancel()
        return self._is_over


def _look(of_loops: dict[asyncio.AbstractEventLoop, set[Deadline]], loop: asyncio.AbstractEventLoop) -> None:
    """End overdue blocks, and schedule the next check while any are left."""
    now, left = loop.time(), of_loops[loop]
    left -= {one for one in left if one.end_if_over(now)}
    if left:
        loop.call_later(_EVERY, _look, of_loops, loop)
    else:
        del of_loops[loop]
