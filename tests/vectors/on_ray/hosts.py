"""A raylet on each of two connected hosts, for a test and a benchmark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.hosts import pids_in

RAY = [str(Path(sys.executable).with_name("ray"))]
NETWORK = 78  # 10.78.0
HEAD = f"10.{NETWORK}.0.1"
# Works on the first host, and reports when there is something to kill.
WORK = """
import os, sys, time
import numpy as np
from textkin.vectors.on_ray.blocks import Crew
from textkin.vectors.on_ray.ray_workers import ray_workers
from textkin.vectors.on_ray.distributed_engine import SeveralMachines

address, folder, deed, threshold, block, after = sys.argv[1:]
vectors, order = np.load(f"{folder}/vectors.npy"), np.load(f"{folder}/order.npy")
with ray_workers(address) as workers:
    class Telling:
        done = 0

        def __getattr__(self, name):
            return getattr(workers, name)

        def result(self, handle):
            self.done += 1
            if self.done == int(after):
                open(f"{folder}/{deed}.begun", "w").close()
                while not os.path.exists(f"{folder}/{deed}.killed"):
                    busy = [workers.submit(time.sleep, 0.5) for _ in range(4)]  # on both hosts
                    for one in busy:
                        workers.result(one)
            return workers.result(handle)

    slots, telling = workers.slots, Telling()
    engine = SeveralMachines(Crew(telling, int(block) or None))
    if deed == "pairs":
        found = engine.pairs_above(vectors, float(threshold), quiet=True)
        parts = dict(a=found.rows, b=found.columns, c=found.scores)
    else:
        found = engine.survivors(vectors, float(threshold), order)
        parts = dict(a=found.home, b=found.scores)
    np.savez(f"{folder}/{deed}.npz", slots=slots, done=telling.done, **parts)
"""


@dataclass(frozen=True)
class Trial:
    """The work of both hosts.

    Attributes:
        folder: holds vectors.npy, and order.npy with the order of the rows.
        threshold: the threshold of similar pairs.
        block: rows per block; 0 to choose by their number.
        after: the number of completed pieces before the kill.
        store: bytes of a host's object store.
        patience: the maximum seconds of a step; some machines are busy.
    """

    folder: Path
    threshold: float
    block: int
    after: int
    store: int = 200_000_000
    patience: float = 400

    def environment(self) -> dict[str, str]:
        """The environment of all processes: the source, and the token shared by both hosts."""
        source, token = str(Path(__file__).parents[3] / "src"), self.folder / "token"
        token.write_text("0123456789abcdef" * 4)
        ray = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": str(int(self.patience)),  # default: 30 s
        }
        return {**os.environ, **ray, "PYTHONPATH": source}

    def start(self, hosts: Sequence[list[str]]) -> None:
        """A raylet of one core on each host; the first one hosts the shared parts."""
        for place, host in enumerate(hosts, 1):
            head = ["--head", "--port=6391", "--include-dashboard=false"]
            joins = head if place == 1 else [f"--address={HEAD}:6391"]
            told = [f"--node-ip-address=10.78.0.{place}", "--num-cpus=1"]
            done = subprocess.run(
                [*host, *RAY, "start", *joins, *told, f"--object-store-memory={self.store}"],
                env=self.environment(),
                capture_output=True,
                text=True,
                check=False,
                timeout=self.patience,
            )
            assert done.returncode == 0, done.stderr

    def outcome(self, hosts: Sequence[list[str]], deed: str, called: str) -> Mapping[str, Any]:
        """The first host's result while the named processes die on the second one, halfway."""
        given = [str(one) for one in (self.folder, deed, self.threshold, self.block, self.after)]
        process = subprocess.Popen(
            [*hosts[0], sys.executable, "-c", WORK, f"{HEAD}:6391", *given],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            self._appears(self.folder / f"{deed}.begun", process)
            self._kill(hosts[1], called)
            (self.folder / f"{deed}.killed").touch()
            out, err = process.communicate(timeout=self.patience)
            assert process.returncode == 0, json.dumps([out, err])
        finally:
            process.kill()
        found: Mapping[str, Any] = np.load(self.folder / f"{deed}.npz")
        return found

    def _appears(self, path: Path, process: subprocess.Popen[str]) -> None:
        ends = time.monotonic() + self.patience
        while not path.exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < ends
            time.sleep(0.1)

    def _kill(self, host: list[str], called: str) -> None:
        ends = time.monotonic() + self.patience
        while not (pids := pids_on(host, called)):  # a worker is called so only while it works
            assert time.monotonic() < ends
            time.sleep(0.05)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)


def pids_on(host: list[str], called: str) -> list[int]:
    """The processes of a host with a name."""
    lines = {pid: Path(f"/proc/{pid}/cmdline") for pid in pids_in(host[3])}
    return [
        pid
        for pid, line in lines.items()
        if line.exists() and called in line.read_bytes().split(b"\0")[0].decode()
    ]
