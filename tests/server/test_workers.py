"""Several worker processes: one port, models' memory once, and nothing lost if one of them dies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import textkin as tk
from tests.server.asking import httpx
from tests.server.process import STARTED, Served, logged, serving
from textkin.server.keys import add_key
from textkin.server.metrics import SharedMetrics

pytestmark = pytest.mark.long

LATE = 60.0  # seconds


def workers_of(server: Served) -> list[int]:
    """The child processes of a server."""
    pid = server.process.pid
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def until(is_so: Callable[[], bool]) -> None:
    """Wait for a condition."""
    late = time.monotonic() + LATE
    while not is_so():
        assert time.monotonic() < late, "in time"
        time.sleep(0.05)


def memory_of(*pids: int) -> int:
    """Kilobytes of processes; shared pages are divided among them."""
    found = 0
    for pid in pids:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        found += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found


def ask(url: str, path: str, body: object, *, key: str | None = None) -> httpx.Response:
    """Send a request over a new connection, to any worker."""
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    return httpx.post(url + path, json=body, headers=headers, timeout=LATE)


def test_three_take_less_memory_than_three_servers(folder: Path) -> None:
    def used(*arguments: str) -> int:
        with serving("default", folder, "--log", "errors", *arguments) as server:
            server.await_loops()  # which one process loads while it answers
            for _ in range(12):
                assert ask(server.url, "/search", {"query": "park"}).status_code == 200
            return memory_of(server.process.pid, *workers_of(server))

    with serving("default", folder) as server:  # the process that compiles holds the compiler's memory
        server.await_loops()
    assert used("--workers", "3") < 0.8 * 3 * used()


def test_they_answer_before_anything_is_compiled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "loops"))
    with serving("default", folder, "--workers", "2") as server:
        assert ask(server.url, "/search", {"query": "park"}).status_code == 200
        _, said = server.stop()
    assert '"compiled"' not in said


def test_what_one_has_acknowledged_all_find_and_figures_are_of_all(tmp_path: Path) -> None:
    place = tmp_path / "notes.kin"
    tk.open_collection(place, create=True).close()
    with serving("default", place, "--workers", "3", "--log", "errors") as server:
        for number in range(9):
            text = f"note number {number}"
            added = ask(server.url, "/documents", {"documents": [{"id": str(number), "text": text}]})
            assert added.status_code == 200, added.text
            for _ in range(4):  # by other workers
                found = ask(server.url, "/search", {"query": text, "k": 1, "mode": "words"}).json()
                assert found["hits"][0]["id"] == str(number)
        line = 'textkin_requests_total{{route="{}",status="200"}} {}.0\n'.format

        def are_counted() -> bool:
            told = httpx.get(server.url + "/metrics", timeout=LATE).text
            return line("/documents", 9) in told and line("/search", 36) in told

        until(are_counted)
        for pid in workers_of(server):
            os.kill(pid, signal.SIGKILL)
        until(are_counted)
        assert server.stop(seconds=LATE)[0] == 0


def test_the_limit_of_a_key_holds_for_all(tmp_path: Path) -> None:
    keys = tmp_path / "keys.toml"
    key = add_key(keys, "alice", texts_per_minute=6)
    with serving("default", "--api-key-file", keys, "--workers", "2", "--log", "nothing") as server:
        began = time.monotonic()
        statuses = [ask(server.url, "/embed", {"inputs": "a"}, key=key).status_code for _ in range(20)]
        more = int((time.monotonic() - began) / 10) + 1  # which come back in that time
    assert set(statuses) == {200, 429} and 6 <= statuses.count(200) <= 6 + more


def test_it_goes_on_where_a_worker_dies_and_ends_with_all_of_them() -> None:
    with serving("default", "--workers", "2", "--log", "errors") as server:
        before = workers_of(server)
        os.kill(before[0], signal.SIGKILL)
        until(lambda: len(set(workers_of(server)) - set(before)) == 1 and len(workers_of(server)) == 2)
        assert ask(server.url, "/embed", {"inputs": "a"}).status_code == 200
        after = workers_of(server)
        code, said = server.stop(seconds=LATE)
        assert code == 0 and not any(Path(f"/proc/{pid}").exists() for pid in after)
    assert [one["event"] for one in logged(said)] == [*STARTED, "worker ended", "stopped"]


def test_workers_stop_where_the_first_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving("default", "--workers", "2", "--log", "nothing") as server:
        workers = workers_of(server)
        server.process.kill()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert list(tmp_path.iterdir()) == []


def test_changed_models_are_opened_without_a_request_dropped(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(Path(tk.__file__).parent / "models" / "box" / "default", model)
    config = json.loads((model / "config.json").read_text())
    with serving(f"mine={model}", "--workers", "2", "--log", "errors") as server:
        statuses, stop = list[int](), threading.Event()

        def go_on_asking() -> None:
            while not stop.is_set():
                statuses.append(ask(server.url, "/embed", {"inputs": "a"}).status_code)

        def hashes() -> set[str]:
            return {httpx.get(server.url + "/info", timeout=LATE).json()["model_sha"] for _ in range(6)}

        (before,) = hashes()
        asking = [threading.Thread(target=go_on_asking) for _ in range(2)]
        for one in asking:
            one.start()
        (model / "config.json").write_text(json.dumps({**config, "changed": True}))
        server.process.send_signal(signal.SIGHUP)
        until(lambda: before not in hashes())
        (after,) = hashes()
        (model / "model.safetensors").write_bytes(b"broken")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(2)
        assert hashes() == {after}, "those of before stay"
        stop.set()
        for one in asking:
            one.join()
        code, said = server.stop(seconds=LATE)
    assert code == 0 and set(statuses) == {200} and len(statuses) > 4
    events = logged(said)
    assert [one["event"] for one in events] == [*STARTED, "reloaded", "reload failed", "stopped"]
    assert events[3]["models"] == ["mine"]


def test_a_worker_that_cannot_start_ends_the_server(tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match=r"error: .*nothing: is not a folder"),
        serving("default", "--runs", tmp_path / "nothing", "--workers", "2"),
    ):
        pass


COUNTS = """
import sys
from pathlib import Path
from textkin.server.metrics import ServerMetrics, SharedMetrics

metrics = ServerMetrics(dict, shared=SharedMetrics(Path(sys.argv[1]), int(sys.argv[2])))
metrics.queued(3)
for _ in range(int(sys.argv[3])):
    metrics.answered("/embed", 200, seconds=0.02, texts=2, trouble=None)
print(metrics.text().decode())
"""


def test_metrics_add_up_and_stay_when_a_worker_ends(tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")

    def told(slot: int, requests: int) -> Callable[[str], float]:
        command = [sys.executable, "-c", COUNTS, str(tmp_path), str(slot), str(requests)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return lambda name: sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))

    told(0, 2)
    both = told(1, 1)
    assert both("textkin_requests_total{") == 3 and both("te_queue_size ") == 6
    assert both("te_request_duration_count ") == 3
    assert both('te_request_duration_bucket{le="0.01"}') == 0
    assert (
        both('te_request_duration_bucket{le="0.025"}') == both('te_request_duration_bucket{le="+Inf"}') == 3
    )
    SharedMetrics(tmp_path, 0).leave()
    after = told(1, 0)
    assert after("textkin_requests_total{") == 3 and after("te_queue_size ") == 3
    next_one = told(0, 1)
    assert next_one("textkin_requests_total{") == 4 and next_one("te_queue_size ") == 6
