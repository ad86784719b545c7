"""Correlation of scores with graded labels, on any scales.

A weight counts as that number of repetitions of the pair.
"""

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats, Ints
from textkin.data.protocols import BySwap, ByWeight, SwapMeasure
from textkin.measures.metrics.weighted import check_pairs, in_blocks, quotient, running_sums, single, sums_by


def spearman(labels: Floats, scores: Floats, *, weights: Floats | None = None) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN where either side is constant.

    All of shape [pairs].
    """
    return single(spearman_by_weight, labels, scores, weights)


def pearson_by_weight(labels: Floats, scores: Floats, /) -> ByWeight:
    """Pearson's correlation, prepared for resampling; NaN where either side is constant."""
    check_pairs(labels, scores)
    x, y = (_standardised(side)[:, None] for side in (labels, scores))
    return lambda weights: _correlation(x, y, weights)


class _Spearman:
    """:func:`spearman`, prepared for resampling.

    With integer weights, all sums are integers, and therefore exact.
    """

    def __call__(self, labels: Floats, scores: Floats, /) -> ByWeight:
        check_pairs(labels, scores)
        level_x, level_y = (np.unique(side, return_inverse=True)[1] for side in (labels, scores))
        sums_x, sums_y = (sums_by(level, int(level.max(initial=-1)) + 1) for level in (level_x, level_y))

        def figure(weights: Floats) -> Floats:
            ranks_x, spread_x = _centred_ranks(sums_x(weights))
            ranks_y, spread_y = _centred_ranks(sums_y(weights))
            weighted = ranks_y[level_y]
            weighted *= weights
            return _cosine(np.einsum("gr,gr->r", sums_x(weighted), ranks_x), spread_x, spread_y)

        return in_blocks(figure, rows=len(labels))

    def by_swap(self, labels: Floats, scores_a: Floats, scores_b: Floats, units: Ints, /) -> BySwap:
        """The difference of the correlations under swaps, A minus B.

        A swap never changes the ranks of the labels, and takes from B what it adds to A. So A's sums over
        levels of the score determine B's.
        """
        check_pairs(labels, scores_a)
        check_pairs(labels, scores_b)
        levels, level = np.unique(np.concatenate((scores_a, scores_b)), return_inverse=True)
        label, counts = np.unique(labels, return_inverse=True, return_counts=True)[1:]
        of_labels, spread_x = _centred_ranks(counts[:, None].astype(np.float64))
        ranks_x = of_labels[label, 0]
        members = _SwappedSums(np.ones(len(labels)), level, units, levels=len(levels))
        shared = _SwappedSums(ranks_x, level, units, levels=len(levels))
        both_ranks = _centred_ranks(members.both)[0]

        def figure(swapped: Floats) -> Floats:
            of_a = members.of_a(swapped)
            ranks, spread = _centred_ranks(of_a)
            with_x = shared.of_a(swapped)
            value = _cosine(np.einsum("gr,gr->r", with_x, ranks), spread_x, spread)
            np.subtract(both_ranks, ranks, out=ranks)
            np.subtract(members.both, of_a, out=of_a)
            np.subtract(shared.both, with_x, out=with_x)
            spread = np.einsum("gr,gr,gr->r", of_a, ranks, ranks)
            return value - _cosine(np.einsum("gr,gr->r", with_x, ranks), spread_x, spread)

        return in_blocks(figure, rows=len(levels))


spearman_by_weight: SwapMeasure = _Spearman()
""":func:`spearman`, prepared for resampling."""


class _SwappedSums:
    """Sums over levels of the scores that belong to A while some units are swapped.

    Args:
        values: values of the pairs, shape [pairs].
        level: levels of A's scores, then of B's, shape [2 * pairs].
        units: unit of each pair, shape [pairs].
        levels: number of levels.
    """

    def __init__(self, values: Floats, level: Ints, units: Ints, *, levels: int) -> None:
        own, other = (
            np.bincount(side, weights=values, minlength=levels)[:, None].astype(np.float64)
            for side in np.split(level, 2)
        )
        self.own, self.both = own, own + other
        entries = np.concatenate((-values, values)), (level, np.tile(units, 2))
        self._gain = csr_array(entries, shape=(levels, int(units.max(initial=-1)) + 1))

    def of_a(self, swapped: Floats) -> Floats:
        """The sums of A. [units, rounds] -> [levels, rounds]."""
        sums = np.asarray(self._gain @ swapped)
        sums += self.own
        return sums


def _centred_ranks(counts: Floats) -> tuple[Floats, Floats]:
    """Twice the distance of each group's mean rank from the middle, and the sum of its squares.

    The sum is over all members, and exactly zero if only one group has any. Shapes [groups, rounds] and
    [rounds].
    """
    ranks = running_sums(counts)
    total = ranks[-1:].copy()
    ranks *= 2
    ranks -= counts
    ranks -= total
    return ranks, np.einsum("gr,gr,gr->r", counts, ranks, ranks)


def _cosine(shared: Floats, spread_x: Floats, spread_y: Floats) -> Floats:
    return np.clip(quotient(shared, np.sqrt(spread_x * spread_y)), -1.0, 1.0)


def _correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (side - (weights * side).sum(axis=0) / total for side in (x, y))
        spread_x, spread_y = ((weights * side * side).sum(axis=0) / total for side in (x, y))
        shared = (weights * x * y).sum(axis=0) / total
        # Rounding leaves a tiny spread where there is none.
        defined = (spread_x > 1e-24) & (spread_y > 1e-24)
        return np.where(defined, np.clip(shared / np.sqrt(spread_x * spread_y), -1.0, 1.0), np.nan)


def _standardised(values: Floats) -> Floats:
    spread = values.std()
    centred: Floats = values - values.mean()
    return centred / float(spread) if spread > 0 else centred
