"""Overhead of watching on a matching request: scores are on disk before the answer.

Run: ``python benchmarks/bench_watch.py FOLDER [--calls 300]`` The scores of several texts per call are added
to a file of ``textkin collection watch`` in FOLDER, whose disk is measured. Most of the time is
the one wait for it (fsync).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from setting import show_setting
from textkin.collection.watch.reference import Reference
from textkin.collection.watch.watch_log import Beginning, WatchLog


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=int, default=300)
    options = parser.parse_args()
    show_setting("numpy")
    draws, synced = np.random.default_rng(0), list[float]()
    sync = os.fsync

    def timed(number: int) -> None:
        start = time.perf_counter()
        sync(number)
        synced.append(time.perf_counter() - start)

    os.fsync = timed  # type: ignore[assignment]
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        begun = Beginning(reference=Reference(draws.normal(0.6, 0.1, 2_000).astype(np.float32), "draws"))
        log = WatchLog(Path(folder) / "watch.jsonl", lambda _: begun)
        print(f"{'texts':>6} {'p50 ms':>8} {'p90 ms':>8} {'of p50 fsync':>13}")
        for texts in (1, 16, 256):
            took = []
            synced.clear()
            for _ in range(options.calls):
                scores = draws.normal(0.6, 0.1, texts).astype(np.float32)
                start = time.perf_counter()
                log.take(scores)
                took.append(time.perf_counter() - start)
            half, most = (np.percentile(took, share) * 1e3 for share in (50, 90))
            print(f"{texts:6} {half:8.2f} {most:8.2f} {np.median(synced) * 1e3:13.2f}")


if __name__ == "__main__":
    main()
