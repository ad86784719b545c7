"""The best pairs found so far, and the score that further pairs must exceed."""

from __future__ import annotations

import threading
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.vectors.join.pair_list import Pairs, best_first, joined

_SPARE = 4096


@final
class BestPairs:
    """A thread-safe list of the best pairs.

    Args:
        count: maximum number of pairs.
        threshold: minimum score in any case.
    """

    def __init__(self, count: int, threshold: np.float32) -> None:
        self._count = count
        self._pairs: list[Pairs] = []
        self._held = 0
        self._lock = threading.Lock()
        self._last: tuple[float, int, int] | None = None
        self._threshold = threshold

    @property
    def threshold(self) -> np.float32:
        """The current minimum score of a further pair."""
        return self._threshold

    def add(self, pairs: Pairs) -> Pairs:
        """Add pairs, and return those that may be among the best."""
        with self._lock:
            kept = pairs if self._last is None else pairs[_before(pairs, self._last)]
            self._pairs.append(kept)
            self._held += len(kept)
            if self._held >= 2 * self._count + _SPARE:
                best = best_first(joined(self._pairs))[: self._count]
                self._pairs, self._held = [best], len(best)
                last = best[-1]
                self._last = last["score"], last["row"], last["column"]
                self._threshold = last["score"]
            return kept

    def excludes(self, row: int) -> bool:
        """True if no pair of this or a later row can be among the best.

        This needs a full list of pairs that all have the highest score.
        """
        last = self._last
        return last is not None and last[0] >= 1 and row > last[1]


def _before(pairs: Pairs, last: tuple[float, int, int]) -> NDArray[np.bool_]:
    score, row, column = last
    earlier = (pairs["row"] < row) | ((pairs["row"] == row) & (pairs["column"] < column))
    found: NDArray[np.bool_] = (pairs["score"] > score) | ((pairs["score"] == score) & earlier)
    return found
