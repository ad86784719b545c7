"""The server process: start, end, and slow clients."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import httpx
from tests.server.process import STARTED, logged, serving
from textkin.base.errors import OutputError, UsageError
from textkin.server.server_process import ListenAddress, bound, check_place

JSON = {"content-type": "application/json"}

pytestmark = [pytest.mark.long, pytest.mark.slow]


def test_what_is_being_answered_is_answered_before_it_stops() -> None:
    with serving("default", "--log", "errors") as server:
        answers = []
        body = json.dumps({"inputs": [f"text {place} of many " * 40 for place in range(1_500)]})
        connected = threading.Barrier(5)

        def ask() -> None:
            with httpx.Client(base_url=server.url, timeout=60) as client:
                client.get("/health")
                connected.wait()
                answers.append(client.post("/embed", content=body, headers=JSON))

        asking = [threading.Thread(target=ask) for _ in range(4)]
        for one in asking:
            one.start()
        connected.wait()
        time.sleep(0.3)
        code, said = server.stop()
        for one in asking:
            one.join()
    assert code == 0, said
    assert len(answers) == 4 and {one.status_code for one in answers} <= {200, 503}
    assert any(one.status_code == 200 and len(one.json()) == 1_500 for one in answers)
    assert json.loads(said.splitlines()[-1])["event"] == "stopped"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_who_came_before_it_stops_may_ask(workers: str) -> None:
    request = b"GET /info HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with serving("default", "--log", "errors", "--workers", workers) as server:
        silent, late = (socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(2))
        time.sleep(0.5)  # both are taken
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        late.sendall(request)
        answer = late.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 200") and b"connection: close" in answer.lower()
        assert silent.recv(100) == b"", "a moment is enough"
        for one in (silent, late):
            one.close()
        assert server.process.wait(30) == 0


def test_hanging_up_and_dawdling_hold_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTKIN_SERVE_MAX_HEADER_SECONDS", "0.5")
    monkeypatch.setenv("TEXTKIN_SERVE_MAX_BODY_SECONDS", "0.5")
    with serving("default", "--log", "errors") as server:
        head = b"POST /embed HTTP/1.1\r\nhost: localhost\r\n"
        silent, slow, partial = sockets = [
            socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)
        ]
        slow.sendall(head[:20])
        partial.sendall(head + b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{")
        for one in (silent, slow, partial):
            one.settimeout(10)
        assert silent.recv(100) == b"" and slow.recv(100) == b"", "no headers in time"
        assert b" 408 " in partial.recv(1_000), "no body in time"
        for one in sockets:
            one.close()
        gone = socket.create_connection(("127.0.0.1", server.port))
        body = json.dumps({"inputs": ["word " * 500] * 1_000}).encode()
        gone.sendall(
            head + b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
        gone.close()
        with httpx.Client(base_url=server.url, timeout=60) as client:
            assert client.post("/embed", json={"inputs": "still there"}).status_code == 200
        assert server.stop()[0] == 0


def test_a_signal_has_changed_models_opened_again(tmp_path: Path) -> None:
    model = tmp_path / "model"
    box = Path(tk.__file__).parent
    shutil.copytree(box / "models" / "box" / "default", model)
    with serving(f"mine={model}", "--log", "errors") as server, httpx.Client(base_url=server.url) as client:
        before = client.get("/info").json()["model_sha"]
        config = json.loads((model / "config.json").read_text())
        (model / "config.json").write_text(json.dumps({**config, "changed": True}))
        server.process.send_signal(signal.SIGHUP)
        for _ in range(100):
            assert client.post("/embed", json={"inputs": "a"}).status_code == 200
            after = client.get("/info").json()["model_sha"]
            if after != before:
                break
            time.sleep(0.05)
        assert after != before
        (model / "model.safetensors").write_bytes(b"broken")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert client.post("/embed", json={"inputs": "a"}).status_code == 200, "that of before stays"
        code, said = server.stop()
    events = [one["event"] for one in logged(said)]
    assert code == 0 and events == [*STARTED, "reloaded", "reload failed", "stopped"]


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OutputError, match="can't listen"):
        bound(ListenAddress(port=taken.getsockname()[1]))


def test_other_machines_are_served_with_keys_only() -> None:
    with pytest.raises(UsageError) as error:
        check_place(ListenAddress(host="0.0.0.0"), has_keys=False, is_open=False)
    assert error.value.params == ("api_key_file",)
    check_place(ListenAddress(host="0.0.0.0"), has_keys=True, is_open=False)
    check_place(ListenAddress(host="0.0.0.0"), has_keys=False, is_open=True)
    check_place(ListenAddress(host="::1"), has_keys=False, is_open=False)
