"""All pairs above a cosine among n vectors, compared with common alternatives, in turns.

Run: ``python benchmarks/bench_join.py VECTORS.npy [--sizes 20000 100000] [--threshold 0.8] [--turns 3]``

VECTORS.npy holds unit vectors, as ``textkin encode TEXTS MODEL --out VECTORS.npy`` writes them; each size
uses its first rows. Each contender runs in its own process, one after another, as often as there are turns,
and medians are reported. The time is that from vectors in memory to sorted pairs; imports and textkin's
compiled loops are loaded before, including torch. Peak memory is that of the whole process.

- fp32 blocks: numpy's product of the upper triangle, in blocks. Recall is measured against its pairs; without
  it against textkin's, otherwise the first contender's.
- sentence-transformers: ``paraphrase_mining_embeddings`` with its defaults.
- faiss range: an exact search of a flat index for all neighbours above the threshold.
- faiss flat: an exact search of a flat index for the 20 nearest, those above the threshold.
- faiss hnsw, faiss ivf, hnswlib, usearch: approximate search for 20 neighbours, those above the threshold.
- semhash: ``self_deduplicate``, which keeps one pair for each removed text, so its recall is low by design.
- textkin, textkin cells: ``pairs_above`` and ``pairs_by_cells``.
- textkin nearest: ``Searcher.nearest`` for the same 20 as faiss flat.

The last column is the work of all pairs in all dimensions, a product and a sum counting as two, divided by
processor seconds: a join that reads fewer dimensions can exceed the peak of one core. The line above the
table says how long the products of all pairs in 64 dimensions alone would take at that peak.

A contender that isn't installed is skipped and named. Processor seconds, over all threads, are less affected
by other load than wall-clock time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from setting import show_setting
from textkin.base.threads import cores

Vectors = NDArray[np.float32]
Codes = NDArray[np.int64]
NEIGHBOURS = 20


def threads() -> int:
    """The number of threads of this process."""
    return int(os.environ["OMP_NUM_THREADS"])


def codes_of(rows: NDArray[np.integer], columns: NDArray[np.integer], count: int) -> Codes:
    """One number per pair, without mirrored pairs and self-pairs."""
    one, other = np.minimum(rows, columns).astype(np.int64), np.maximum(rows, columns).astype(np.int64)
    return np.unique((one * count + other)[one != other])


def of_neighbours(found: NDArray[np.integer], scores: NDArray[np.float32], threshold: float) -> Codes:
    """The pairs of each vector's neighbours that reach the threshold."""
    rows, places = np.nonzero((scores >= threshold) & (found >= 0))
    return codes_of(rows, found[rows, places].astype(np.int64), len(found))


def textkin(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    from textkin.vectors.join import bfloat16
    from textkin.vectors.join.all_pairs import pairs_above

    bfloat16.load()
    pairs_above(vectors[:5000], threshold, quiet=True)

    def run() -> tuple[Codes, str]:
        found = pairs_above(vectors, threshold, workers=threads(), quiet=True)
        return codes_of(found.rows, found.columns, len(vectors)), found.method

    return run


def textkin_cells(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    from textkin.vectors.join import bfloat16
    from textkin.vectors.join.cells import pairs_by_cells

    bfloat16.load()
    pairs_by_cells(vectors[:5000], threshold)

    def run() -> tuple[Codes, str]:
        found = pairs_by_cells(vectors, threshold, workers=threads())
        told = found.method
        if found.recall is not None:
            told += f"; recall by a sample {found.recall.value:.4f}"
            told += f" ({found.recall.low:.4f} to {found.recall.high:.4f})"
        return codes_of(found.rows, found.columns, len(vectors)), told

    return run


def textkin_nearest(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    from textkin.vectors.join import bfloat16
    from textkin.vectors.join.nearest import Searcher

    bfloat16.load()
    Searcher(vectors[:5000], cosine=True).nearest(vectors[:5000], NEIGHBOURS, apart=True)

    def run() -> tuple[Codes, str]:
        searcher = Searcher(vectors, cosine=True)
        found = searcher.nearest(vectors, NEIGHBOURS, apart=True, workers=threads())
        return of_neighbours(found.documents, found.scores, threshold), f"{NEIGHBOURS} neighbours"

    return run


def fp32_blocks(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    def run() -> tuple[Codes, str]:
        found = []
        for top in range(0, len(vectors), 2048):
            scores = vectors[top : top + 2048] @ vectors[top:].T
            rows, columns = np.nonzero(np.triu(scores >= np.float32(threshold), 1))
            found.append((rows + top) * len(vectors) + columns + top)
        return np.sort(np.concatenate(found)), "numpy"

    return run


def sentence_transformers(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import sentence_transformers
    import torch
    from sentence_transformers.util import paraphrase_mining_embeddings

    tensor = torch.from_numpy(vectors)

    def run() -> tuple[Codes, str]:
        found = paraphrase_mining_embeddings(tensor)
        near = [(i, j) for score, i, j in found if score >= threshold]
        pairs = np.array(near, dtype=np.int64).reshape(-1, 2)
        return codes_of(pairs[:, 0], pairs[:, 1], len(vectors)), sentence_transformers.__version__

    return run


def faiss_range(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import faiss

    def run() -> tuple[Codes, str]:
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        limits, _, columns = index.range_search(vectors, threshold)
        rows = np.repeat(np.arange(len(vectors)), np.diff(limits).astype(np.int64))
        return codes_of(rows, columns, len(vectors)), faiss.__version__

    return run


def faiss_flat(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import faiss

    def run() -> tuple[Codes, str]:
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        scores, found = index.search(vectors, NEIGHBOURS + 1)  # each finds itself
        return of_neighbours(found, scores, threshold), f"{NEIGHBOURS} neighbours"

    return run


def faiss_hnsw(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import faiss

    def run() -> tuple[Codes, str]:
        index = faiss.IndexHNSWFlat(vectors.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction, index.hnsw.efSearch = 100, 64
        index.add(vectors)
        scores, found = index.search(vectors, NEIGHBOURS)
        return of_neighbours(found, scores, threshold), "M 16, ef 100 and 64"

    return run


def faiss_ivf(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import faiss

    def run() -> tuple[Codes, str]:
        cells = int(4 * len(vectors) ** 0.5)
        index = faiss.index_factory(vectors.shape[1], f"IVF{cells},Flat", faiss.METRIC_INNER_PRODUCT)
        assert isinstance(index, faiss.IndexIVF)  # noqa: S101 - by its name
        index.train(vectors[:: max(len(vectors) // (40 * cells), 1)].copy())
        index.add(vectors)
        index.nprobe = 16
        scores, found = index.search(vectors, NEIGHBOURS)
        return of_neighbours(found, scores, threshold), f"{cells} cells, 16 searched"

    return run


def hnswlib(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    import hnswlib

    def run() -> tuple[Codes, str]:
        index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        index.init_index(max_elements=len(vectors), ef_construction=100, M=16)
        index.set_num_threads(threads())
        index.add_items(vectors)
        index.set_ef(64)
        found, distances = index.knn_query(vectors, k=NEIGHBOURS)
        return of_neighbours(found.astype(np.int64), 1 - distances, threshold), "M 16, ef 100 and 64"

    return run


def usearch(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    from usearch.index import Index

    def run() -> tuple[Codes, str]:
        index = Index(ndim=vectors.shape[1], metric="ip", dtype="f32", connectivity=16, expansion_add=100)
        index.add(np.arange(len(vectors)), vectors, threads=threads())
        found = index.search(vectors, NEIGHBOURS)
        return of_neighbours(
            found.keys.astype(np.int64), 1 - found.distances, threshold
        ), "M 16, ef 100 and 64"

    return run


def semhash(vectors: Vectors, threshold: float) -> Callable[[], tuple[Codes, str]]:
    from semhash import SemHash

    names = [str(row) for row in range(len(vectors))]

    def run() -> tuple[Codes, str]:
        found = SemHash.from_embeddings(vectors, names, model=None).self_deduplicate(threshold)
        gone = [(int(one.record), int(one.duplicate_of)) for one in found.filtered]
        pairs = np.array(gone, dtype=np.int64).reshape(-1, 2)
        return codes_of(pairs[:, 0], pairs[:, 1], len(vectors)), metadata.version("semhash")

    return run


CONTENDERS = {
    "fp32 blocks": fp32_blocks,
    "textkin": textkin,
    "textkin cells": textkin_cells,
    "textkin nearest": textkin_nearest,
    "sentence-transformers": sentence_transformers,
    "faiss range": faiss_range,
    "faiss flat": faiss_flat,
    "faiss hnsw": faiss_hnsw,
    "faiss ivf": faiss_ivf,
    "hnswlib": hnswlib,
    "usearch": usearch,
    "semhash": semhash,
}


def gemm_peak(dim: int) -> dict[str, float]:
    """The fastest product of two matrices with this inner dimension, in GFLOP/s, by processor seconds."""
    import torch

    peak = {}
    for name, kind in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        left, right = (torch.randn(2048, dim).to(kind) for _ in range(2))
        seconds = []
        for _ in range(20):
            start = time.process_time()
            left @ right.T
            seconds.append(time.process_time() - start)
        peak[name] = 2e-9 * 2048 * 2048 * dim / min(seconds)
    return peak


def one(name: str, path: Path, count: int, threshold: float, out: Path) -> None:
    """Run a contender in this process; write its pairs, print its costs."""
    vectors = np.load(path)[:count]
    if name == "peak":
        print(json.dumps(gemm_peak(vectors.shape[1])))
        return
    run = CONTENDERS[name](vectors, threshold)
    clock, processor = time.perf_counter(), time.process_time()
    codes, told = run()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    np.save(out, codes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"clock": clock, "processor": processor, "peak": peak, "told": told}))


def measured(arguments: list[str], *, threads: str) -> dict[str, Any] | None:
    """The costs of a contender in its own process; None if it could not be run."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {f"{name}_NUM_THREADS": threads for name in ("OMP", "OPENBLAS", "MKL")},
    )
    if done.returncode:
        print(f"{arguments[2]} left out: {done.stderr.strip().splitlines()[-1]}", flush=True)
        return None
    taken: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {arguments[2]}: {taken}", file=sys.stderr, flush=True)
    return taken


def contest(options: argparse.Namespace, count: int, folder: Path) -> None:
    """Run all contenders on a number of vectors, in turns, and print the table."""
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in options.contenders}
    common = ["--threshold", str(options.threshold), "--sizes", str(count)]
    for turn in range(options.turns):
        for name in options.contenders:
            out = folder / f"{name.replace(' ', '-')}.npy"
            if len(taken[name]) == turn:
                result = measured(
                    [str(options.vectors), "--one", name, str(out), *common], threads=str(options.threads)
                )
                taken[name] += [] if result is None else [result]
    peak = measured([str(options.vectors), "--one", "peak", "-", *common], threads="1") or {}
    found = {name: np.load(folder / f"{name.replace(' ', '-')}.npy") for name in taken if taken[name]}
    truth = found.get("fp32 blocks", found.get("textkin", next(iter(found.values()), np.empty(0, np.int64))))
    dim = np.load(options.vectors, mmap_mode="r").shape[1]
    work = count * (count - 1) * dim / 1e9
    print(
        f"\n{count:,} vectors of {dim}, cosine {options.threshold}, {options.threads} threads; a core: {peak}"
    )
    short = ", ".join(f"{count * (count - 1) * 64 / 1e9 / fast:.2f} in {kind}" for kind, fast in peak.items())
    print(f"processor s of 64 dimensions at that peak: {short}")
    print(
        "contender | seconds, median [min-max] | processor s | peak MiB | pairs | recall | wrong | GFLOP/s | "
        "times the first one's seconds"
    )
    first = next((results for results in taken.values() if results), [])
    for name, results in taken.items():
        if results:
            ratios = [one["clock"] / other["clock"] for one, other in zip(results, first, strict=True)]
            clock = [result["clock"] for result in results]
            processor = statistics.median(result["processor"] for result in results)
            share = len(np.intersect1d(found[name], truth)) / max(len(truth), 1)
            print(
                f"{name} | {statistics.median(clock):.2f} [{min(clock):.2f}-{max(clock):.2f}] | "
                f"{processor:.2f} | "
                f"{max(result['peak'] for result in results):.0f} | {len(found[name]):,} | {share:.4f} | "
                f"{len(np.setdiff1d(found[name], truth))} | {work / processor:.0f} | "
                f"x {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | "
                f"{results[0]['told']}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--threshold", type=float, default=0.8)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=cores(), help="of every contender")
    parser.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], options.vectors, options.sizes[0], options.threshold, Path(options.one[1]))
        return
    show_setting("numpy", "torch")
    with tempfile.TemporaryDirectory() as folder:
        for count in options.sizes:
            contest(options, count, Path(folder))


if __name__ == "__main__":
    main()
