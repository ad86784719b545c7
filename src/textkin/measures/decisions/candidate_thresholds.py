"""All thresholds that give distinct decisions, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """All thresholds that give distinct decisions, highest first.

    The first one accepts no pair, the last one every pair with a finite score.

    Attributes:
        values: the thresholds. Shape [distinct finite scores + 1], like all arrays below.
        found: number of positive pairs that each threshold accepts.
        taken: number of pairs that each threshold accepts.
        positives: number of positive pairs.
    """

    values: NDArray[np.float32]
    found: NDArray[np.int64]
    taken: NDArray[np.int64]
    positives: int

    @property
    def precision(self) -> NDArray[np.float64]:
        """Precision at each threshold; 0 where no pair is accepted. Shape [thresholds]."""
        return np.asarray(self.found / np.maximum(self.taken, 1))

    @property
    def recall(self) -> NDArray[np.float64]:
        """Recall at each threshold, shape [thresholds]."""
        return np.asarray(self.found / self.positives)

    @classmethod
    def of(cls, same: NDArray[np.bool_], scores: NDArray[np.float32]) -> Cuts:
        """The thresholds of labelled scores.

        Args:
            same: True for positive pairs. Shape [pairs].
            scores: shape [pairs].
        """
        rising, step = np.unique(-scores, return_inverse=True)
        levels = -rising
        taken = np.cumsum(np.bincount(step))
        found = np.cumsum(np.bincount(step, weights=same)).astype(np.int64)
        middles = ((levels[:-1].astype(np.float64) + levels[1:]) / 2).astype(np.float32)
        # Nothing lies between two adjacent float32 numbers, so the upper one itself is the threshold.
        middles = np.where(middles > levels[1:], middles, levels[:-1])
        nothing = np.nextafter(levels[:1], np.float32(np.inf))
        values = np.concatenate((nothing, middles, levels[-1:]))
        kept = values > -np.inf
        found, taken = (np.concatenate(([0], counts))[kept] for counts in (found, taken))
        return cls(values[kept], found, taken, int(same.sum()))


def first_best(*keys: NDArray[Any]) -> int:
    """The first position with the largest first key; ties go to the largest second key."""
    chosen = np.arange(len(keys[0]))
    for key in keys:
        chosen = chosen[key[chosen] == key[chosen].max()]
    return int(chosen[0])
