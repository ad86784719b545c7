"""A request in progress: its client, deadline and statistics; and its response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import orjson
from starlette.responses import Response

from textkin.server.keys import ApiKey

_JSON = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS


@final
@dataclass(slots=True, eq=False)
class Call:
    """Data about a request besides its body, and statistics for headers, logs and metrics.

    Attributes:
        request_id: its id in logs.
        deadline: its deadline by the event loop's clock.
        headers: its headers, by lower-case name.
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
    key: ApiKey | None = None
    texts: int = 0
    characters: int = 0
    tokens: int = 0
    truncated: int = 0
    body_bytes: int = 0
    started: float = field(default_factory=time.perf_counter)

    @classmethod
    def now(cls, request_id: str, *, seconds: float, headers: Mapping[bytes, bytes] | None = None) -> Call:
        """A request received just now."""
        return cls(request_id, asyncio.get_running_loop().time() + seconds, headers or {})

    @property
    def seconds(self) -> float:
        """Seconds since its arrival."""
        return time.perf_counter() - self.started


@final
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
