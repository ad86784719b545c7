"""The proportion of positives among the first pairs of an order, at many cutoffs at once.

Each proportion has the lower confidence bound of
:func:`textkin.measures.intervals.proportions.clustered_share`: Wilson's, with dependent pairs counted as
fewer. :func:`fallback` decides which of many claims by such bounds can be made together.

Source: Wiens, "A fixed sequence Bonferroni procedure for testing multiple endpoints", Pharmaceutical
Statistics 2 (2003). Hypotheses in a prespecified order share a level. A failed test loses its part of the
level, a successful one passes it on to the next.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints, is_new
from textkin.measures.intervals.standard_errors import wilson


@dataclass(frozen=True, slots=True, eq=False)
class FirstShares:
    """Proportions among the first pairs. All arrays have the shape [cutoffs].

    Attributes:
        share: proportion of positives.
        worth: effective number of independent pairs.
        clusters: number of clusters that the pairs belong to.
    """

    share: Floats
    worth: Floats
    clusters: Ints

    def lower(self, error: float, places: slice = slice(None)) -> Floats:
        """Lower confidence bounds, each wrong with probability ``error`` at most.

        Args:
            error: the error probability.
            places: positions of the proportions to use.
        """
        return self._ends(error, places)[0]

    def upper(self, error: float, places: slice = slice(None)) -> Floats:
        """Upper confidence bounds, each wrong with probability ``error`` at most."""
        return self._ends(error, places)[1]

    def _ends(self, error: float, places: slice) -> tuple[Floats, Floats]:
        from scipy.special import stdtrit

        clusters = self.clusters[places]
        quantile: Floats = -stdtrit(np.maximum(clusters - 1.0, 1.0), error)
        low, high = wilson(self.share[places], self.worth[places], quantile)
        return np.where(clusters > 1, low, 0.0), np.where(clusters > 1, high, 1.0)


def shares_of_first(so: Bools, clusters: Ints, firsts: Ints) -> FirstShares:
    """The proportion of positives among the first pairs.

    Args:
        so: True for positive pairs, in order. Shape [pairs].
        clusters: the cluster of each pair. Shape [pairs].
        firsts: cutoffs, 1 or more. Shape [cutoffs].
    """
    last = firsts - 1
    before, yes_before = _earlier(so, clusters)
    yes = np.cumsum(so)[last]
    share = yes / firsts
    # Sums over clusters of squares and products of their counts, updated pair by pair.
    squares = np.cumsum((2 * yes_before + 1) * so)[last]
    products = np.cumsum(yes_before + so * (before + 1))[last]
    sizes = np.cumsum(2 * before + 1)[last]
    met = np.cumsum(before == 0)[last]
    off = np.maximum(squares - 2 * share * products + share**2 * sizes, 0.0)
    variance = off / firsts**2 * met / np.maximum(met - 1, 1)
    alone = share * (1 - share) / firsts
    # If all or none are positive, the correlation within clusters is unknown: assume 1.
    effect = np.divide(variance, alone, out=firsts / met, where=alone > 0)
    return FirstShares(share, firsts / np.maximum(effect, 1.0), met)


def shares_found(clusters: Ints, firsts: Ints) -> FirstShares:
    """The proportion of all pairs that lie within each cutoff: recall, if the pairs are the positives.

    Args:
        clusters: the cluster of each pair, in order. Shape [pairs].
        firsts: cutoffs. Shape [cutoffs].
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
    """The claims that can be made together, with a joint error probability (Wiens' procedure).

    Args:
        passes: True if a claim, by its number, passes a test at an error probability.
        starts: True for claims with their own part of ``error``; all parts are equal.
        error: probability that any of the claims made is wrong.
        most: maximum error of a single claim.
    """
    part, left, made = error / max(sum(starts), 1), 0.0, []
    for claim, begins in enumerate(starts):
        left += part if begins else 0.0
        if left > 0 and passes(claim, min(left, most)):
            made.append(claim)
        else:
            left = 0.0
    return made


def _earlier(so: Bools, clusters: Ints) -> tuple[Ints, Ints]:
    """The number of earlier pairs in the same cluster, and of positives among them, for each pair."""
    order = np.argsort(clusters, kind="stable")
    beginning = is_new(clusters[order])
    start = np.flatnonzero(beginning)[np.cumsum(beginning) - 1]
    yes = np.concatenate(([0], np.cumsum(so[order])))
    before, yes_before = np.empty((2, len(so)), dtype=np.int64)
    before[order] = np.arange(len(so)) - start
    yes_before[order] = yes[:-1] - yes[start]
    return before, yes_before
