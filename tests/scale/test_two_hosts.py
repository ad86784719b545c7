"""Two hosts that a cable joins, a raylet each: the result of one process, whoever dies."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.scale.fake_workers import vectors
from textkin.join.pairs import pairs_above
from textkin.join.survivors import survivors

pytest.importorskip("ray")
pytestmark = pytest.mark.ray

RAY = [str(Path(sys.executable).with_name("ray"))]
STORE = "200000000"
PATIENCE = 400  # seconds; some machines do much else
ROWS, BLOCK, THRESHOLD = 12_000, 600, 0.8
# Works on the first host, and says when there is something to kill.
WORK = """
import os, sys
import numpy as np
from textkin.scale.blocks import Crew
from textkin.scale.ray_workers import ray_workers
from textkin.scale.several import SeveralMachines

address, folder, deed = sys.argv[1:]
vectors, order = np.load(f"{folder}/vectors.npy"), np.load(f"{folder}/order.npy")
with ray_workers(address) as workers:
    class Telling:
        done = 0

        def __getattr__(self, name):
            return getattr(workers, name)

        def result(self, handle):
            self.done += 1
            if self.done == 5:
                open(f"{folder}/{deed}.begun", "w").close()
                while not os.path.exists(f"{folder}/{deed}.killed"):
                    workers.result(workers.submit(os.getpid))
            return workers.result(handle)

    slots = workers.slots
    engine = SeveralMachines(Crew(Telling(), BLOCK))
    if deed == "pairs":
        found = engine.pairs_above(vectors, THRESHOLD, quiet=True)
        np.savez(f"{folder}/{deed}.npz", slots=slots, a=found.rows, b=found.columns, c=found.scores)
    else:
        found = engine.survivors(vectors, THRESHOLD, order)
        np.savez(f"{folder}/{deed}.npz", slots=slots, a=found.home, b=found.scores)
"""


@pytest.fixture
def hosts():
    """What runs a command on each of two hosts: network namespaces with a cable between them."""
    if not shutil.which("ip") or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the command ip")
    mark = f"tr{os.getpid() % 10_000}"
    names = [f"{mark}-a", f"{mark}-b"]
    steps = [
        *(f"netns add {name}" for name in names),
        f"link add {names[0]} netns {names[0]} type veth peer name {names[1]} netns {names[1]}",
        *(f"-n {name} addr add 10.78.0.{place}/30 dev {name}" for place, name in enumerate(names, 1)),
        *(f"-n {name} link set {link} up" for name in names for link in (name, "lo")),
    ]
    try:
        for step in steps:
            done = subprocess.run(["ip", *step.split()], capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"no network namespaces here: ip {step}: {done.stderr.strip()}")
        yield [["ip", "netns", "exec", name] for name in names]
    finally:
        for name in names:
            for pid in pids_in(name):  # Ray's, which the test has started there
                os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def environment(folder):
    """What all processes are told: the source, and the token that both hosts share."""
    source, token = str(Path(__file__).parents[2] / "src"), folder / "token"
    token.write_text("0123456789abcdef" * 4)
    ray = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_USAGE_STATS_ENABLED": "0"}
    return {**os.environ, **ray, "PYTHONPATH": source}


def start(host, place, folder):
    """A raylet of one core on a host; the first one brings what all of them share."""
    head = ["--head", "--port=6391", "--include-dashboard=false"]
    joins = head if place == 1 else ["--address=10.78.0.1:6391"]
    told = [f"--node-ip-address=10.78.0.{place}", "--num-cpus=1", f"--object-store-memory={STORE}"]
    done = subprocess.run(
        [*host, *RAY, "start", *joins, *told],
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr


def pids_in(name):
    """The processes of a network namespace."""
    inside = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    return [int(pid) for pid in inside.stdout.split()]


def pids_on(host, called):
    """The processes of a host that are called so."""
    lines = {pid: Path(f"/proc/{pid}/cmdline") for pid in pids_in(host[3])}
    return [
        pid
        for pid, line in lines.items()
        if line.exists() and called in line.read_bytes().split(b"\0")[0].decode()
    ]


def appears(path, process):
    ends = time.monotonic() + PATIENCE
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < ends
        time.sleep(0.1)


def outcome(hosts, folder, deed, kill):
    """What the first host finds, while ``kill`` kills what it likes in the middle."""
    names = {"THRESHOLD": str(THRESHOLD), "BLOCK": str(BLOCK)}
    script = WORK
    for name, value in names.items():
        script = script.replace(name, value)
    command = [*hosts[0], sys.executable, "-c", script, "10.78.0.1:6391", str(folder), deed]
    process = subprocess.Popen(
        command, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        appears(folder / f"{deed}.begun", process)
        killed = kill()
        (folder / f"{deed}.killed").touch()
        assert killed
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, json.dumps([out, err])
    finally:
        process.kill()
    return np.load(folder / f"{deed}.npz")


def test_two_hosts_find_what_one_process_finds_though_a_worker_and_a_raylet_die(hosts, tmp_path):
    given, order = vectors(ROWS, groups=900), np.random.default_rng(2).permutation(ROWS)
    np.save(tmp_path / "vectors.npy", given)
    np.save(tmp_path / "order.npy", order)
    for place, host in enumerate(hosts, 1):
        start(host, place, tmp_path)

    def kill(host, called):
        ends = time.monotonic() + PATIENCE
        while not (pids := pids_on(host, called)):  # a worker is called so only while it works
            assert time.monotonic() < ends
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return pids

    found = outcome(hosts, tmp_path, "survivors", lambda: kill(hosts[1], "ray::_run"))
    stay = survivors(given, THRESHOLD, order, quiet=True)
    assert found["slots"] == 2
    assert found["a"].tobytes() == stay.home.tobytes() and found["b"].tobytes() == stay.scores.tobytes()
    found = outcome(hosts, tmp_path, "pairs", lambda: kill(hosts[1], "raylet/raylet"))
    expected = pairs_above(given, THRESHOLD, quiet=True)
    assert found["slots"] == 2 and len(expected)
    for name, of in (("a", "rows"), ("b", "columns"), ("c", "scores")):
        assert found[name].tobytes() == getattr(expected, of).tobytes()
