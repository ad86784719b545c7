"""The writer's operations and their effects, drawn from a seed, independent of any store."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

DIM = 16
IDS = 400
TOPICS = ("ice", "fire", "sun", "moon", "river", "stone", "paper", "glass", "wind", "salt")


@dataclass(frozen=True)
class Operation:
    """One call: ``add`` of entries, ``remove`` of ids, or ``compact``."""

    kind: str
    entries: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()


def operation(seed: int, number: int) -> Operation:
    """The operation with a given number: most add or replace up to 40 entries."""
    draws = random.Random(f"{seed} {number}")
    kind = draws.choices(("add", "remove", "compact"), (70, 27, 3))[0]
    names = [f"id{draws.randrange(IDS):03d}" for _ in range(draws.randint(1, 40))]
    if kind == "add":
        return Operation(kind, tuple((name, text(draws, number)) for name in dict.fromkeys(names)))
    return Operation(kind, ids=tuple(dict.fromkeys(names[:12]))) if kind == "remove" else Operation(kind)


def text(draws: random.Random, number: int) -> str:
    """A text on one of a few topics; some recur, most name the operation that wrote them."""
    topics = " ".join(draws.choices(TOPICS, k=draws.randint(1, 4)))
    return topics if draws.random() < 0.2 else f"{topics} op{number}"


def spans_of(one: str) -> list[tuple[int, int]]:
    """Windows of two words, each overlapping the previous one by a word."""
    ends, at = [], 0
    for word in one.split(" "):
        ends.append((at, at + len(word)))
        at += len(word) + 1
    return [(first[0], second[1]) for first, second in pairwise(ends)] or [(0, len(one))]


def applied(state: dict[str, str], done: Operation) -> dict[str, str]:
    """Apply the operation to a dict of ids and texts."""
    left = {name: one for name, one in state.items() if name not in done.ids}
    return left | dict(done.entries)


def vector_of(one: str) -> NDArray[np.float32]:
    """The vector of a text, of unit length. Shape [DIM]."""
    row = np.random.default_rng(zlib.crc32(one.encode())).normal(size=DIM)
    return (row / np.linalg.norm(row)).astype(np.float32)


def vectors_of(texts: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of texts. Shape [texts, DIM]."""
    return np.stack([vector_of(one) for one in texts])


def words_score(state: dict[str, str], query: str) -> dict[str, float]:
    """BM25 of every text that shares a word with the query, by its definition."""
    words = {name: one.split() for name, one in state.items()}
    mean = sum(map(len, words.values())) / max(len(words), 1)
    found: dict[str, float] = {}
    for word in query.split():
        holders = sum(word in mine for mine in words.values())
        idf = np.log(1 + (len(words) - holders + 0.5) / (holders + 0.5))
        for name, mine in words.items():
            if often := mine.count(word):
                held_back = 1.5 * (0.25 + 0.75 * len(mine) / mean)
                found[name] = found.get(name, 0.0) + idf * often / (often + held_back)
    return found
