"""Further trials of textkin's store: a full disk, flipped bits, two writers, eight readers."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from killing import in_a_process, looked_into
from operations import IDS, Operation, applied, operation, vector_of, vectors_of
from subjects import Textkin

from textkin.base.errors import DataError, OutputError, TextkinError
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Added, Entry

FULL = 3 << 20  # bytes of the small disk
READERS = 8


def full_disk(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Fill a small disk: acknowledged changes survive, and the next writer works once there is room."""
    counts: Counter[str] = Counter()
    for number in range(rounds):
        with small_disk(folder / f"disk{number}") as (place, how):
            with limited(how):
                states, changes = filled(place, seed + number)
            counts["changes"] += changes
            counts["filled"] += len(states) > 1
            make_room(place, how)
            found = in_a_process(partial(looked_into, Textkin, place, states, 5))
            if found["wrong"] is None:
                more = operation(seed + number, changes + 1)
                found = in_a_process(partial(goes_on, place, states[found["state"]], more))
            counts["sound" if found["wrong"] is None else f"wrong: {found}"] += 1
    return dict(counts) | {"ok": counts["sound"] == counts["filled"] == rounds, "how": how}


def filled(place: Path, seed: int) -> tuple[list[dict[str, str]], int]:
    """Fill the disk; return the possible states, and the number of acknowledged changes."""
    state: dict[str, str] = {}
    store = Textkin(place)
    for number in range(10_000):
        done = operation(seed, number)
        large = f"big{number}", f"op{number} " + "salt " * 400
        done = Operation("add", (*done.entries, large))
        try:
            store.apply(done)
        except OutputError:
            return [state, applied(state, done)], number
        state = applied(state, done)
    return [state], number


def make_room(place: Path, how: str) -> None:
    """Free some space on a full disk."""
    if not how.startswith("files"):
        subprocess.run(["mount", "-o", f"remount,size={10 * FULL}", str(place)], check=True)


def goes_on(place: Path, state: dict[str, str], done: Operation) -> dict[str, Any]:
    """Check that a store accepts changes again."""
    store = Textkin(place)
    store.apply(done)
    store.close()
    return looked_into(Textkin, place, [applied(state, done)], 5)


@contextmanager
def small_disk(place: Path) -> Any:
    """A folder on a disk of a few megabytes, or one with a limit on file size."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={FULL}", "tmpfs", str(place)], capture_output=True, check=False
    )
    try:
        yield place, "a file system of 3 MiB" if mounted.returncode == 0 else "files of 300 kB at most"
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def limited(how: str) -> Any:
    """Limit the size of files, if no small disk can be mounted."""
    if not how.startswith("files"):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def damage(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Truncate files and flip bits: the store is rejected or unchanged."""
    sound, state = folder / "sound", dict[str, str]()
    sound.mkdir()
    store = Textkin(sound)
    for number in range(60):
        store.apply(operation(seed, number))
        state = applied(state, operation(seed, number))
    copy_of(sound, folder / "open")  # with a log, as a process that is killed leaves it
    store.close()
    counts: Counter[str] = Counter()
    draws = random.Random(seed)
    for number in range(rounds):
        place = folder / "damaged"
        shutil.rmtree(place, ignore_errors=True)
        copy_of(folder / "open" if number % 2 else sound, place)
        files = [path for path in sorted(place.rglob("*")) if path.is_file() and path.stat().st_size]
        path = draws.choice(files)
        kind = "cache" if path.suffix == ".segment" else "log" if path.name.endswith("-wal") else "database"
        hurt(path, draws)
        found = in_a_process(partial(outcome, place, state, number))
        counts[f"{kind}: {found['wrong'] or 'all as it was'}"] += 1
    return dict(sorted(counts.items())) | {"ok": not any("WRONG" in name for name in counts)}


def outcome(place: Path, state: dict[str, str], number: int) -> dict[str, Any]:
    """The behaviour of a damaged store: rejected, or unchanged."""
    sys.stderr = None  # it reports each ignored file
    try:
        found = looked_into(Textkin, place, [state], number * 5 + 1)
    except (DataError, OutputError, TextkinError):
        return {"wrong": "refused"}
    return found if found["wrong"] is None else {"wrong": f"WRONG {found['wrong']} {found['told']}"}


def hurt(path: Path, draws: random.Random) -> None:
    """Flip one to eight bits, truncate the file, or write zeros over a part."""
    content = bytearray(path.read_bytes())
    kind = draws.choice(("bits", "bits", "cut", "zeros"))
    at = draws.randrange(len(content))
    if kind == "bits":
        for _ in range(draws.randint(1, 8)):
            content[draws.randrange(len(content))] ^= 1 << draws.randrange(8)
    elif kind == "cut":
        del content[at:]
    else:
        content[at : at + 512] = bytes(len(content[at : at + 512]))
    path.write_bytes(content)


def copy_of(place: Path, target: Path) -> None:
    """Copy a store; its shared memory is recreated by the next process to open it."""
    shutil.copytree(place, target, ignore=shutil.ignore_patterns("*-shm"))


def two_writers(folder: Path, changes: int) -> dict[str, Any]:
    """Two concurrent writers: both continue, one after the other, or are told to wait."""
    folder.mkdir()
    open_store(folder, create={}).close()

    def writer(which: str, wait: float) -> dict[str, Any]:
        refused = 0
        with open_store(folder) as store:
            for number in range(changes):
                while True:
                    try:
                        entry = Entry(f"{which}{number}", f"ice {which}{number}")
                        list(store.add([entry], vectors_of, wait=wait))
                        break
                    except OutputError as error:
                        if "another textkin is writing" not in str(error):
                            raise
                        refused += 1
        return {"refused": refused, "wrong": None}

    child = os.fork()
    if child == 0:
        answer = in_a_process(lambda: writer("a", 0.0))
        os._exit(0 if answer["wrong"] is None else 1)
    second = in_a_process(lambda: writer("b", 10.0))
    _, status = os.waitpid(child, 0)
    with open_store(folder) as store:
        there = {one.entry_id for one in store.entries()}
    wanted = {f"{which}{number}" for which in "ab" for number in range(changes)}
    return {"entries": len(there), "ok": there == wanted and status == 0 and second["wrong"] is None}


def readers(folder: Path, seconds: float) -> dict[str, Any]:
    """Readers during writes: each search sees one snapshot with all acknowledged changes, and never waits."""
    folder.mkdir()
    told = np.memmap(folder / "told", dtype=np.int64, mode="w+", shape=1)
    open_store(folder, create={}).close()
    ends = time.monotonic() + seconds
    reads, writes = zip(*[os.pipe() for _ in range(READERS)], strict=True)
    children = []
    for number in range(READERS):
        child = os.fork()
        if child == 0:
            answer = in_a_process(lambda: read_along(folder, ends))
            os.write(writes[number], f"{answer.get('searches', 0)} {answer.get('slowest', 0)} ".encode())
            os.write(writes[number], str(answer.get("wrong") or answer.get("told") or "").encode())
            os._exit(0)
        children.append(child)
    with open_store(folder) as store:
        batch = 0
        while time.monotonic() < ends:
            entries = [Entry(f"id{number:03d}", f"{batch} ice text", {}) for number in range(30)]
            sum(store.add([*entries, Entry(f"b{batch}", f"fire {batch}")], vectors_of), Added())
            batch += 1
            told[0] = batch
            if batch % 50 == 0:
                store.compact()
    searches, slowest, wrong = 0, 0.0, []
    for child, pipe in zip(children, reads, strict=True):
        os.waitpid(child, 0)
        count, longest, *rest = os.read(pipe, 4096).decode().split(" ", 2)
        searches, slowest = searches + int(count), max(slowest, float(longest))
        wrong += [one for one in rest if one]
    return {
        "changes": batch,
        "searches": searches,
        "slowest search": f"{slowest:.3f} s",
        "wrong": wrong,
        "ok": not wrong,
    }


def read_along(folder: Path, ends: float) -> dict[str, Any]:
    """Search repeatedly, and check that each result is a snapshot."""
    told = np.memmap(folder / "told", dtype=np.int64, mode="r", shape=1)
    searches, slowest = 0, 0.0
    with open_store(folder) as store:
        while time.monotonic() < ends:
            before, start = int(told[0]), time.monotonic()
            with store.reading(searching=True):
                words = store.words(["ice"], IDS)[0]
                vectors = store.nearest(vector_of("x")[None], IDS + before + 1000)[0]
                rows = {one.entry_id: one.text for one in store.rows([hit.doc_id for hit in vectors])}
            slowest, searches = max(slowest, time.monotonic() - start), searches + 1
            batches = {rows[hit.doc_id].split()[0] for hit in words}
            singles = sum(name.startswith("b") for name in rows)
            if len(batches) > 1 or len(words) not in (0, 30):
                return {"wrong": f"two moments in one search: {sorted(batches)}"}
            if singles < before:
                return {"wrong": f"{singles} changes are found, {before} were told"}
            if batches and int(batches.pop()) != singles - 1:
                return {"wrong": "words and vectors of different moments"}
    return {"wrong": None, "searches": searches, "slowest": slowest}
