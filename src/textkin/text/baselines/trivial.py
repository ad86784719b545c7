"""Scorers that don't read the texts: what a measure gives for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.text.stable_hash import stable_hash


@final
class Constant:
    """The same score for every pair, so that the tie rule alone makes the ranking."""

    name = "constant"

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Zeros, shape [pairs]."""
        return np.zeros(len(text_pairs_of(pairs)), dtype=np.float32)


@final
class Random:
    """A uniform score in [0, 1) that depends on the two texts and the seed alone."""

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """The similarity of each pair, shape [pairs]."""
        # The length keeps ("ab", "c") and ("a", "bc") apart; 24 bits are what a float32 holds exactly.
        hashes = [stable_hash(f"{len(a)}:{a}{b}", seed=self.seed) >> 40 for a, b in text_pairs_of(pairs)]
        return (np.array(hashes, dtype=np.float64) / 2**24).astype(np.float32)


@final
class SourceOrder:
    """Candidates in the order of the source: the first of a run of equal first texts scores 0, the next -1.

    The only scorer that looks at the neighbours of a pair: give it all candidates of a query in one call.
    """

    name = "order"

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Minus the position within the run, shape [pairs]."""
        pairs = text_pairs_of(pairs)
        scores = np.zeros(len(pairs), dtype=np.float32)
        for place in range(1, len(pairs)):
            if pairs[place][0] == pairs[place - 1][0]:
                scores[place] = scores[place - 1] - 1
        return scores
