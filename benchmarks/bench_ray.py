"""The overhead of Ray compared with one process, and a model of the costs on many machines.

The ratio: pairs and survivors of the same vectors, by one process and by Ray's workers on the same cores, in
turns. Ray's start-up time is given separately. The results are compared byte by byte.

The model: constants measured here, in one formula, for numbers of texts and machines not available here; the
order in which workers get their pieces, which the formula doesn't cover, is simulated.

    python benchmarks/bench_ray.py questions.txt --count 100000 --turns 3
    python benchmarks/bench_ray.py questions.txt --model-only
"""

from __future__ import annotations

import argparse
import heapq
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import textkin as tk
from textkin.vectors.join.all_pairs import pairs_above
from textkin.vectors.join.greedy_filter import plan_for, survivors
from textkin.vectors.join.pair_list import PAIR
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.on_ray.blocks import (
    BLOCK,
    MOST_FOUND,
    Block,
    Crew,
    PairsAsked,
    block_size,
    similar_pairs,
)
from textkin.vectors.on_ray.distributed_engine import SeveralMachines
from textkin.vectors.on_ray.ray_workers import ray_workers
from textkin.vectors.on_ray.workers import Workers

NETWORK = 10.0  # gigabits per second, of the client machine
CORES = 16  # of a machine
SIZES = (10**6, 10**7, 10**8)
MACHINES = (1, 10, 100)


@dataclass(frozen=True)
class Constants:
    """The costs of one core, in seconds, and of transfers, in bytes."""

    pair: float  # per compared pair of rows
    text: float  # per encoded text
    task: float  # per empty piece of work
    row: float  # bytes per row in a block
    prepared: float  # seconds of this process per row in a block

    def told(self) -> str:
        return (
            f"{self.pair * 1e9:.3f} ns a pair, {self.text * 1e6:.1f} µs a text, "
            f"{self.task * 1e3:.2f} ms a piece, {self.row:.0f} bytes a row, "
            f"{self.prepared * 1e6:.2f} µs to prepare a row"
        )


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def worked(piece: int) -> tuple[int, float]:
    """This worker's id, and its processor seconds."""
    time.sleep(0.05)  # so that each worker gets some of these pieces
    return os.getpid(), time.process_time()


def processor(workers: Workers) -> float:
    """The processor seconds of this process and all workers."""
    each = dict(workers.result(one) for one in [workers.submit(worked, n) for n in range(6 * workers.slots)])
    return time.process_time() + sum(each.values())


def taken(workers: Workers, work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and processor seconds; the latter hardly depend on other load."""
    before = processor(workers)
    clock = seconds(work)
    return clock, processor(workers) - before


def nothing(piece: int) -> int:
    return piece


def ratio(workers: Workers, vectors: np.ndarray, threshold: float, turns: int, block: int | None) -> None:
    engine, order = SeveralMachines(Crew(workers, block)), np.arange(len(vectors))
    cases: dict[str, tuple[Callable[[], Any], Callable[[], Any], tuple[str, ...]]] = {
        "pairs": (
            lambda: pairs_above(vectors, threshold, quiet=True),
            lambda: engine.pairs_above(vectors, threshold, quiet=True),
            ("rows", "columns", "scores"),
        ),
        "survivors": (
            lambda: survivors(vectors, threshold, order),
            lambda: engine.survivors(vectors, threshold, order),
            ("home", "scores"),
        ),
    }
    for name, (alone, there, fields) in cases.items():
        print(f"{name}: warming up", flush=True)
        one, other = alone(), there()
        same = all(getattr(one, key).tobytes() == getattr(other, key).tobytes() for key in fields)
        found = [(taken(workers, alone), taken(workers, there)) for _ in range(turns)]
        print(f"{name} of {len(vectors):,}: equal to the byte: {same}; {getattr(other, 'method', '')}")
        for place, unit in enumerate(("s by the clock", "s of a processor")):
            ratios = sorted(b[place] / a[place] for a, b in found)
            for a, b in found:
                print(f"  one process {a[place]:.2f}, Ray {b[place]:.2f} {unit}")
            print(f"  ratio {np.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)


def measured(workers: Workers, vectors: np.ndarray, texts: list[str], threshold: float) -> Constants:
    """The constants, in processor seconds, which hardly depend on other load."""
    rows = by_cosine(vectors)
    plan = plan_for(rows, threshold)
    some = min(BLOCK, len(rows) // 2)
    left, right = (Block.of(rows[start : start + some], plan, start=start) for start in (0, some))
    asked = PairsAsked((0, some), threshold)
    encoder, part, pieces = tk.load_encoder(), texts[:20_000], 2_000
    engine = SeveralMachines(Crew(workers))
    size = sum(one.nbytes for one in (left.values, left.squares, left.table, left.errors, left.lengths))
    return Constants(
        pair=worked_for(lambda: similar_pairs(left, right, asked)) / some**2,
        text=worked_for(lambda: encoder.encode(part)) / len(part),
        task=taken(workers, lambda: list(engine.each(plus_nothing, 0, range(pieces))))[1] / pieces,
        row=size / some,
        prepared=worked_for(lambda: Block.of(rows[:some], plan, start=0)) / some,
    )


def worked_for(work: Callable[[], object]) -> float:
    """This process's processor seconds, the minimum of three; the first run isn't counted."""
    found = []
    for _ in range(4):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found[1:])


def plus_nothing(given: int, piece: int) -> int:
    return given + piece


@dataclass(frozen=True)
class Cost:
    """The cost of mining."""

    pieces: int
    stored: float  # bytes, in all blocks
    sent: float  # bytes, to all machines together
    worker: float  # bytes, of a worker
    hours: float


def cost(constants: Constants, texts: int, machines: int) -> Cost:
    """The formula, with the order of pieces simulated.

    Each machine gets each block once, via the network of the one client process. Pieces go to the first free
    worker, no faster than that process starts and merges them.
    """
    block = block_size(texts)
    blocks = -(-texts // block)
    pieces = blocks * (blocks + 1) // 2
    stored = texts * constants.row
    sent = stored * (machines - 1)
    worker = 2 * 2 * block * constants.row + 2 * MOST_FOUND * PAIR.itemsize  # short rows are copied
    prepare = texts * constants.prepared + sent * 8 / (NETWORK * 1e9)  # the client process does both
    encode = texts * constants.text / (machines * CORES)
    each = constants.pair * block**2 + constants.task
    join = makespan(pieces, each, machines * CORES, constants.task)
    return Cost(pieces, stored, sent, worker, (encode + max(prepare, join)) / 3600)


def makespan(pieces: int, each: float, workers: int, task: float) -> float:
    """Seconds until the last of many equal pieces is done, with one process distributing them."""
    free = [0.0] * workers
    given = 0.0
    for _ in range(pieces):
        given += task / 2
        heapq.heapreplace(free, max(free[0], given) + each)
    return max(free)


def table(constants: Constants) -> None:
    print("| texts | machines | pieces | blocks hold | sent | a worker holds | hours |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for texts in SIZES:
        for machines in MACHINES:
            one = cost(constants, texts, machines)
            print(
                f"| {texts:,} | {machines} | {one.pieces:,} | {one.stored / 1e9:,.1f} GB | "
                f"{one.sent / 1e9:,.1f} GB | {one.worker / 1e6:,.0f} MB | {one.hours:,.3g} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="a text a line")
    parser.add_argument("--count", type=int, default=100_000, help="the first so many")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--block", type=int, help="rows of a block; as textkin chooses if left out")
    parser.add_argument(
        "--model-only", action="store_true", help="measure constants, and leave the ratio out"
    )
    options = parser.parse_args()
    with options.texts.open(encoding="utf-8") as stream:
        texts = [line.rstrip("\n") for line in islice(stream, options.count)]
    vectors = tk.encode(texts)
    start = time.perf_counter()
    with ray_workers(None) as workers:
        workers.result(workers.submit(nothing, 0))
        print(f"Ray with {workers.slots} cores: started in {time.perf_counter() - start:.1f} s", flush=True)
        if not options.model_only:
            ratio(workers, vectors, options.threshold, options.turns, options.block)
        constants = measured(workers, vectors, texts, options.threshold)
    print(constants.told())
    table(constants)


if __name__ == "__main__":
    main()
