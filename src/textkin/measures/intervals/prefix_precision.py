"""The share of pairs that are so among the first pairs of an order, for every number of them at once.

Each has a lower end as :func:`textkin.measures.intervals.proportions.clustered_share` gives it to one share:
Wilson's, with pairs that hang together counted as fewer. :func:`fallback` says which of many claims by such
ends may be made together.

Source: Wiens, "A fixed sequence Bonferroni procedure for testing multiple endpoints", Pharmaceutical
Statistics 2 (2003): hypotheses in an order that was fixed beforehand share a level; what one has spent in
vain is lost, and what it was right with goes on to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.measures.intervals.standard_errors import wilson

_Floats = NDArray[np.float64]
_Counts = NDArray[np.int64]


@final
@dataclass(frozen=True, slots=True, eq=False)
class FirstShares:
    """Shares among the first pairs; the arrays have the shape [numbers of pairs that were asked for].

    Attributes:
        share: how many are so, as a proportion.
        worth: how many independent pairs would tell as much.
        clusters: of how many clusters the pairs are.
    """

    share: _Floats
    worth: _Floats
    clusters: _Counts

    def lower(self, error: float, places: slice = slice(None)) -> _Floats:
        """The lower ends, each of which the true share is below with at most this probability.

        Args:
            error: the probability.
            places: which of the shares.
        """
        return self._ends(error, places)[0]

    def upper(self, error: float, places: slice = slice(None)) -> _Floats:
        """The upper ends, each of which the true share is above with at most this probability."""
        return self._ends(error, places)[1]

    def _ends(self, error: float, places: slice) -> tuple[_Floats, _Floats]:
        from scipy.special import stdtrit

        clusters = self.clusters[places]
        quantile: _Floats = -stdtrit(np.maximum(clusters - 1.0, 1.0), error)
        low, high = wilson(self.share[places], self.worth[places], quantile)
        return np.where(clusters > 1, low, 0.0), np.where(clusters > 1, high, 1.0)


def shares_of_first(so: NDArray[np.bool_], clusters: _Counts, firsts: _Counts) -> FirstShares:
    """The share that is so among the first pairs.

    Args:
        so: which pairs are, in their order. Shape [pairs].
        clusters: the cluster of each pair. Shape [pairs].
        firsts: how many pairs to take, 1 or more. Shape [numbers].
    """
    last = firsts - 1
    before, yes_before = _earlier(so, clusters)
    yes = np.cumsum(so)[last]
    share = yes / firsts
    # Sums over clusters of squares and products of their counts, each grown pair by pair.
    squares = np.cumsum((2 * yes_before + 1) * so)[last]
    products = np.cumsum(yes_before + so * (before + 1))[last]
    sizes = np.cumsum(2 * before + 1)[last]
    met = np.cumsum(before == 0)[last]
    off = np.maximum(squares - 2 * share * products + share**2 * sizes, 0.0)
    variance = off / firsts**2 * met / np.maximum(met - 1, 1)
    alone = share * (1 - share) / firsts
    # Where all or none are so, how alike the pairs of a cluster are can't be seen: entirely.
    effect = np.divide(variance, alone, out=firsts / met, where=alone > 0)
    return FirstShares(share, firsts / np.maximum(effect, 1.0), met)


def shares_found(clusters: _Counts, firsts: _Counts) -> FirstShares:
    """The share of all pairs that the first ones are: recall, of the pairs that are to be found.

    Args:
        clusters: the cluster of each pair, in the pairs' order. Shape [pairs].
        firsts: how many are taken. Shape [numbers].
    """
    pairs, last = len(clusters), np.maximum(firsts - 1, 0)
    sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    size = sizes[2][sizes[1]]
    before, _ = _earlier(np.ones(pairs, dtype=np.bool_), clusters)
    share = firsts / pairs
    squares = np.where(firsts > 0, np.cumsum(2 * before + 1)[last], 0)
    products = np.where(firsts > 0, np.cumsum(size)[last], 0)
    met = np.full(len(firsts), len(sizes[0]))
    off = np.maximum(squares - 2 * share * products + share**2 * float(np.sum(sizes[2] ** 2)), 0.0)
    variance = off / pairs**2 * met / np.maximum(met - 1, 1)
    alone = share * (1 - share) / pairs
    effect = np.divide(variance, alone, out=np.full(len(firsts), pairs / len(sizes[0])), where=alone > 0)
    return FirstShares(share, pairs / np.maximum(effect, 1.0), met)


def fallback(
    passes: Callable[[int, float], bool], starts: Sequence[bool], *, error: float, most: float
) -> list[int]:
    """Which of several claims may be made together, wrong with at most one probability (Wiens' procedure).

    Args:
        passes: whether a claim, by its number, passes a test that is wrong with a probability.
        starts: which claims get a part of ``error`` of their own; all parts are equal.
        error: the probability that any of the claims made is wrong.
        most: the largest for a single claim.
    """
    part, left, made = error / max(sum(starts), 1), 0.0, []
    for claim, begins in enumerate(starts):
        left += part if begins else 0.0
        if left > 0 and passes(claim, min(left, most)):
            made.append(claim)
        else:
            left = 0.0
    return made


def _earlier(so: NDArray[np.bool_], clusters: _Counts) -> tuple[_Counts, _Counts]:
    """How many pairs of its own cluster come before each pair, and how many of these are so."""
    order = np.argsort(clusters, kind="stable")
    beginning = np.concatenate(([True], np.diff(clusters[order]) != 0))
    start = np.flatnonzero(beginning)[np.cumsum(beginning) - 1]
    yes = np.concatenate(([0], np.cumsum(so[order])))
    before, yes_before = np.empty((2, len(so)), dtype=np.int64)
    before[order] = np.arange(len(so)) - start
    yes_before[order] = yes[:-1] - yes[start]
    return before, yes_before
