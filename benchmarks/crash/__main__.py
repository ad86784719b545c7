"""Crash tests of stores: acknowledged changes must survive.

Run: ``python benchmarks/crash [--kills 1000] [--seed 0] [--subjects textkin faiss ...] [--work FOLDER]``

A writer adds, replaces, removes and compacts small batches; it reports each change over a pipe once the store
has returned. At a random moment it is killed (SIGKILL). A new process then opens the store: all acknowledged
changes must be there, an unfinished change completely or not at all, and searches by words and vectors must
equal a full scan. textkin's store is also tested with a full disk, with truncated files and flipped bits,
with two writers at once, and with eight readers during writes. Other stores undergo the same kills if they
are installed; ``textkin-windows`` is ours with each text in several windows. In PostgreSQL
(``textkin-postgres``) all of the server's processes are killed before the writer, a fifth as many times,
since it takes seconds to restart.

Processes are forked from one that has loaded everything. Files are in memory if the system supports it: a
kill loses nothing that was written, so the test covers the order of writes, not the disk. The exit code is 1
if textkin's store failed in any way.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from killing import Tally, kill_many, warm_up
from subjects import SUBJECTS, TextkinInPostgres, is_installed
from trials import damage, full_disk, readers, two_writers

MEMORY = Path("/dev/shm")


def main() -> int:
    """Run all tests and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000, help="of each store")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--subjects", nargs="+", choices=list(SUBJECTS), default=list(SUBJECTS))
    parser.add_argument("--rounds", type=int, default=500, help="of damage; a hundredth of it of full disks")
    parser.add_argument("--seconds", type=float, default=10, help="that eight readers read")
    parser.add_argument("--work", type=Path, help="folder to work in; one in memory if left out")
    asked = parser.parse_args()
    place = str(MEMORY) if os.access(MEMORY, os.W_OK) else None
    right = True
    with tempfile.TemporaryDirectory(prefix="textkin-crash-", dir=asked.work or place) as temporary:
        work = Path(temporary)
        for name in asked.subjects:
            if not is_installed(name):
                print(f"{name}: left out, as {SUBJECTS[name].needs} is not installed", flush=True)
                continue
            tally = (
                killed_with_server(name, work / name, asked)
                if SUBJECTS[name].has_server
                else killed(name, work / name, asked.kills, asked.seed)
            )
            right &= not name.startswith("textkin") or not tally.bad
        if "textkin" in asked.subjects:
            right &= tried("full disk", full_disk(work, max(asked.rounds // 100, 1), asked.seed))
            folder = work / "damage"
            folder.mkdir()
            right &= tried("damage", damage(folder, asked.rounds, asked.seed))
            right &= tried("two writers", two_writers(work / "writers", 100))
            right &= tried("eight readers", readers(work / "readers", asked.seconds))
    print("nothing went wrong" if right else "textkin's store did something wrong")
    return 0 if right else 1


def killed_with_server(name: str, folder: Path, asked: argparse.Namespace) -> Tally:
    """Kill one store's server and writer many times, and print the results."""
    from tests.postgres_server import postgres_server

    with postgres_server() as server:
        TextkinInPostgres.server = server
        return killed(name, folder, max(asked.kills // 5, 1), asked.seed, server=server)


def killed(name: str, folder: Path, kills: int, seed: int, *, server: Any = None) -> Tally:
    """Kill one store's writer many times, and print the results."""
    folder.mkdir()
    start, shown = time.monotonic(), 0.0
    warm_up(SUBJECTS[name], folder / "warm")

    def tell(tally: Tally) -> None:
        nonlocal shown
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{name}: {tally.kills:,} kills, wrong: {tally.bad or 0}", file=sys.stderr, flush=True)

    tally = kill_many(SUBJECTS[name], folder, kills, seed, tell, server=server)
    wrong = ", ".join(f"{count:,} {what}" for what, count in sorted(tally.bad.items())) or "nothing wrong"
    print(
        f"{name}: {tally.kills:,} kills, {tally.within:,} of them within a change, {tally.acknowledged:,} "
        f"changes acknowledged, {time.monotonic() - start:.0f} s: {wrong}",
        flush=True,
    )
    for example in tally.examples:
        print(f"  {example}")
    return tally


def tried(name: str, found: dict[str, object]) -> bool:
    """Print the result of a trial; return True if it passed."""
    told = ", ".join(f"{key}: {value}" for key, value in found.items() if key != "ok")
    print(f"{name}: {told}: {'right' if found['ok'] else 'WRONG'}", flush=True)
    return bool(found["ok"])


if __name__ == "__main__":
    sys.exit(main())
