"""The end of a process that was told to stop, whatever one of its threads waits for."""

from __future__ import annotations

import os
import threading
from typing import final

from textkin.server.requests_log import RequestsLog

SECONDS = 40.0
"""After the signal; what is being answered has 30 of them."""

_CODE = 70


@final
class ForcedExit:
    """Ends this process some time after it was told to stop, unless it has ended by then.

    Args:
        log: where this is told.
    """

    def __init__(self, log: RequestsLog) -> None:
        self._log, self._timer = log, threading.Timer(SECONDS, self._end)
        self._timer.daemon = True

    def begin(self) -> None:
        """The process was told to stop."""
        if self._timer.ident is None:
            self._timer.start()

    def cancel(self) -> None:
        """All is done."""
        self._timer.cancel()

    def _end(self) -> None:
        self._log.tell("stopped", {"error": f"something was still waiting after {SECONDS:g} s"})
        os._exit(_CODE)
