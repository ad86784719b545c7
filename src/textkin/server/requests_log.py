"""A log with a JSON line per request, without its contents unless requested."""

from __future__ import annotations

import json
import sys
import time
import traceback
from contextlib import suppress
from typing import IO, Any, Literal, final

from textkin.server.call import Call

Logged = Literal["all", "errors", "nothing"]


@final
class RequestsLog:
    """The log of a server.

    Args:
        what: the requests to log.
        stream: the output; standard error if None.
    """

    def __init__(self, what: Logged = "all", *, stream: IO[str] | None = None) -> None:
        self._what, self._stream = what, stream

    def write(self, call: Call, route: str, status: int, *, trouble: str | None = None) -> None:
        """Log a request that was answered, or abandoned by its client (499)."""
        if self._what == "nothing" or (self._what == "errors" and status < 400):
            return
        line: dict[str, Any] = {"id": call.request_id, "route": route, "status": status}
        line |= {"seconds": round(call.seconds, 4), "texts": call.texts, "characters": call.characters}
        line |= {"truncated": call.truncated} if call.truncated else {}
        line |= {} if call.key is None else {"key": call.key.name}
        line |= {} if trouble is None else {"trouble": trouble}
        self.tell("request", line)

    def defect(self, call: Call, error: Exception) -> None:
        """Log an internal error, without its message, which may quote texts."""
        last = traceback.extract_tb(error.__traceback__)[-3:]
        places = [f"{one.name}:{one.lineno}" for one in last]
        self.tell("error", {"id": call.request_id, "error": type(error).__name__, "at": places})

    def tell(self, event: str, line: dict[str, Any]) -> None:
        """Write one line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        stream = sys.stderr if self._stream is None else self._stream
        with suppress(OSError, ValueError):  # a log that is full or gone doesn't affect responses
            stream.write(json.dumps({"time": stamp, "event": event, **line}) + "\n")
            stream.flush()
