"""The log of a server: lines of JSON, or of text, on standard error. Texts of requests are never in it."""

from __future__ import annotations

import json
import sys
import time
import traceback
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from textkin.server.call import Call

Logged = Literal["all", "errors", "nothing"]
LogFormat = Literal["json", "text"]


class ServerLog:
    """The log of a server.

    Args:
        what: the requests to log. "all" leaves out those for health and for the page's files that succeed.
        style: the format of a line.
        stream: the output; standard error if None.
    """

    def __init__(
        self, what: Logged = "all", *, style: LogFormat = "json", stream: IO[str] | None = None
    ) -> None:
        self._what, self._style, self._stream = what, style, stream

    def write(self, call: Call, route: str, status: int, *, error: str | None = None) -> None:
        """Log a request that was answered, or abandoned by its client (499).

        Args:
            call: the request.
            route: its route.
            status: its status.
            error: the type of the error that it was answered with, if any.
        """
        if self._what == "nothing" or (status < 400 and (self._what == "errors" or call.is_routine)):
            return
        line: dict[str, Any] = {"id": call.request_id, "method": call.method, "route": route}
        line |= {"client": call.client, "status": status, "seconds": round(call.seconds, 4)}
        line |= {"texts": call.texts, "characters": call.characters}
        line |= {"truncated": call.truncated} if call.truncated else {}
        line |= {} if call.key is None else {"key": call.key.name}
        line |= {} if error is None else {"error": error}
        self.tell("request", line, level="error" if status >= 500 else "warning" if status >= 400 else "info")

    def defect(self, call: Call, error: Exception) -> None:
        """Log an internal error, without its message, which may quote texts."""
        last = traceback.extract_tb(error.__traceback__)[-3:]
        places = [f"{one.name}:{one.lineno}" for one in last]
        self.tell(
            "error", {"id": call.request_id, "error": type(error).__name__, "at": places}, level="error"
        )

    def tell(
        self, event: str, line: dict[str, Any], *, level: Literal["info", "warning", "error"] = "info"
    ) -> None:
        """Write one line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if self._style == "json":
            written = json.dumps({"time": stamp, "level": level, "event": event, **line})
        else:
            written = " ".join([stamp, level.upper(), event, *(f"{key}={_word(line[key])}" for key in line)])
        stream = sys.stderr if self._stream is None else self._stream
        with suppress(OSError, ValueError):  # a log that is full or gone doesn't affect responses
            stream.write(written + "\n")
            stream.flush()


def _word(value: object) -> str:
    """A value in a line of text, quoted if it could be taken for several."""
    said = value if isinstance(value, str) else json.dumps(value)
    return json.dumps(said) if not said or set(said) & set(' "=\\\n\r\t') else said
