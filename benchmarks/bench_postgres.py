"""Creating, reading and searching a collection in PostgreSQL, compared with one in a folder.

Run: ``python benchmarks/bench_postgres.py [--rows 200000] [--dim 384] [--queries 200] [--clusters 2000]
[--links 16]``

The rows of ``bench_store.py`` are added to a folder and to a server started for this. Then single queries are
timed in turns: exact ones in the folder, exact ones from PostgreSQL (with rows in memory after the first
read), and by pgvector's HNSW index for several numbers of candidates, with the fraction of the 10 nearest
rows found, and the recall that the collection states. Last comes pgvector's own exact search, without the
index.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.postgres_server import postgres_server

from bench_store import drawn, made_up
from setting import show_setting
from textkin.collection.store.collection_store import CollectionStore, RecallOfProbes
from textkin.collection.store.open_store import open_store
from textkin.collection.store.postgres.database import PostgresBackEnd
from textkin.data.entry_records import Entry

PROBES = (10, 20, 40, 80, 160, 320, 640)
BARE = "SELECT t.id FROM points p JOIN texts t USING (number) ORDER BY p.embedding <=> ? LIMIT 10"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clusters", type=int, default=2000, help="centres that vectors are drawn around")
    parser.add_argument("--links", type=int, default=16, help="of a vector in the index")
    asked = parser.parse_args()
    show_setting("psycopg", "pgvector")
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        stores = {}
        vectors = drawn(np.random.default_rng(0), asked.rows, asked.dim, asked.clusters)
        for name, place in (("folder", folder), ("PostgreSQL", server.address("bench"))):
            stores[name] = open_store(place, create={})
            filled(name, stores[name], vectors)
        with open_store(server.address("bench")) as fresh:
            start = time.monotonic()
            with fresh.reading(searching=True):
                pass
            print(f"PostgreSQL read into memory: {time.monotonic() - start:.1f} s", flush=True)
        start = time.monotonic()
        measured = stores["PostgreSQL"].cells.make(asked.links)
        print(f"HNSW of {asked.links} links made and measured: {time.monotonic() - start:.1f} s", flush=True)
        compared(stores, drawn(np.random.default_rng(3), asked.queries, asked.dim, asked.clusters), measured)
        for one in stores.values():
            one.close()


def filled(name: str, store: CollectionStore, vectors: np.ndarray) -> None:
    """Add the rows; the last word of a text determines its vector."""
    start = time.monotonic()
    entries = (Entry(one.entry_id, f"{one.text} {one.entry_id}") for one in made_up(len(vectors)))
    for _ in store.add(entries, lambda texts: vectors[[int(text.rpartition("r")[2]) for text in texts]]):
        pass
    print(f"add {len(vectors):,} rows to {name}: {time.monotonic() - start:.1f} s", flush=True)


def compared(stores: dict[str, CollectionStore], queries: np.ndarray, measured: RecallOfProbes) -> None:
    """Time single queries, each in all ways in turn."""
    local, served = stores["folder"], stores["PostgreSQL"]
    served.cells.prepare()
    database = served._session.back_end
    assert isinstance(database, PostgresBackEnd)  # noqa: S101 - by its address
    database.know_vectors()

    def bare(row: np.ndarray) -> set[str]:
        with served.reading():
            database.execute("SET LOCAL enable_indexscan = off")
            return {one[0] for one in database.execute(BARE, (row[0],))}

    ways: dict[str, Callable[[np.ndarray], set[str]]] = {
        "exact, folder": lambda row: ids(local, row),
        "exact, PostgreSQL": lambda row: ids(served, row),
        **{f"--probe {n}": partial(ids, served, probe=n) for n in PROBES},
        "pgvector without index": bare,
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[set[str]]] = {name: [] for name in ways}
    for row in [queries[0], *queries]:  # the first one warms up
        for name, search in ways.items():
            start = time.monotonic()
            found[name].append(search(row[None]))
            taken[name].append(1000 * (time.monotonic() - start))
    for name in ways:
        times = np.array(taken[name][1:])
        pairs = zip(found[name][1:], found["exact, folder"][1:], strict=True)
        share = np.mean([len(one & other) / len(other) for one, other in pairs])
        probe = int(name.split()[1]) if name.startswith("--") else None
        stated = None if probe is None else measured.recall(probe)
        told = "" if stated is None else f"; stated: {stated.sentence()}"
        print(
            f"{name}: {1000 / times.mean():.0f} queries a second, median {np.median(times):.2f} ms, "
            f"p99 {np.percentile(times, 99):.2f} ms, recall@10 {share:.3f}{told}"
        )


def ids(store: CollectionStore, row: np.ndarray, *, probe: int | None = None) -> set[str]:
    """The ids found by a search."""
    return {hit.doc_id for hit in store.nearest(row, 10, probe=probe)[0]}


if __name__ == "__main__":
    main()
