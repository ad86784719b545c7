"""Nothing acknowledged is lost: a server is killed while it takes documents, again and again.

TEXTKIN_KILLS says how often, if not three times.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import textkin as tk
from tests.server.asking import httpx
from tests.server.process import serving

ROUNDS = int(os.environ.get("TEXTKIN_KILLS", "3"))


def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path) -> None:
    place, told = tmp_path / "notes.kin", set[str]()
    tk.open_collection(place, create=True).close()
    chance = random.Random(5)
    for turn in range(ROUNDS):
        with serving("default", "--collection", place, "--log", "nothing") as server:
            writing = [
                threading.Thread(target=write, args=(server.url, f"{turn}-{writer}", told))
                for writer in range(3)
            ]
            for one in writing:
                one.start()
            enough, late = len(told) + chance.randrange(10, 60), time.monotonic() + 120
            while len(told) < enough and time.monotonic() < late:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.05))  # a kill comes at any time of what goes on
            server.process.kill()
            for one in writing:
                one.join()
        with tk.open_collection(place) as notes:
            there = {one.entry_id for one in notes.store.entries()}
        assert told <= there, f"{len(told - there)} of {len(told)} are lost"
    print(f"{ROUNDS} kills, {len(told):,} acknowledged documents")  # noqa: T201
    assert len(told) >= 10 * ROUNDS, "the test has seen enough"


def write(url: str, writer: str, told: set[str]) -> None:
    """Add documents until the server is gone; ``told`` gets those that it has acknowledged."""
    with httpx.Client(base_url=url, timeout=10) as client:
        for number in range(100_000):
            ids = [f"{writer}-{number}-{place}" for place in range(5)]
            documents = [{"id": one, "text": f"text {one} of many"} for one in ids]
            try:
                answer = client.post("/documents", json={"documents": documents})
            except httpx.TransportError:
                return
            if answer.status_code == 200:
                assert answer.json()["ids"] == ids
                told.update(ids)
