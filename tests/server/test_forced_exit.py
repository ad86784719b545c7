"""A process told to stop ends, whatever one of its threads waits for."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow

_STUCK = """
import os, sys, threading
from textkin.server import server_process
from textkin.server.log import ServerLog

server_process.SECONDS = 0.2
end = server_process.ForcedExit(ServerLog("all"))
end.begin()
end.begin()
if sys.argv[1] == "cancelled":
    end.cancel()
else:
    os.mkfifo(sys.argv[2])
    open(sys.argv[2])
"""


def test_a_thread_that_waits_for_ever(tmp_path) -> None:
    started = time.monotonic()
    command = [sys.executable, "-c", _STUCK, "stuck", str(tmp_path / "pipe")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, time.monotonic() - started < 30) == (70, True)
    assert '"event": "stopped"' in found.stderr


def test_nothing_happens_when_all_is_done() -> None:
    command = [sys.executable, "-c", _STUCK, "cancelled"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stderr) == (0, "")
