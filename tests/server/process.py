"""A server in a separate process, for tests with sockets and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STARTED = ("starting", "model loaded", "listening")
"""The events of a server with one model until it listens."""

COMPILING = ("compiling", "compiled")
"""The events of the thread that compiles, at any time."""


def logged(said: str) -> list[dict[str, Any]]:
    """The events of a log, without those of the thread that compiles."""
    events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return [one for one in events if one["event"] not in COMPILING]


class Served:
    """A server that runs.

    Attributes:
        process: its process.
        url: its URL.
        port: its port.
    """

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process, self.url = process, url
        self.port = int(url.rsplit(":", 1)[1])

    def await_loops(self) -> None:
        """Read the log until the loops of searches and tokenizers are in memory."""
        assert self.process.stderr is not None
        while (line := self.process.stderr.readline()) and '"compiled"' not in line:
            pass
        assert line, "the server ended"

    def stop(self, number: int = signal.SIGTERM, *, seconds: float = 30) -> tuple[int, str]:
        """End it by a signal; return its exit code, and its standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=seconds)
        return self.process.returncode, said


@contextmanager
def serving(*arguments: str | Path) -> Iterator[Served]:
    """A server with these arguments, at a free port."""
    with running("serve", *arguments) as found:
        yield found


@contextmanager
def running(*arguments: str | Path) -> Iterator[Served]:
    """A serving command, with the address that it first prints to standard output."""
    words = list(map(str, arguments))
    if "--port" in words:  # as pages have it
        place = words.index("--port")
        del words[place : place + 2]
    command = [sys.executable, "-m", "textkin", *words, "--port", "0"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(process.communicate()[1])
        yield Served(process, line.split()[-1])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
