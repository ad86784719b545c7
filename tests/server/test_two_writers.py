"""A server and a command write to one collection at once: nothing is lost or duplicated."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

import textkin as tk
from tests.server.asking import httpx
from tests.server.process import serving

pytestmark = pytest.mark.long

BATCHES, EACH, LINES = 12, 5, 40


def test_what_a_server_and_a_command_add_is_there_once(places: Any) -> None:
    place = places / "notes.kin"
    tk.open_collection(place, create=True).close()
    shared = [f"both say number {place} in these words" for place in range(10)]
    lines = [*shared, *(f"the command says number {place} alone" for place in range(LINES))]
    told = dict[str, str]()

    def by_http(url: str) -> None:
        with httpx.Client(base_url=url, timeout=120) as client:
            for batch in range(BATCHES):
                texts = [f"the server says number {batch} {one} alone" for one in range(EACH)]
                found = client.post("/documents", json={"documents": [{"text": one} for one in texts]})
                assert found.status_code == 200, found.text
                told.update(zip(found.json()["ids"], texts, strict=True))
                matched = client.post("/match/add", json={"texts": shared, "threshold": 0.99})
                assert matched.status_code == 200, matched.text

    with serving("default", place, "--log", "nothing") as server:
        writing = threading.Thread(target=by_http, args=(server.url,))
        command = subprocess.Popen(
            [
                *(sys.executable, "-m", "textkin", "match", place, "-", "--add", "--json"),
                *("--threshold", "0.99", "--wait", "100"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        writing.start()
        answers, _ = command.communicate("\n".join(lines) + "\n", timeout=300)
        writing.join()
        assert command.returncode == 0 and len(answers.splitlines()) == len(lines)
        assert all(json.loads(line) for line in answers.splitlines())
        with httpx.Client(base_url=server.url, timeout=60) as client:
            found = client.post("/search", json={"query": lines[-1], "k": 1, "mode": "words"}).json()
            assert found["hits"][0]["text"] == lines[-1], "a search sees what another process has added"
            assert client.get("/collections").json()["collections"][0]["entries"] == len(told) + len(lines)
    with tk.open_collection(place) as notes:
        there = {one.entry_id: one.text for one in notes.store.entries()}
    assert len(told) == BATCHES * EACH and told.items() <= there.items()
    assert sorted(there.values()) == sorted([*told.values(), *lines]), "each once"
