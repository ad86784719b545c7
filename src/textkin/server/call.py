"""One request on its way: who asks, until when, and what is told of it; and the answer."""

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
    """What a route knows of a request beside its body, and what it notes for headers, logs and metrics.

    Attributes:
        request_id: by which logs know it.
        deadline: by the event loop's clock.
        headers: of the request, by their names in small letters.
        key: who asks; None where everybody may.
        texts: texts or pairs that it brought.
        characters: of these.
        tokens: of these, where a model counted them.
        truncated: of these, that were cut.
        body_bytes: of its body, as far as it has come.
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
        """A request that has just come."""
        return cls(request_id, asyncio.get_running_loop().time() + seconds, headers or {})

    @property
    def seconds(self) -> float:
        """Since it came."""
        return time.perf_counter() - self.started


@final
class Reply(Response):
    """An answer: what becomes JSON, or bytes, which go as they are.

    Raises:
        TypeError: it holds what JSON can't hold.
    """

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The answer as bytes."""
        return content if isinstance(content, bytes) else orjson.dumps(content, option=_JSON)

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Set what all answers have, in half the time that Starlette takes for all that may be."""
        kind, length = self.media_type.encode(), b"%d" % len(self.body)
        self.raw_headers = [(b"content-type", kind), (b"content-length", length)]
        for name, value in (headers or {}).items():
            self.raw_headers.append((name.encode(), value.encode()))
