"""Connections that must say what they want in time.

A client of uvicorn may take as long as it likes for its headers, and so hold all connections that there are.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textkin.extras import imported


class Impatient:
    """What is mixed into a protocol of uvicorn: a clock that runs while headers are coming in."""

    patience: float
    cycle: Any
    loop: asyncio.AbstractEventLoop
    transport: Any
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock."""
        super().connection_made(transport)  # type: ignore[misc]
        self._clock = self.loop.call_later(self.patience, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Stop it once a request is being answered; bytes between two requests start it again."""
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.patience, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop it."""
        self._stop()
        super().connection_lost(exc)  # type: ignore[misc]

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def protocol_of(seconds: float) -> type:
    """The fastest of uvicorn's HTTP protocols that is installed, with so much patience."""
    try:
        base = imported("uvicorn.protocols.http.httptools_impl", extra="server").HttpToolsProtocol
    except ImportError:
        base = imported("uvicorn.protocols.http.h11_impl", extra="server").H11Protocol
    return type("ImpatientProtocol", (Impatient, base), {"patience": seconds})
