"""Search speed of a collection by words and by vectors, compared with bm25s and faiss.

Run: ``python benchmarks/bench_find.py --texts FILE [--queries 1000] [--vectors 200000] [--dim 384]
[--turns 3] [--parts words vectors]``

FILE has one text per line. Words: a collection indexes all of them, and bm25s does (Lucene's BM25, numba);
then queries, which are some of the texts, are searched in turns, together and one after another. Vectors:
synthetic, in clusters, with dimensions of decreasing variance, like those of encoders; faiss searches them by
IndexFlatIP. textkin's search is exact: the fraction of faiss' hits that it finds is printed, too, and ties
may come in another order. Both sides use all threads; bm25s uses one for a single query, which is faster.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from setting import show_setting
from textkin.base.threads import cores
from textkin.collection.store.open_store import open_store
from textkin.data.entry_records import Entry

K = 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--vectors", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=("words", "vectors"), default=["words", "vectors"])
    parser.add_argument("--work", type=Path, help="folder to work in")
    asked = parser.parse_args()
    show_setting("bm25s", "faiss-cpu")
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        if "words" in asked.parts:
            if asked.texts is None:
                parser.error("give --texts FILE, or --parts vectors")
            texts = asked.texts.read_text(encoding="utf-8").splitlines()
            by_words(Path(folder) / "words", texts, asked.queries, asked.turns)
        if "vectors" in asked.parts:
            by_vectors(Path(folder) / "vectors", asked.vectors, asked.dim, asked.queries, asked.turns)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


def by_words(folder: Path, texts: Sequence[str], count: int, turns: int) -> None:
    """Index and search texts with both."""
    import bm25s

    entries = (Entry(str(number), text) for number, text in enumerate(texts))
    start = time.monotonic()
    with open_store(folder, create={}) as store:
        for _ in store.add(entries, lambda part: np.zeros((len(part), 1), dtype=np.float32)):
            pass
        print(f"texts on the disk and indexed: {time.monotonic() - start:.1f} s for {len(store):,}")
    shutil.rmtree(folder / "cache", ignore_errors=True)  # so that the index is rebuilt from the texts alone
    with open_store(folder) as store:
        start = time.monotonic()
        with store.reading(searching=True):
            store.words(["ready"], K)
        ours = time.monotonic() - start
        start = time.monotonic()
        retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numba")
        retriever.index(bm25s.tokenize(list(texts), stopwords=None, show_progress=False), show_progress=False)
        theirs = time.monotonic() - start
        print(f"index: textkin {ours:.1f} s, bm25s {theirs:.1f} s, ratio {theirs / ours:.2f}")
        draws = np.random.default_rng(0)
        queries = [texts[one] for one in draws.choice(len(texts), count, replace=False).tolist()]

        def bm25s_search(some: Sequence[str]) -> object:
            tokens = bm25s.tokenize(list(some), stopwords=None, show_progress=False)
            # Threads take it several times as long for one query.
            return retriever.retrieve(
                tokens, k=K, show_progress=False, n_threads=cores() if len(some) > 1 else 1
            )

        compare(
            "words, together", lambda: store.words(queries, K), lambda: bm25s_search(queries), count, turns
        )
        few = queries[: max(count // 10, 1)]
        compare(
            "words, one by one",
            lambda: [store.words([one], K) for one in few],
            lambda: [bm25s_search([one]) for one in few],
            len(few),
            turns,
        )
        alone("words", [partial(store.words, [one], K) for one in few])


def by_vectors(folder: Path, count: int, dim: int, asked: int, turns: int) -> None:
    """Search synthetic vectors with both."""
    import faiss

    draws = np.random.default_rng(0)
    weights = (1 / np.sqrt(np.arange(1, dim + 1))).astype(np.float32)
    centres = draws.normal(size=(count // 100, dim)).astype(np.float32) * weights

    def drawn(rows: int) -> np.ndarray:
        near = centres[draws.integers(len(centres), size=rows)]
        made = near + 0.7 * draws.normal(size=(rows, dim)).astype(np.float32) * weights
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    vectors, queries = drawn(count), drawn(asked)
    with open_store(folder, create={}) as store:
        for _ in store.add(
            (Entry(str(number), f"text {number}") for number in range(count)),
            lambda part: vectors[[int(text.removeprefix("text ")) for text in part]],
        ):
            pass
    index = faiss.IndexFlatIP(dim)
    index.add(vectors)
    with open_store(folder) as store:
        found = store.nearest(queries, K)
        places = index.search(queries, K)[1]
        shared = [
            len({int(hit.doc_id) for hit in row} & set(theirs))
            for row, theirs in zip(found, places.tolist(), strict=True)
        ]
        print(f"{count:,} x {dim}: recall@{K} beside IndexFlatIP: {np.mean(shared) / K:.5f}")
        few = queries[: max(asked // 10, 1)]
        compare(
            "vectors, together",
            lambda: store.nearest(queries, K),
            lambda: index.search(queries, K),
            asked,
            turns,
        )
        compare(
            "vectors, one by one",
            lambda: [store.nearest(one[None], K) for one in few],
            lambda: [index.search(one[None], K) for one in few],
            len(few),
            turns,
        )
        alone("vectors", [partial(store.nearest, one[None], K) for one in few])


def compare(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], count: int, turns: int
) -> None:
    """Queries per second of both in turns, and the median ratio."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(turns)]
    mine, other = (count / statistics.median(side) for side in zip(*pairs, strict=True))
    ratios = sorted(b / a for a, b in pairs)
    print(
        f"{name}: {mine:,.0f} and {other:,.0f} queries a second, ratio {statistics.median(ratios):.2f} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})",
        flush=True,
    )


def seconds(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def alone(name: str, searches: Sequence[Callable[[], object]]) -> None:
    """The time of single queries."""
    taken = np.array([1000 * seconds(one) for one in searches])
    print(f"{name}, a query: median {np.median(taken):.1f} ms, p99 {np.percentile(taken, 99):.1f} ms")


if __name__ == "__main__":
    main()
