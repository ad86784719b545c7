"""Parity of two models: cosines, and changes in rankings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from textkin.base.arrays import Floats32
from textkin.text.baselines.mean_pooling import row_cosines, unit_rows

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Parity:
    """The agreement of an export with its original.

    Attributes:
        measure: "cosine" between two vectors of a text, or "difference" between two scores of a pair (for a
            classifier, two probabilities), which is never negative.
        count: the number of texts or pairs.
        mean: the mean of the measure.
        worst: the lowest cosine, or the largest difference.
        rank_change: the largest rank change among the 10 nearest neighbours of a text in the sample; for
            pairs, among the 10 candidates of a text. None for classifiers.
        same: the fraction of texts whose 10 nearest neighbours (or candidates) keep their order; for
            classifiers, the fraction of pairs with the same class.
    """

    measure: Literal["cosine", "difference"]
    count: int
    mean: float
    worst: float
    rank_change: int | None
    same: float


def parity_of_vectors(original: Floats32, export: Floats32) -> Parity:
    """Compare the vectors of the same texts, shape [texts, dim] each, ignoring their lengths.

    The zero vector equals itself only.
    """
    cosines = row_cosines(original.astype(np.float64), export.astype(np.float64))
    scores = []
    for vectors in (original, export):
        units = unit_rows(vectors)
        scores.append(units @ units.T)
        np.fill_diagonal(scores[-1], -np.inf)
    change, same = _ranks(*scores, depth=min(DEPTH, len(original) - 1))
    return Parity("cosine", len(cosines), float(cosines.mean()), float(cosines.min()), change, same)


def parity_of_scores(original: Floats32, export: Floats32) -> Parity:
    """Compare the scores of the same candidates, shape [texts, candidates] each."""
    gaps = np.abs(original.astype(np.float64) - export)
    change, same = _ranks(original, export, depth=original.shape[1])
    return Parity("difference", gaps.size, float(gaps.mean()), float(gaps.max()), change, same)


def parity_of_classes(original: Floats32, export: Floats32) -> Parity:
    """Compare the probabilities of the same pairs, shape [pairs, classes] each."""
    gaps = np.abs(original.astype(np.float64) - export)
    same = float((original.argmax(axis=1) == export.argmax(axis=1)).mean())
    return Parity("difference", len(gaps), float(gaps.mean()), float(gaps.max()), None, same)


def pairs_of(texts: Sequence[str], *, count: int = DEPTH) -> list[tuple[str, str]]:
    """Each text paired with the ``count`` texts after it, cyclically."""
    around = range(1, min(count, len(texts) - 1) + 1)
    return [(text, texts[(place + step) % len(texts)]) for place, text in enumerate(texts) for step in around]


def _ranks(a: Floats32, b: Floats32, *, depth: int) -> tuple[int, float]:
    """The largest rank change among the ``depth`` best, and the fraction of rows that kept them."""
    first, second = (np.argsort(-one, axis=1, kind="stable") for one in (a, b))
    ranks = np.argsort(second, axis=1)
    moved = np.abs(np.take_along_axis(ranks, first[:, :depth], axis=1) - np.arange(depth))
    return int(moved.max(initial=0)), float((moved == 0).all(axis=1).mean())
