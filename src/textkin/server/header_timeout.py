"""Connections that must say what they want in time, and may do so while a server ends.

A client of uvicorn may take as long as it likes for its headers, and so hold all connections that there are.
A server of uvicorn that ends drops connections that were taken and have asked nothing yet.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textkin.base.extras import imported

_MOMENT = 1.0  # seconds for the first request of a connection that was taken just before the server ends


class HeaderTimeout:
    """What is mixed into a protocol of uvicorn: a clock for headers, and a moment at the end."""

    patience: float
    cycle: Any
    loop: asyncio.AbstractEventLoop
    transport: Any
    _clock: asyncio.TimerHandle | None = None
    _is_last = False

    def connection_made(self, transport: Any) -> None:
        """Start the clock."""
        super().connection_made(transport)  # type: ignore[misc]
        self._clock = self.loop.call_later(self.patience, self._give_up)

    def data_received(self, data: bytes) -> None:
        """Stop it once a request is being answered; bytes between two requests start it again."""
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not None and self._is_last:
            self.cycle.keep_alive = False
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.patience, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop it."""
        self._stop()
        super().connection_lost(exc)  # type: ignore[misc]

    def shutdown(self) -> None:
        """End, but let a client that has asked nothing yet do so, or its request would be lost."""
        if self.cycle is None:
            self._is_last = True
            self.loop.call_later(_MOMENT, self._end_if_silent)
        else:
            super().shutdown()  # type: ignore[misc]

    def _end_if_silent(self) -> None:
        if self.cycle is None:
            self._give_up()

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
    return type("HeaderTimeoutProtocol", (HeaderTimeout, base), {"patience": seconds})
