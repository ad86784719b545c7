"""A small collection with every feature, and invariants for it, damaged or not."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import textkin as tk
from textkin.collection.store import segment_file as caches
from textkin.collection.store.check_and_repair import check_collection, repair_collection

from .mutate import WORDS, mutated_bytes, mutated_value

KNOWN = ("cat", "dog", "ice", "sun", "fire", "house", "river", "where can I park", "ICE cat", "dog's sun")
FILTERS = ('n = 3 and lang = "en"', "n >= 2 or not lang exists", "lang in ('en', 'de')", "`a b` != true")
Answers = dict[str, list[tuple[str, str, float]]]


class Letters:
    """An encoder of letter counts, plus a constant one, so that no vector is zero."""

    name, dim = "letters", 27

    def encode(self, texts: Sequence[str], *, side: str = "document") -> NDArray[np.float32]:
        """Shape [texts, 27]."""
        rows = [[*(text.count(chr(97 + n)) for n in range(26)), 1] for text in texts]
        return np.array(rows, np.float32).reshape(-1, 27)

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Shape [pairs]; never called."""
        return np.zeros(len(pairs), np.float32)


def opened(folder: Path, *, create: bool = False) -> tk.OpenCollection:
    """A collection with this encoder."""
    return tk.open_collection(folder, model=Letters(), create=create)


def write_collection(place: Path) -> Answers:
    """Write a collection with cache files, cells, a log, removed rows; and its answers."""
    before, caches.WORTH_A_FILE = caches.WORTH_A_FILE, 20
    try:
        with opened(place / "closed", create=True) as notes:
            texts = [f"{one} {number}" for number in range(12) for one in KNOWN]
            about = [{"n": number % 5, "lang": "ende"[number % 3 :][:2]} for number in range(len(texts))]
            notes.add(texts, ids=[f"t{number}" for number in range(len(texts))], metadata=about)
            notes.approximate(4)
            notes.remove(["t3", "t50"])
            notes.add(["ice and fire"], ids=["t7"])
            found = answers(notes)
            shutil.copytree(place / "closed", place / "log")  # while it is open, so that there is a log
    finally:
        caches.WORTH_A_FILE = before
    return found


def answers(notes: tk.OpenCollection) -> Answers:
    """A collection's answers to some queries."""
    found: Answers = {}
    for query in ("cat 3", "ice fire"):
        for mode in ("hybrid", "vectors", "words"):
            for filtered in (None, FILTERS[0]):
                hits = notes.search(query, k=5, mode=mode, where=filtered).hits[0]
                found[f"{mode} {query} {filtered}"] = [(one.entry_id, one.text, one.score) for one in hits]
    return found


def damaged(draw: Random, source: Path, folder: Path) -> str:
    """A copy with one file mutated, and the file."""
    shutil.copytree(source, folder)
    names = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())
    changed = draw.choice([name for name in names if not name.endswith("-shm")])
    content = bytearray((folder / changed).read_bytes())
    if content and draw.random() < 0.6:
        for _ in range(draw.choice((1, 1, 3, 20))):
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    else:
        content = bytearray(mutated_bytes(draw, bytes(content)))
    (folder / changed).write_bytes(content)
    return changed


def looked_through(folder: Path, expected: Answers) -> str:
    """Search a possibly damaged collection; return the problems of its answers, or ""."""
    with opened(folder) as notes:
        found = answers(notes)
        notes.match("ice cat", threshold=0.9)
    for asked, hits in found.items():
        if hits != expected[asked]:
            return f"{asked}: {hits}, expected {expected[asked]}"
    return ""


def repaired(folder: Path) -> str:
    """Check and repair a collection; return the problems of the result, or ""."""
    check_collection(folder)
    repair_collection(folder, Letters().encode)
    health = check_collection(folder)
    with opened(folder) as notes:
        answers(notes)
    return "; ".join((*health.database, *health.cache))


def hostile(draw: Random, folder: Path, rounds: int) -> str:
    """Give a collection invalid data, and check that it keeps what it accepted; return problems, or ""."""
    with opened(folder, create=True) as notes:
        notes.add(list(KNOWN), ids=list(KNOWN))
        known = dict(zip(KNOWN, KNOWN, strict=True))
        for _ in range(rounds):
            entry = tk.Entry(_word(draw), _word(draw), _metadata(draw))
            try:
                notes.add([entry])
                known[entry.entry_id] = entry.text
            except tk.TextkinError:
                pass
            try:
                asked = mutated_bytes(draw, draw.choice(FILTERS).encode()).decode(errors="surrogateescape")
                notes.search(_word(draw), where=asked, k=draw.choice((1, 3, 10**9)))
            except tk.TextkinError:
                pass
            try:
                match = notes.match(
                    [tk.Entry(_word(draw), _word(draw), _metadata(draw))],
                    add=True,
                    threshold=0.9,
                ).matches[0]
                if match.stored:
                    known[match.entry_id] = match.text
            except tk.TextkinError:
                pass
        for mode in ("hybrid", "vectors"):
            hits = notes.search("ice", k=len(known), mode=mode).hits[0]
            if {hit.entry_id: hit.text for hit in hits} != known:
                return f"{mode} finds {len(hits)} of {len(known)} entries"
    health = check_collection(folder)
    return "; ".join((*health.database, *health.cache))


def _word(draw: Random) -> str:
    return draw.choice((*WORDS, *KNOWN, "a\0", "\0", "x" * 9000))


def _metadata(draw: Random) -> Any:
    if draw.random() < 0.3:
        return {_word(draw): _word(draw)}
    return mutated_value(draw, {"n": 3, "lang": "en", "a b": True, "deep": [[{"x": None}]]})
