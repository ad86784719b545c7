"""What a server takes on at most, so that its memory is bounded whatever is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import final

from textkin.base.errors import invalid

_UNIT = 1_024  # bytes


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The most of everything; beyond it a request is refused, by an answer that names the limit.

    Attributes:
        requests: being answered at a time.
        texts: of one request.
        waiting_texts: that wait for a model, of all requests; a pair counts as one. Of what is asked of a
            collection or an index, each KiB that is begun counts as one.
        query_bytes: of a query or question, in UTF-8.
        body_bytes: of one request.
        bodies_bytes: of all requests that are being read or answered.
        batch_tokens: of a batch, estimated by characters.
        seconds: until an answer, waiting included.
        header_seconds: for a connection to say what it wants.
        body_seconds: for a request's body to come in.
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
    """As how many texts some count where their size does: each KiB that is begun, and one at least."""
    return sum(1 + len(text.encode(errors="replace")) // _UNIT for text in texts)
