"""Search among a million phrases: exact with short rows, in cells, and with codes in cells.

Vectors are drawn in nested clusters with decreasing variance by axis, like those of trained encoders;
questions are near phrases. Recall is measured against exact search, on questions not used for building.

    python benchmarks/bench_phrases.py [--phrases 1000000] [--dim 512] [--work FOLDER]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textkin.collection.phrases.build import PhraseData, build_phrases
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.search import PhraseIndex
from textkin.data.protocols import PhraseVectors
from textkin.models.provenance import machine
from textkin.vectors.index.recall import PhraseSearch, measured_recall

EACH = 1000  # phrases of a passage
QUESTIONS = 200
TIMED = 60


@dataclass
class Drawn:
    """Phrases with random vectors: passage n has those of cluster n."""

    dim: int
    name: str = "drawn"

    def __post_init__(self) -> None:
        self._strength = (1 / np.sqrt(1 + np.arange(self.dim))).astype(np.float32)
        self._topics = self._normal(1 << 20, 200)

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """The phrases of the clusters that the passages name."""
        offsets = np.stack((np.arange(EACH), np.arange(EACH) + 1), axis=1)
        return [PhraseVectors(offsets, self._passage(int(text.split()[0]))) for text in passages]

    def questions(self, questions: Sequence[str]) -> NDArray[np.float32]:
        """None: questions are drawn."""
        raise NotImplementedError

    def near(self, count: int, passages: int) -> NDArray[np.float32]:
        """Questions: phrases of random passages, perturbed."""
        rng = np.random.default_rng(7)
        rows = [self._passage(int(rng.integers(passages)))[int(rng.integers(EACH))] for _ in range(count)]
        return np.array(rows) + 0.35 * self._normal(1 << 21, count)

    def _passage(self, number: int) -> NDArray[np.float32]:
        centre = self._topics[number % len(self._topics)] + 0.7 * self._normal(number, 1)
        kinds = centre + 0.5 * self._normal((1 << 22) + number, 40)
        chosen = np.random.default_rng((1 << 23) + number).integers(0, 40, EACH)
        rows = kinds[chosen] + 0.35 * self._normal((1 << 24) + number, EACH)
        return rows.astype(np.float32)

    def _normal(self, seed: int, count: int) -> NDArray[np.float32]:
        drawn = np.random.default_rng(seed).standard_normal((count, self.dim), dtype=np.float32)
        return drawn * self._strength


def timed(search: PhraseSearch, questions: NDArray[np.float32]) -> str:
    """Milliseconds of single questions after a warm-up, by the wall clock and by processor time.

    On a busy machine, the latter show the time on one idle core.
    """
    taken, worked = [], []
    for number in range(min(len(questions), TIMED)):
        start, begun = time.perf_counter(), time.process_time()
        search.nearest(questions[number : number + 1], 10)
        taken.append(1000 * (time.perf_counter() - start))
        worked.append(1000 * (time.process_time() - begun))
    return (
        f"{np.median(taken[5:]):.1f} ms a question (90 % within {np.quantile(taken[5:], 0.9):.1f}), "
        f"{np.median(worked[5:]):.1f} ms of processor time"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phrases", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--cells", type=int, default=1024)
    parser.add_argument("--probe", type=int, default=32)
    parser.add_argument("--code-bytes", type=int, nargs="+", default=[0, 64], help="0 for whole vectors")
    parser.add_argument("--refine", type=int, default=200)
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    encoder = Drawn(options.dim)
    passages = options.phrases // EACH
    text = "x" * (EACH + 10)
    data = PhraseData(
        lambda: ((str(number), f"{number} {text}") for number in range(passages)), passages, "drawn", "drawn"
    )
    questions = encoder.near(QUESTIONS, passages)
    print(f"{passages * EACH:,} phrases of {options.dim} dimensions; {machine()}", flush=True)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        for count, code_bytes in enumerate(options.code_bytes):
            kind = PhraseIndexOptions(
                cells=options.cells, probe=options.probe, refine=options.refine, bytes_per_vector=code_bytes
            )
            start = time.perf_counter()
            folder = Path(work) / str(code_bytes)
            manifest = build_phrases(data, folder, encoder, kind)
            name = f"cells, {code_bytes} bytes a code" if code_bytes else "cells, whole vectors"
            each = {key: file.bytes / manifest.phrases for key, file in manifest.files.items()}
            print(
                f"built in {time.perf_counter() - start:.0f} s, "
                + ", ".join(f"{key} {size:,.0f}" for key, size in each.items())
                + f" bytes a phrase; {manifest.short}",
                flush=True,
            )
            with PhraseIndex(folder) as index:
                exact = None if index._exact is None else index._exact()
                if exact is not None and not count:
                    print(f"exact: {timed(exact, questions)}", flush=True)
                print(f"{name}: {timed(index._search, questions)}", flush=True)
                known = index.recall
                if exact is not None:
                    known = measured_recall(exact, index._search, questions, of="questions")
                for found in known:
                    print(f"  {found.sentence()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
