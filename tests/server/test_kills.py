"""No acknowledged change is lost: a server is killed repeatedly while it adds documents.

TEXTKIN_KILLS is the number of kills, three by default.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import httpx
from tests.server.process import Served, serving

pytestmark = pytest.mark.long

ROUNDS = int(os.environ.get("TEXTKIN_KILLS", "3"))
TIMEOUT = 60  # seconds


@pytest.mark.parametrize("killed", ["the server", "the first of three", "a worker"])
def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path, killed: str) -> None:
    place, told = tmp_path / "notes.kin", set[str]()
    tk.open_collection(place, create=True).close()
    chance = random.Random(5)
    arguments = () if killed == "the server" else ("--workers", "2")
    for turn in range(ROUNDS):
        with serving("default", place, "--log", "nothing", *arguments) as server:
            stopped = threading.Event()
            writing = [
                threading.Thread(target=write, args=(server.url, f"{turn}-{writer}", told, stopped))
                for writer in range(3)
            ]
            for one in writing:
                one.start()
            wait_for(told, chance.randrange(10, 60))
            time.sleep(chance.uniform(0, 0.05))  # a kill may come at any time
            if killed == "a worker":
                os.kill(chance.choice(workers_of(server)), signal.SIGKILL)
                wait_for(told, 20)  # the others continue
            stopped.set()
            server.process.kill()
            for one in writing:
                one.join()
        if killed != "the server":
            wait_for_workers(server)
        with tk.open_collection(place) as notes:
            there = {one.entry_id for one in notes.store.entries()}
        assert told <= there, f"{len(told - there)} of {len(told)} are lost"
    print(f"{ROUNDS} kills of {killed}, {len(told):,} acknowledged documents")  # noqa: T201
    assert len(told) >= 10 * ROUNDS, "the test has seen enough"


def wait_for(told: set[str], more: int) -> None:
    """Wait until a number of further documents are acknowledged."""
    enough, late = len(told) + more, time.monotonic() + 2 * TIMEOUT
    while len(told) < enough and time.monotonic() < late:
        time.sleep(0.001)


def workers_of(server: Served) -> list[int]:
    """The child processes of a server."""
    pid = server.process.pid
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_for_workers(server: Served) -> None:
    """Wait for the end of workers whose first process was killed: they finish their work."""
    late = time.monotonic() + TIMEOUT
    while True:
        try:
            httpx.get(server.url + "/live", timeout=1)
        except httpx.ConnectError:
            return
        except httpx.TransportError:
            pass
        assert time.monotonic() < late, "workers outlive the server"
        time.sleep(0.05)


def write(url: str, writer: str, told: set[str], stopped: threading.Event) -> None:
    """Add documents until the server is gone; ``told`` receives the acknowledged ones."""
    number = 0
    while not stopped.is_set():
        with httpx.Client(base_url=url, timeout=TIMEOUT) as client:
            try:
                while True:
                    ids = [f"{writer}-{number}-{place}" for place in range(5)]
                    number += 1
                    documents = [{"id": one, "text": f"text {one} of many"} for one in ids]
                    answer = client.post("/documents", json={"documents": documents})
                    if answer.status_code == 200:
                        assert answer.json()["ids"] == ids
                        told.update(ids)
            except httpx.TransportError:
                time.sleep(0.01)  # a worker is gone, and others are there
