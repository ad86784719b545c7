"""Every threshold that decides otherwise on some pairs than the others, and which one is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Every threshold that decides differently, highest first: none of the pairs, ..., all that were found.

    Attributes:
        values: the thresholds. Shape [distinct finite scores + 1], as all below.
        found: how many of the same pairs each takes.
        taken: how many pairs each takes.
        positives: how many pairs are the same.
    """

    values: NDArray[np.float32]
    found: NDArray[np.int64]
    taken: NDArray[np.int64]
    positives: int

    @property
    def precision(self) -> NDArray[np.float64]:
        """Of what each takes; 0 where that is nothing. Shape [thresholds]."""
        return np.asarray(self.found / np.maximum(self.taken, 1))

    @property
    def recall(self) -> NDArray[np.float64]:
        """Of each, shape [thresholds]."""
        return np.asarray(self.found / self.positives)

    @classmethod
    def of(cls, same: NDArray[np.bool_], scores: NDArray[np.float32]) -> Cuts:
        """All of them.

        Args:
            same: which pairs are the same. Shape [pairs].
            scores: shape [pairs].
        """
        rising, step = np.unique(-scores, return_inverse=True)
        levels = -rising
        taken = np.cumsum(np.bincount(step))
        found = np.cumsum(np.bincount(step, weights=same)).astype(np.int64)
        middles = ((levels[:-1].astype(np.float64) + levels[1:]) / 2).astype(np.float32)
        # Between neighbouring float32 numbers there is nothing: the upper one itself divides them.
        middles = np.where(middles > levels[1:], middles, levels[:-1])
        nothing = np.nextafter(levels[:1], np.float32(np.inf))
        values = np.concatenate((nothing, middles, levels[-1:]))
        kept = values > -np.inf
        found, taken = (np.concatenate(([0], counts))[kept] for counts in (found, taken))
        return cls(values[kept], found, taken, int(same.sum()))


def first_best(*keys: NDArray[Any]) -> int:
    """The first position with the largest first key, among equals the largest second key."""
    chosen = np.arange(len(keys[0]))
    for key in keys:
        chosen = chosen[key[chosen] == key[chosen].max()]
    return int(chosen[0])
