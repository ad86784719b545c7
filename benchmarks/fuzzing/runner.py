"""Runner of cases in separate processes, with limits of time and memory, recording findings."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from .targets import TARGETS, Finding, Target

SECONDS = 20.0
"""The time limit of a case."""
MEGABYTES = 1_500
"""The memory limit of a case, in addition to that before its start."""
_GRACE = 3.0  # a case that hangs in machine code gets no alarm; its process is killed after this many limits


class Hang(BaseException):
    """A timeout of a case, which no library may catch."""


@dataclass
class State:
    """The progress of a target: the next case, and the findings, by their place in the code."""

    target: str
    seed: int
    done: int = 0
    seconds: float = 0.0
    peak_megabytes: int = 0
    slowest: float = 0.0
    findings: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, target: str, seed: int) -> State:
        """Resume from a state file, or begin."""
        return cls(**json.loads(path.read_text())) if path.exists() else cls(target, seed)

    def write(self, path: Path) -> None:
        """Save it, so that a later run resumes."""
        other = path.with_suffix(".new")
        other.write_text(json.dumps(asdict(self), indent=1))
        other.replace(path)

    def note(self, where: str, case: int, what: str) -> bool:
        """Record a finding, and return True if its place is new."""
        cases = self.findings.setdefault(where, [])
        if len(cases) < 5:
            cases.append(f"case {case}: {what[:1500]}")
        return len(cases) == 1


def generator(target: str, seed: int, case: int) -> Random:
    """A case's random generator, which depends on these three alone."""
    return Random(f"{target} {seed} {case}")


def one_case(target: Target, name: str, seed: int, case: int, place: Path) -> str:
    """Run one case in its own empty folder.

    Raises:
        Finding, or anything else: the case failed.
    """
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    with _time_limit(SECONDS):
        return target.run(generator(name, seed, case), place)


def run(name: str, state: State, until: int, work: Path, keep: Path) -> None:
    """Run cases up to ``until``; ends early on SIGINT, with the state saved."""
    target = TARGETS[name]()
    target.prepare(work / f"{name}-material")
    _settle()
    while state.done < until:
        here, there = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.get_context("fork").Process(
            target=_work, args=(target, name, state.seed, state.done, until, work / f"{name}-case", there)
        )
        started = time.perf_counter()
        worker.start()
        there.close()
        _follow(here, worker, state, keep)
        state.seconds += time.perf_counter() - started
        state.write(keep)


def _follow(here: Connection, worker: Any, state: State, keep: Path) -> None:
    """Read a worker's messages until it ends, killing one that is silent for long."""
    while True:
        try:
            said = here.recv() if here.poll(SECONDS * _GRACE) else None
        except EOFError:
            worker.join()
            if worker.exitcode:
                state.note(f"killed by {-worker.exitcode}", state.done, "the process ended")
                state.done += 1
            return
        if said is None:
            os.kill(worker.pid, signal.SIGKILL)
            worker.join()
            state.note("hang in machine code", state.done, f"more than {SECONDS * _GRACE:g} s")
            state.done += 1
            return
        case, found, peak, seconds = said
        state.done = case + 1
        state.peak_megabytes = max(state.peak_megabytes, peak)
        state.slowest = max(state.slowest, seconds)
        if found is not None and state.note(found[0], case, found[1]):
            print(f"{state.target} case {case}: {found[0]}: {found[1][:500]}", flush=True)
        if state.done % 500 == 0:
            state.write(keep)


def _work(
    target: Target, name: str, seed: int, start: int, until: int, place: Path, there: Connection
) -> None:
    """The worker: runs cases in sequence; a process lasts for 2,000, to release accumulated memory."""
    _limit_memory(MEGABYTES)
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 2)
    for case in range(start, min(until, start + 2_000)):
        before = _reset_peak()
        began = time.perf_counter()
        found = None
        try:
            one_case(target, name, seed, case, place)
        except KeyboardInterrupt:
            break
        except BaseException as error:
            found = described(error)
            if isinstance(error, Hang):
                found = found[0], f"{found[1]} {getattr(target, 'doing', '')}"
            del error
            gc.collect()
        peak = _peak() - before
        if peak > MEGABYTES // 3 and found is None:
            found = ("memory", f"{peak} MB more at the peak")
        there.send((case, found, peak, time.perf_counter() - began))
    there.close()
    os._exit(0)


def described(error: BaseException) -> tuple[str, str]:
    """The place of an error in textkin, and its message."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/textkin/" in frame.filename]
    last = (ours or frames)[-1]
    place = f"{Path(last.filename).name}:{last.name}"
    kind = type(error).__name__
    if isinstance(error, Finding):
        return error.kind, str(error)
    return f"{kind} in {place}", f"{str(error)[:600]} (line {last.lineno})"


def _settle() -> None:
    """Import everything, with one thread, before processes are forked."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import torch

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()


def _limit_memory(megabytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _reset_peak() -> int:
    """Reset the peak memory, if the kernel allows it; return the current use in MB."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _peak()


def _peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def ring(_: int, frame: FrameType | None) -> None:
        raise Hang(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


if sys.platform != "linux":
    raise SystemExit("the fuzzer measures memory by /proc, which only Linux has")
