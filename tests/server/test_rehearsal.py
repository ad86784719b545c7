"""Compilation and loading on first use are finished before a server accepts requests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import textkin as tk
from tests.server.asking import TEXTS
from textkin.collection.store import rehearsal
from textkin.data.readers.texts import Texts
from textkin.verbs.phrases.indexing import index_phrases

pytestmark = pytest.mark.long

ASKED = [
    ("POST", "/embed", {"inputs": ["one word after another, " * 13] * 2_000}),  # more than 600,000 characters
    ("POST", "/embed", {"inputs": "a b"}),
    ("POST", "/score", {"pairs": [["a b", "b c"]]}),
    ("POST", "/rerank", {"query": "a b", "texts": ["b", "c"]}),
    ("POST", "/explain", {"a": "x y", "b": "y z"}),
    ("POST", "/answer", {"question": "where can I park?"}),
    ("POST", "/answer", {"question": "where?", "passages": ["Here. There."]}),
    ("POST", "/choose", {"questions": [{"question": "a", "choices": ["b", "c"]}]}),
    ("POST", "/search", {"query": "park", "mode": "words"}),
    ("POST", "/search", {"query": "park", "mode": "vectors"}),
    ("POST", "/search", {"queries": ["park", "open"] * 40, "where": "n >= 1"}),
    ("POST", "/explain", {"query": "park", "ids": ["a"]}),
    ("POST", "/match", {"texts": ["park", "open"], "threshold": 0.8, "guards": ["numbers"]}),
    ("POST", "/match/add", {"texts": ["park here", "open now"], "threshold": 0.8}),
    ("POST", "/documents", {"documents": [{"id": "a", "text": "other words"}]}),
    ("POST", "/search", {"query": "words"}),
    ("DELETE", "/documents", {"ids": ["a"]}),
    ("POST", "/search", {"query": "words"}),
    ("POST", "/phrases/search", {"question": "Where can I park?"}),
]
SCRIPT = """
import json, os, signal, sys, threading
from http.client import HTTPConnection

from textkin.server.open_service import Served
from textkin.server.server_process import ListenAddress
from textkin.server.serving import COMPILING, Serving, serve

asked, model, collections, phrases = json.load(sys.stdin)

def ask(port):
    from numba.core.event import install_recorder

    told = []
    try:
        for thread in threading.enumerate():
            if thread.name == COMPILING:
                thread.join()
        for method, path, body in asked:
            connection = HTTPConnection("127.0.0.1", port)
            with install_recorder("numba:compiler_lock") as seen:
                connection.request(method, path, json.dumps(body), {"content-type": "application/json"})
                status = connection.getresponse().status
            connection.close()
            if seen.buffer or status != (424 if path == "/answer" else 200):
                told.append(f"{path}: {status}")
        print(json.dumps(told))
    finally:
        os.kill(os.getpid(), signal.SIGTERM)

served = Served(models=(model,), collections=collections, phrases=phrases)
serve(
    Serving(served=served, place=ListenAddress(port=0), log="nothing"),
    lambda port: threading.Thread(target=ask, args=(port,)).start(),
)
"""


def late_loops(model: str, *, collections: list[str], phrases: list[str]) -> list[str]:
    """The routes that loaded a loop on a request, or rejected it; no reader is served, which is 424."""
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([ASKED, model, collections, phrases]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    told: list[str] = json.loads(found.stdout)
    return told


STARTED = """
import os, signal, sys, threading, time
from urllib.request import Request, urlopen

from textkin.base import numba_cache
from textkin.server import serving
from textkin.server.open_service import Served
from textkin.server.server_process import ListenAddress

may_compile = threading.Event()

def wait():
    may_compile.wait()
    assert numba_cache._BEING_COMPILED.is_set()

serving.rehearse_searches = wait

def ask(port):
    try:
        body = b'{"query": "park"}'
        request = Request(f"http://127.0.0.1:{port}/search", body, {"content-type": "application/json"})
        print(urlopen(request).read().count(b'"id"'), "numba" in sys.modules)
        may_compile.set()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)

serving.serve(
    serving.Serving(served=Served(models=(), collections=(sys.argv[1],)), place=ListenAddress(port=0)),
    lambda port: threading.Thread(target=ask, args=(port,)).start(),
)
"""


def test_a_server_answers_before_anything_is_compiled(tmp_path: Path) -> None:
    place = tmp_path / "notes.kin"
    with tk.open_collection(place, create=True) as notes:
        notes.add(TEXTS, ids=["a", "b", "c"])
    found = subprocess.run(
        [sys.executable, "-c", STARTED, str(place)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == ["3", "False"]


@pytest.mark.parametrize("windows", [0, 64])
@pytest.mark.parametrize("entries", [3, 5_000], ids=["in memory", "in a file"])
def test_no_request_waits_for_a_compiler(tmp_path: Path, entries: int, windows: int) -> None:
    place = tmp_path / "notes.kin"
    with tk.open_collection(place, create=True, windows=windows) as notes:
        notes.add(TEXTS, ids=["a", "b", "c"], metadata=[{"n": 1}, {}, {"n": 2}])
        notes.add([f"{number} things to do" for number in range(entries - 3)])
    index_phrases(Texts(("a", "b", "c"), TEXTS), tmp_path / "town.phrases", "tfidf")
    collections, phrases = [str(place)], [str(tmp_path / "town.phrases")]
    assert late_loops("default", collections=collections, phrases=phrases) == []


def test_a_server_starts_where_nothing_temporary_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(TemporaryDirectory[str]):
        def __init__(self, prefix: str) -> None:
            raise FileNotFoundError(2, "No usable temporary directory found")

    said = list[str]()
    monkeypatch.setattr(rehearsal, "TemporaryDirectory", Full)
    monkeypatch.setattr(rehearsal, "remark", said.append)
    rehearsal.rehearse_searches()
    assert len(said) == 1 and "No usable temporary directory" in said[0]


def test_what_installs_a_server_compiles_what_it_needs() -> None:
    folder = Path(__file__).parents[2] / "examples/serving"
    assert "\nRUN textkin doctor --warm-up\n" in (folder / "Dockerfile").read_text(encoding="utf-8")
