"""A round of the randomisation test of average precision, compared with scikit-learn, in turns.

Run: ``python benchmarks/bench_compare.py [PAIRS] [--rounds 1000] [--peer-rounds 20] [--turns 5]``

PAIRS is a file of labelled pairs; by default, the bundled ones. Two systems, TF-IDF of words and of letters,
swap the scores of some pairs, and both metrics are recomputed; ``compare`` and ``study`` do that 10,000
times for each comparison. The peer is the obvious code with scikit-learn: two calls of
``average_precision_score`` a round. The differences of the same swaps must agree.

Times are processor milliseconds per round, which other load hardly affects, with one thread; ratios are
within one turn. Scores are sorted once and compiled loops loaded before, as in a test of 10,000 rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from setting import show_setting
from textkin.data import samples
from textkin.data.readers.from_python import GivenData, loaded_pairs
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight
from textkin.text.baselines import build

Floats = NDArray[np.float64]
SYSTEMS = ("tfidf", "tfidf-char")


def scored(source: GivenData) -> tuple[Floats, list[Floats]]:
    """Labels and the scores of both systems, each as ranks within the system, as in the test."""
    pairs = loaded_pairs(source).data
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    scores = [build(name, fit_texts=texts).score(pairs.texts) for name in SYSTEMS]
    return pairs.labels, [np.unique(each, return_inverse=True)[1] / len(each) for each in scores]


def timed(work: Callable[[Floats], Floats], swaps: Floats) -> tuple[float, Floats]:
    """Processor milliseconds per round, and the result."""
    start = time.process_time()
    found = work(swaps)
    return 1000 * (time.process_time() - start) / swaps.shape[1], found


def main() -> None:
    """Measure and print."""
    from sklearn.metrics import average_precision_score

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pairs", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--peer-rounds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    show_setting("scikit-learn", "numba")
    labels, (a, b) = scored(asked.pairs or samples.pairs())
    print(f"{len(labels):,} pairs, {int(labels.sum()):,} of them the same")

    def by_peer(swaps: Floats) -> Floats:
        sides = [(np.where(moved, b, a), np.where(moved, a, b)) for moved in swaps.T]
        return np.array(
            [
                average_precision_score(labels, one) - average_precision_score(labels, other)
                for one, other in sides
            ]
        )

    ours = average_precision_by_weight.by_swap(labels, a, b, np.arange(len(labels)))
    draws = np.random.default_rng(0)
    ours(np.zeros((len(labels), 1)))  # loads or compiles
    own: list[float] = []
    ratios: list[float] = []
    for _ in range(asked.turns):
        swaps = draws.integers(0, 2, size=(len(labels), asked.rounds)).astype(np.float64)
        took, found = timed(ours, swaps)
        took_by_peer, expected = timed(by_peer, swaps[:, : asked.peer_rounds])
        if np.abs(found[: asked.peer_rounds] - expected).max() > 1e-9:
            sys.exit("the differences differ")
        own.append(took)
        ratios.append(took_by_peer / took)
    print(f"textkin       {statistics.median(own):6.3f} ms a round ({min(own):.3f} to {max(own):.3f})")
    print(f"scikit-learn  x {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}) of that")


if __name__ == "__main__":
    main()
