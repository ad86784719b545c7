"""One request on its way: who asks, until when, and what is told of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from textkin.server.keys import ApiKey


@final
@dataclass(slots=True, eq=False)
class Call:
    """What a route knows of a request beside its body, and what it notes for headers, logs and figures.

    Attributes:
        request_id: by which logs know it.
        deadline: by the event loop's clock.
        key: who asks; None where everybody may.
        texts: texts or pairs that it brought.
        characters: of these.
        tokens: of these, where a model counted them.
        truncated: of these, that were cut.
    """

    request_id: str
    deadline: float
    key: ApiKey | None = None
    texts: int = 0
    characters: int = 0
    tokens: int = 0
    truncated: int = 0
    started: float = field(default_factory=time.perf_counter)

    @classmethod
    def now(cls, request_id: str, *, seconds: float) -> Call:
        """A request that has just come."""
        return cls(request_id, asyncio.get_running_loop().time() + seconds)

    @property
    def seconds(self) -> float:
        """Since it came."""
        return time.perf_counter() - self.started


@final
@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        content: what becomes JSON; bytes go as they are.
        status: of HTTP.
        media_type: of bytes.
        headers: beside the usual ones.
    """

    content: Any
    status: int = 200
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
