"""The main metrics of a system on a suite, compared with the definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.data.protocols import Side
from textkin.data.records import DuplicateSet, LabelKind, Pair, PairSet, Qrels, RetrievalSet, Suite
from textkin.kinds.suite_figures import name_of_figure, suite_figures

ANGLES = {"a": 0.0, "b": 0.2, "c": 0.5, "d": 1.2, "e": 1.3}
TEXTS = {name: f"text {name}" for name in ANGLES}


class Circle:
    """An encoder into the plane."""

    name = "circle"
    dim = 2

    def encode(self, texts: Sequence[str], *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        found = [ANGLES[text[-1]] for text in texts]
        return np.array([[math.cos(x), math.sin(x)] for x in found], dtype=np.float32).reshape(-1, 2)

    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        a, b = (self.encode(side) for side in zip(*pairs, strict=True))
        return (a * b).sum(axis=1)


def test_each_part_has_its_main_figure() -> None:
    labelled = [("a", "b", 1.0), ("b", "c", 0.0), ("c", "d", 1.0), ("d", "e", 0.0)]
    pairs = tuple(Pair(TEXTS[a], TEXTS[b], label) for a, b, label in labelled)
    queries = {"q": TEXTS["b"]}
    suite = Suite(
        pairs=PairSet(pairs, LabelKind.BINARY),
        duplicates=DuplicateSet(TEXTS, (("a", "b"), ("c", "d"))),
        collection=RetrievalSet(TEXTS, queries, Qrels.from_dict({"q": {"c": 1}})),
    )
    found = suite_figures(Circle(), suite)
    # By nearness: d e (0), a b (1), b c (0), c d (1): the positives are second and fourth.
    # All pairs: d e, a b, b c, a c, c d, ...: the duplicates are second and fifth.
    # From b: b itself, a, c: the relevant one is third.
    assert found == pytest.approx(
        {
            "pairs AP": (1 / 2 + 2 / 4) / 2,
            "mining AP": (1 / 2 + 2 / 5) / 2,
            "search nDCG@10": 1 / math.log2(4),
        }
    )
    assert list(found) == [name_of_figure(part) for part in ("pairs", "mining", "search")]
