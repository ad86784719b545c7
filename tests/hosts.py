"""Two connected hosts: separate network namespaces on one machine."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class NoHosts(Exception):
    """The reason why there can be no hosts here."""


@contextmanager
def two_hosts(network: int) -> Iterator[tuple[list[str], list[str]]]:
    """A function that runs a command on each of two hosts, 10.NETWORK.0.1 and 10.NETWORK.0.2.

    Processes still running there are killed at the end.

    Raises:
        NoHosts: this needs root, and system support.
    """
    if not shutil.which("ip") or os.geteuid() != 0:
        raise NoHosts("network namespaces need root and the command ip")
    names = [f"t{network}-{os.getpid() % 10_000}-{letter}" for letter in "ab"]
    steps = [
        *(f"netns add {name}" for name in names),
        f"link add {names[0]} netns {names[0]} type veth peer name {names[1]} netns {names[1]}",
        *(f"-n {name} addr add 10.{network}.0.{place}/30 dev {name}" for place, name in enumerate(names, 1)),
        *(f"-n {name} link set {link} up" for name in names for link in (name, "lo")),
    ]
    try:
        for step in steps:
            done = subprocess.run(["ip", *step.split()], capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoHosts(f"no network namespaces here: ip {step}: {done.stderr.strip()}")
        first, second = (["ip", "netns", "exec", name] for name in names)
        yield first, second
    finally:
        for name in names:  # their ends of the cable go with them
            for pid in pids_in(name):
                with suppress(ProcessLookupError):  # it has just ended
                    os.kill(pid, signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def pids_in(name: str) -> list[int]:
    """The processes of a network namespace."""
    inside = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    return [int(pid) for pid in inside.stdout.split()]
