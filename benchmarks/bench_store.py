"""Creating, opening and searching a collection, compared with a bare SQLite table with FTS5.

Run: ``python benchmarks/bench_store.py [--texts FILE] [--rows 100000] [--dim 128] [--queries 200]
[--clusters K] [--cells N]``

With ``--texts`` a file, one text per line, goes through ``textkin collection add`` from start to exit,
against ``textkin encode`` and a process that inserts texts and vectors into a table and an FTS5 index. Then,
or by default on synthetic texts with random vectors, the collection is opened and searched in this process:
the median and the 99th percentile of single queries by words and by vectors, each after a warm-up.

With ``--cells`` the rows are assigned to that many cells, and single queries that search 1, 2, 4, ... of them
are timed against exact ones, in turns, with the fraction of the 10 nearest rows that they find. Random
vectors have no real neighbours: ``--clusters`` draws vectors and queries around that many centres, near and
far.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from setting import show_setting
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry
from textkin.kinds.systems import load_encoder

BARE = """
import sqlite3, sys
import numpy as np
texts, vectors, out = sys.argv[1:]
rows = [line.rstrip("\\n") for line in open(texts, encoding="utf-8")]
table = np.load(vectors, mmap_mode="r")
base = sqlite3.connect(out)
base.execute("PRAGMA journal_mode = WAL")
base.execute("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT, vector BLOB)")
base.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
pairs = ((number, text, table[number].tobytes()) for number, text in enumerate(rows))
base.executemany("INSERT INTO texts VALUES (?, ?, ?)", pairs)
base.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", enumerate(rows))
base.commit()
"""
WORDS = 30_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=Path, help="one a line, without empty ones")
    parser.add_argument("--rows", type=int, default=100_000, help="of made-up texts")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clusters", type=int, default=0, help="draw vectors around so many centres")
    parser.add_argument("--cells", type=int, default=0, help="time approximate searches in so many cells")
    parser.add_argument("--work", type=Path, help="folder to work in")
    asked = parser.parse_args()
    show_setting()
    with tempfile.TemporaryDirectory(dir=asked.work) as temporary:
        folder = Path(temporary)
        if asked.texts is not None:
            by_commands(asked.texts, folder)
            queries = asked.texts.read_text(encoding="utf-8").splitlines()
        else:
            queries = [entry.text for entry in made_up(1000)]
            start = time.monotonic()
            with open_store(folder / "c", create={}) as store:
                draws = np.random.default_rng(0)
                for _ in store.add(
                    made_up(asked.rows),
                    lambda texts: drawn(draws, len(texts), asked.dim, asked.clusters),
                ):
                    pass
            print(f"add {asked.rows:,} rows of {asked.dim} numbers: {time.monotonic() - start:.1f} s")
        by_calls(folder / "c", random.Random(0).sample(queries, asked.queries))
        if asked.cells:
            rows = drawn(np.random.default_rng(3), asked.queries, asked.dim, asked.clusters)
            if asked.texts is not None:
                rows = load_encoder().encode(random.Random(1).sample(queries, asked.queries))
            in_cells(folder / "c", asked.cells, rows)


def by_commands(texts: Path, folder: Path) -> None:
    """Time commands from start to exit: by wall clock and processor time, as the latter is steadier."""
    vectors, bare = folder / "v.npy", folder / "bare.sqlite"
    textkin = (sys.executable, "-m", "textkin")
    encode = timed(*textkin, "encode", texts, "--out", vectors)
    insert = timed(sys.executable, "-c", BARE, texts, vectors, bare)
    add = timed(*textkin, "collection", "add", folder / "c", texts)
    for name, (wall, processor) in (("encode", encode), ("bare insert with FTS5", insert), ("add", add)):
        print(f"{name}: {wall:.1f} s, {processor:.1f} s of processor time")
    ratios = [mine / (one + other) for mine, one, other in zip(add, encode, insert, strict=True)]
    print(f"add / (encode + insert): {ratios[0]:.2f}, by processor time {ratios[1]:.2f}")


def timed(*command: str | Path) -> tuple[float, float]:
    """The wall-clock and processor seconds of a command."""
    before, start = os.times(), time.monotonic()
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    wall, after = time.monotonic() - start, os.times()
    return wall, sum(after[2:4]) - sum(before[2:4])


def made_up(count: int) -> Iterator[Entry]:
    """Short synthetic texts with a realistic word frequency distribution."""
    draws = np.random.default_rng(1)
    for number in range(count):
        words = np.minimum(draws.zipf(1.3, size=10), WORDS)
        yield Entry(f"r{number}", " ".join(f"w{word}x" for word in words))


def drawn(draws: np.random.Generator, count: int, dim: int, clusters: int) -> np.ndarray:
    """Random vectors, or vectors around centres, near or far, as texts relate to their subjects."""
    noise = draws.normal(size=(count, dim))
    if not clusters:
        return noise.astype(np.float32)
    centres = np.random.default_rng(1).normal(size=(clusters, dim))
    spread = draws.uniform(0.3, 1.2, size=(count, 1))
    return (centres[draws.integers(clusters, size=count)] + spread * noise).astype(np.float32)


def in_cells(folder: Path, cells: int, queries: np.ndarray) -> None:
    """Time exact and approximate searches of single queries, in turns."""
    with open_store(folder) as store:
        start = time.monotonic()
        made = store.cells.make(cells)
        print(f"{cells:,} cells made and audited: {time.monotonic() - start:.1f} s")
        ways = [None, *(2**power for power in range(cells.bit_length()) if 2**power <= cells // 4)]
        taken: dict[int | None, list[float]] = {probe: [] for probe in ways}
        found: dict[int | None, list[set[str]]] = {probe: [] for probe in ways}
        for row in [queries[0], *queries]:  # the first one warms up
            for probe in ways:
                start = time.monotonic()
                [hits] = store.nearest(row[None], 10, probe=probe)
                taken[probe].append(1000 * (time.monotonic() - start))
                found[probe].append({hit.doc_id for hit in hits})
        for probe in ways:
            times = np.array(taken[probe][1:])
            pairs = zip(found[probe][1:], found[None][1:], strict=True)
            share = np.mean([len(one & other) / len(other) for one, other in pairs])
            audited = None if probe is None else made.recall(probe)
            print(
                f"{'exact' if probe is None else f'--probe {probe}'}: {1000 / times.mean():.0f} queries a "
                f"second, median {np.median(times):.2f} ms, p99 {np.percentile(times, 99):.2f} ms, recall@10 "
                f"{share:.3f}; audit: {'none' if audited is None else audited.sentence()}"
            )


def by_calls(folder: Path, queries: list[str]) -> None:
    """Time the opening and single searches."""
    start = time.monotonic()
    with open_store(folder) as store:
        print(f"open: {time.monotonic() - start:.3f} s, {len(store):,} rows")
        start = time.monotonic()
        with store.reading(searching=True):
            dim = store.fact("dim")
        print(f"get ready for searches: {time.monotonic() - start:.3f} s")
        draws = np.random.default_rng(2)
        vectors = draws.normal(size=(len(queries), 1, dim)).astype(np.float32)
        for name, search in (
            ("words", [partial(store.words, [query], 10) for query in queries]),
            ("vectors", [partial(store.nearest, row, 10) for row in vectors]),
        ):
            taken = []
            for one in search:
                start = time.monotonic()
                one()
                taken.append(1000 * (time.monotonic() - start))
            rest = np.array(taken[1:])
            print(
                f"{name}: first {taken[0]:.0f} ms, then median {np.median(rest):.1f} ms, "
                f"p99 {np.percentile(rest, 99):.1f} ms"
            )


if __name__ == "__main__":
    main()
