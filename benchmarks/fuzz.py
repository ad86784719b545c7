"""Fuzzing: no input may cause exceptions other than textkin's own.

Run: ``python benchmarks/fuzz.py [--cases 20000] [--seed 0] [--target readers ...] [--work FOLDER]
[--jobs 2]``

Mutates samples of every format, small model folders of every kind, a collection, the bundled recipes, and the
arguments of every command. A case fails on: an exception that isn't textkin's own, exit code 70, more than 20
s, much memory (a limit on the address space, and the peak measured), vectors or scores that are not finite or
all zero, answers of a damaged collection that differ from those before, messages that are long or contain
terminal control characters, records with NUL bytes.

Each case follows from target, seed and its number, so that ``--jobs`` targets run in parallel. Files are in
memory if the system supports it. ``--work`` keeps a state file for each target and seed: the same command
resumes where it was stopped. ``--case N`` runs one case here, with its traceback.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from fuzzing.runner import State, one_case, run
from fuzzing.targets import TARGETS

MEMORY = Path("/dev/shm")
LONGEST_FIRST = ("cli", "models", "readers", "collections", "indexes", "recipes")
SHARES = {"readers": 0.4, "models": 0.15, "indexes": 0.05, "collections": 0.05, "recipes": 0.25, "cli": 0.1}


def main() -> int:
    """Run cases of every target, print the findings, and exit with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=list(TARGETS), nargs="+", default=list(TARGETS))
    parser.add_argument("--work", type=Path, help="folder of the state; a temporary one if left out")
    parser.add_argument("--case", type=int, help="run only this case, here")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    asked = parser.parse_args()
    place = str(MEMORY) if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="textkin-fuzz-", dir=place) as temporary:
        work = Path(temporary)
        keep = (asked.work or work).resolve()
        keep.mkdir(parents=True, exist_ok=True)
        if asked.case is not None:
            return repeat(asked.target[0], asked.seed, asked.case, keep)
        found = 0
        for state in states(asked.target, asked.seed, asked.cases, work, keep, asked.jobs):
            found += len(state.findings)
            print(
                f"{state.target}: {state.done:,} cases in {state.seconds:,.0f} s, the slowest "
                f"{state.slowest:.1f} s, {state.peak_megabytes:,} MB more at most, "
                f"{len(state.findings)} kinds of findings",
                flush=True,
            )
            for where, cases in state.findings.items():
                print(f"  {where}\n    {cases[0][:700]}")
    return 1 if found else 0


def states(
    targets: Sequence[str], seed: int, cases: int, work: Path, keep: Path, jobs: int
) -> Iterator[State]:
    """The state of each target after its cases, as they are completed."""
    whole = sum(SHARES[name] for name in targets)
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        running = [
            pool.submit(one_target, name, seed, round(cases * SHARES[name] / whole), work, keep)
            for name in LONGEST_FIRST
            if name in targets
        ]
        for done in as_completed(running):
            yield done.result()


def one_target(name: str, seed: int, until: int, work: Path, keep: Path) -> State:
    """Run the cases of one target up to a number."""
    file = keep / f"{name}-{seed}.json"
    state = State.read(file, name, seed)
    run(name, state, until, work, file)
    return state


def repeat(name: str, seed: int, case: int, work: Path) -> int:
    """Run one case in this process."""
    target = TARGETS[name]()
    target.prepare(work / f"{name}-material")
    try:
        print(one_case(target, name, seed, case, work / f"{name}-case"))
    except BaseException:
        traceback.print_exc()
        print(f"what it read lies in {work / f'{name}-case'}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
