"""Equality of results on two hosts and in one process, with a million vectors and failures.

The hosts are two network namespaces connected by a virtual cable, each with a raylet of one core; this needs
root. Texts are encoded by the built-in encoder. During the survivors, the worker of the second host is
killed; during the pairs, its raylet, and the first host does the rest.

    python benchmarks/two_hosts.py questions.txt --count 1000000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hosts import two_hosts
from tests.vectors.on_ray.hosts import NETWORK, Trial

import textkin as tk
from setting import show_setting
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.greedy_filter import Survivors, survivors

DEEDS = {
    "survivors": ("ray::_run", ("home", "scores")),
    "pairs": ("raylet/raylet", ("rows", "columns", "scores")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("texts", type=Path, help="a text a line")
    parser.add_argument("--count", type=int, default=1_000_000, help="the first so many")
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument(
        "--after", type=int, default=1_000, help="pieces that are done when somebody is killed"
    )
    options = parser.parse_args()
    show_setting("ray")
    with options.texts.open(encoding="utf-8") as stream:
        texts = [line.rstrip("\n") for line in islice(stream, options.count)]
    vectors, order = tk.encode(texts), np.random.default_rng(2).permutation(len(texts))
    with tempfile.TemporaryDirectory() as folder, two_hosts(NETWORK) as hosts:
        np.save(f"{folder}/vectors.npy", vectors)
        np.save(f"{folder}/order.npy", order)
        trial = Trial(Path(folder), options.threshold, 0, options.after, store=2_000_000_000, patience=3_600)
        trial.start(hosts)
        for deed, (killed, fields) in DEEDS.items():
            start = time.perf_counter()
            there = trial.outcome(hosts, deed, killed)
            between = time.perf_counter()
            here, told = alone(deed, vectors, options.threshold, order)
            end = time.perf_counter()
            same = [
                there[key].tobytes() == getattr(here, name).tobytes()
                for key, name in zip("abc", fields, strict=False)
            ]
            print(
                f"{deed} of {len(vectors):,}: {told:,}; {there['slots']} hosts, {there['done']:,} pieces, "
                f"{killed} killed after {options.after:,}; equal to the byte: {all(same)}; "
                f"two hosts {between - start:.0f} s, one process {end - between:.0f} s",
                flush=True,
            )


def alone(
    deed: str, vectors: NDArray[np.float32], threshold: float, order: NDArray[np.int64]
) -> tuple[JoinedPairs | Survivors, int]:
    """The results of one process, and their number: pairs, or kept rows."""
    if deed == "pairs":
        pairs = pairs_above(vectors, threshold, quiet=True)
        return pairs, len(pairs.scores)
    stay = survivors(vectors, threshold, order)
    return stay, int((stay.home == np.arange(len(vectors))).sum())


if __name__ == "__main__":
    main()
