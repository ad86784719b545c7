"""Forced exit of a process after a stop signal, whatever its threads wait for."""

from __future__ import annotations

import os
import threading
from typing import final

from textkin.server.requests_log import RequestsLog

SECONDS = 40.0
"""Seconds after the signal, 30 of which are for requests in progress."""

_CODE = 70


@final
class ForcedExit:
    """Ends this process some time after a stop signal, unless it has ended by then.

    Args:
        log: the log of this event.
    """

    def __init__(self, log: RequestsLog) -> None:
        self._log, self._timer = log, threading.Timer(SECONDS, self._end)
        self._timer.daemon = True

    def begin(self) -> None:
        """Start the clock after a stop signal."""
        if self._timer.ident is None:
            self._timer.start()

    def cancel(self) -> None:
        """Stop the clock after an orderly end."""
        self._timer.cancel()

    def _end(self) -> None:
        self._log.tell("stopped", {"error": f"something was still waiting after {SECONDS:g} s"})
        os._exit(_CODE)
