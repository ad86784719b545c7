"""Search among a million phrases: exactly by short rows, in cells, and by codes in cells.

Vectors are drawn in clusters of clusters whose axes fall in strength, as those of trained encoders do;
questions lie near phrases. Recall is measured against exact search, on questions that built nothing.

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

from textkin.index.phrases.build import PhraseData, PhraseIndexOptions, build_phrases
from textkin.index.phrases.exact import PhraseSearch
from textkin.index.phrases.recall import measured_recall
from textkin.index.phrases.search import PhraseIndex
from textkin.protocols import PhraseVectors
from textkin.provenance import machine

EACH = 1000  # phrases of a passage
QUESTIONS = 200


@dataclass
class Drawn:
    """Phrases whose vectors are drawn: passage n has those of cluster n."""

    dim: int
    name: str = "drawn"

    def __post_init__(self) -> None:
        self._strength = (1 / np.sqrt(1 + np.arange(self.dim))).astype(np.float32)
        self._topics = self._normal(1 << 20, 200)

    def phrases(self, passages: Sequence[str]) -> list[PhraseVectors]:
        """Those of the clusters that the passages name."""
        offsets = np.stack((np.arange(EACH), np.arange(EACH) + 1), axis=1)
        return [PhraseVectors(offsets, self._passage(int(text.split()[0]))) for text in passages]

    def questions(self, questions: Sequence[str]) -> NDArray[np.float32]:
        """None: they are drawn."""
        raise NotImplementedError

    def near(self, count: int, passages: int) -> NDArray[np.float32]:
        """Questions: phrases of any passage, moved."""
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


def milliseconds(search: PhraseSearch, questions: NDArray[np.float32]) -> tuple[float, float]:
    """The median and the ninth decile of single questions, after a few that warm up."""
    taken = []
    for number in range(len(questions)):
        start = time.perf_counter()
        search.nearest(questions[number : number + 1], 10)
        taken.append(1000 * (time.perf_counter() - start))
    return float(np.median(taken[5:])), float(np.quantile(taken[5:], 0.9))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phrases", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=512)
    parser.add_argument("--cells", type=int, default=1024)
    parser.add_argument("--probe", type=int, default=32)
    parser.add_argument("--code-bytes", type=int, default=64)
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
    cells = {"cells": options.cells, "probe": options.probe, "refine": options.refine}
    kinds = {
        "exact": PhraseIndexOptions(),
        "cells": PhraseIndexOptions(**cells),
        "codes": PhraseIndexOptions(**cells, code_bytes=options.code_bytes),
    }
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        exact = None
        for name, kind in kinds.items():
            start = time.perf_counter()
            manifest = build_phrases(data, Path(work) / name, encoder, kind)
            built = time.perf_counter() - start
            with PhraseIndex(Path(work) / name) as index:
                search = index._search
                exact = exact or search
                median, slow = milliseconds(search, questions)
                used = manifest["files"].get("cells.faiss") or {"bytes": 0}
                short = manifest["files"].get("short.npy") or {"bytes": 0}
                print(
                    f"{name}: {median:.1f} ms a question (90 % within {slow:.1f}), built in {built:.0f} s, "
                    f"{manifest['bytes'] / manifest['phrases']:,.0f} bytes a phrase on the disk "
                    f"(cells {used['bytes'] / manifest['phrases']:,.0f}, short rows "
                    f"{short['bytes'] / manifest['phrases']:,.0f}); {manifest['short']}",
                    flush=True,
                )
                if search is not exact:
                    for found in measured_recall(exact, search, questions, of="questions"):
                        print(f"  {found.sentence()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
