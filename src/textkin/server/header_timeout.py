"""A header timeout for connections, which still holds while a server stops.

uvicorn sets no time limit on headers, so clients could occupy all connections. When it stops, it drops
connections that were accepted but have sent no request yet.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textkin.base.extras import imported

_MOMENT = 1.0  # seconds for the first request of a connection accepted just before the server stops


class HeaderTimeout:
    """A mixin for uvicorn's protocols: a timeout for headers, and a grace period at the end."""

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
        """Stop the clock once a request is being handled; bytes between two requests start it again."""
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not None and self._is_last:
            self.cycle.keep_alive = False
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.patience, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop()
        super().connection_lost(exc)  # type: ignore[misc]

    def shutdown(self) -> None:
        """Shut down, but wait for the first request of a new connection, which would be lost."""
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
    """The fastest installed HTTP protocol of uvicorn, with a header timeout."""
    try:
        base = imported("uvicorn.protocols.http.httptools_impl", extra="server").HttpToolsProtocol
    except ImportError:
        base = imported("uvicorn.protocols.http.h11_impl", extra="server").H11Protocol
    return type("HeaderTimeoutProtocol", (HeaderTimeout, base), {"patience": seconds})
