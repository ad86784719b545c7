"""Kills of a writer at random moments, each checked by a new process."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from operations import TOPICS, Operation, applied, operation, vector_of, words_score
from subjects import Subject

LATEST = 0.12  # seconds after the first acknowledged change at which a writer is killed
SLOWEST = 60.0
CLOSE = 1e-5


@dataclass
class Tally:
    """The results of many kills.

    Attributes:
        kills: the number of killed writers.
        acknowledged: the number of changes acknowledged before.
        within: kills during a change.
        bad: kills after which something was wrong, by problem.
        examples: some of these, in words.
    """

    kills: int = 0
    acknowledged: int = 0
    within: int = 0
    bad: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)


def kill_many(
    subject: type[Subject],
    folder: Path,
    kills: int,
    seed: int,
    told: Callable[[Tally], None],
    *,
    server: Any = None,
) -> Tally:
    """Kill a writer repeatedly in one folder, starting afresh after a problem.

    If the store has a server, it is killed, too, and restarted.
    """
    tally, draws = Tally(), random.Random(seed)
    state: dict[str, str] = {}
    place, number = folder / "0", 0
    place.mkdir()
    while tally.kills < kills:
        done, under_way = killed_writer(subject, place, seed, number, draws.uniform(0, LATEST), server=server)
        if server is not None:
            server.start()
        tally.kills += 1
        tally.acknowledged += done
        for one in range(number, number + done):
            state = applied(state, operation(seed, one))
        number += done
        states = [state]
        if under_way:
            tally.within += 1
            states.append(applied(state, operation(seed, number)))
        found = in_a_process(partial(looked_into, subject, place, states, tally.kills))
        number += 1  # whatever its fate, another one follows
        if found["wrong"] is None:
            state = states[found["state"]]
        else:
            kind = found["wrong"]
            tally.bad[kind] = tally.bad.get(kind, 0) + 1
            if len(tally.examples) < 5:
                tally.examples.append(f"kill {tally.kills}: {kind}: {found['told']}")
            place, state = folder / str(tally.kills), {}
            place.mkdir()
        told(tally)
    return tally


def killed_writer(
    subject: type[Subject], place: Path, seed: int, first: int, seconds: float, *, server: Any = None
) -> tuple[int, bool]:
    """The number of changes acknowledged before a kill, and True if one was unfinished."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _write(subject, place, seed, first, write)
    os.close(write)
    heard, ends = b"", None
    limit = time.monotonic() + SLOWEST
    while True:
        now = time.monotonic()
        left = (limit if ends is None else ends) - now
        if left <= 0:
            break
        if select.select([read], [], [], left)[0]:
            part = os.read(read, 4096)
            if not part:
                break
            heard += part
            if ends is None and b"+" in heard:  # slow at first, as everything is loaded for it
                ends = time.monotonic() + seconds
    if server is not None:
        server.kill()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while part := os.read(read, 4096):
        heard += part
    os.close(read)
    return heard.count(b"+"), heard.count(b"(") > heard.count(b"+")


def _write(subject: type[Subject], place: Path, seed: int, first: int, pipe: int) -> None:
    """Change the store until the process is killed: "(" before each change, "+" after it."""
    try:
        store = subject(place)
        number = first
        while True:
            os.write(pipe, b"(")
            store.apply(operation(seed, number))
            os.write(pipe, b"+")
            number += 1
    except BaseException as error:
        if not (subject.has_server and type(error).__name__ == "OutputError"):  # it was killed
            traceback.print_exc()
    finally:
        os._exit(3)


def in_a_process(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A function's result from its own process, within a minute; JSON values."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            answer = work()
        except BaseException as error:
            answer = {"wrong": "can't be opened or read", "told": f"{type(error).__name__}: {error}"[:300]}
        with os.fdopen(write, "w") as stream:
            json.dump(answer, stream)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as stream:
        in_time = bool(select.select([stream], [], [], SLOWEST)[0])
        if not in_time:
            os.kill(child, signal.SIGKILL)
        text = stream.read()
    os.waitpid(child, 0)
    return (
        json.loads(text)
        if text
        else {"wrong": "the reader died" if in_time else "the reader hung", "told": ""}
    )


def looked_into(
    subject: type[Subject], place: Path, states: list[dict[str, str]], number: int
) -> dict[str, Any]:
    """Compare a store with its possible states, and its searches with a full scan."""
    store = subject(place)
    there = store.vectors()
    for which, state in enumerate(states):  # noqa: B007
        if there.keys() == state.keys() and all(
            np.allclose(vector, vector_of(state[name]), atol=CLOSE) for name, vector in there.items()
        ):
            break
    else:
        return _difference(there, states)
    wrong = _searches(store, state, number)
    if wrong is None and number % 5 == 0 and (problems := store.problems()):
        wrong = {"wrong": "its own check finds damage", "told": "; ".join(problems)}
    store.close()
    return wrong or {"wrong": None, "state": which}


def _difference(there: dict[str, np.ndarray], states: list[dict[str, str]]) -> dict[str, Any]:
    state = states[0]
    touched = set(state) ^ set(states[-1]) | {
        name for name in state.keys() & states[-1].keys() if state[name] != states[-1][name]
    }
    lost = sorted(set(state) - set(there) - touched)
    extra = sorted(set(there) - set(state) - touched)
    if lost:
        return {"wrong": "acknowledged rows lost", "told": ", ".join(lost[:5])}
    if extra:
        return {"wrong": "removed rows are back", "told": ", ".join(extra[:5])}
    old = [
        name
        for name in there.keys() & state.keys()
        if name not in touched and not np.allclose(there[name], vector_of(state[name]), atol=CLOSE)
    ]
    if old:
        return {"wrong": "acknowledged changes lost", "told": ", ".join(old[:5])}
    return {"wrong": "half of a change", "told": ", ".join(sorted(touched)[:5])}


def _searches(store: Subject, state: dict[str, str], number: int) -> dict[str, Any] | None:
    """The problems of searches, if any."""
    vector = vector_of(f"query {number}")
    k = 10
    scores = {name: float((store.of(one) @ vector).max()) for name, one in state.items()}
    best = sorted(((score, name) for name, score in scores.items()), reverse=True)
    found = store.nearest(vector, k)
    if stale := [name for name, _ in found if name not in state]:
        return {"wrong": "stale hits", "told": f"vectors: {stale}"}
    expected = [score for score, _ in best[:k]]
    if len(found) != len(expected) or not np.allclose([score for _, score in found], expected, atol=1e-4):
        return {"wrong": "wrong hits", "told": f"vectors: {found[:3]}, expected {best[:3]}"}
    if not store.searches_words:
        return None
    query = f"{TOPICS[number % len(TOPICS)]} op{number}"
    by_words = words_score(state, query)
    hits = store.words(query, k)
    if stale := [name for name, _ in hits if name not in by_words]:
        return {"wrong": "stale hits", "told": f"words: {stale}"}
    wanted = sorted(by_words.values(), reverse=True)[:k]
    exact = all(abs(score - by_words[name]) < CLOSE for name, score in hits)
    if not exact or not np.allclose([score for _, score in hits], wanted, atol=CLOSE):
        return {"wrong": "wrong hits", "told": f"words: {hits[:3]}"}
    return None


def warm_up(subject: type[Subject], folder: Path) -> None:
    """Load everything needed, so that forked processes needn't."""
    folder.mkdir()
    if subject.has_threads:
        import_module(subject.needs)
        return
    store = subject(folder)
    store.apply(Operation("add", tuple((f"id{n:03d}", f"{TOPICS[n % 10]} text") for n in range(100))))
    store.apply(Operation("remove", ids=("id001",)))
    store.vectors(), store.nearest(vector_of("x"), 3), store.words("ice", 3)
    store.close()
    sys.stdout.flush()
