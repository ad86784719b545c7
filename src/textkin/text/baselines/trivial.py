"""Scorers that don't read the texts: the values of metrics without any information."""

from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.python_inputs import one_or_several, text_pairs_of
from textkin.text.stable_hash import stable_hash


class Constant:
    """The same score for every pair, so that the ranking is the tie rule alone."""

    name = "constant"

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """Zeros, shape [pairs]."""
        return np.zeros(len(text_pairs_of(pairs)), dtype=np.float32)


class Random:
    """A uniform score in [0, 1) that depends only on the two texts and the seed."""

    name = "random"

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The similarity of each pair, shape [pairs]."""
        # The length separates ("ab", "c") from ("a", "bc"). A float32 represents 24 bits exactly.
        hashes = [stable_hash(f"{len(a)}:{a}{b}", seed=self.seed) >> 40 for a, b in text_pairs_of(pairs)]
        return (np.array(hashes, dtype=np.float64) / 2**24).astype(np.float32)


class SourceOrder:
    """Candidates in source order: the first of a run of equal first texts scores 0, the next -1.

    The only scorer that depends on a pair's neighbours: pass all candidates of a query in one call.
    """

    name = "order"

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """Minus the position within the run, shape [pairs]."""
        pairs = text_pairs_of(pairs)
        scores = np.zeros(len(pairs), dtype=np.float32)
        for place in range(1, len(pairs)):
            if pairs[place][0] == pairs[place - 1][0]:
                scores[place] = scores[place - 1] - 1
        return scores
