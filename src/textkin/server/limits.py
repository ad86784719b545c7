"""Limits of a server, which bound its memory whatever clients send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import final

from textkin.base.errors import invalid

_UNIT = 1_024  # bytes


@final
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
