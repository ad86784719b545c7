"""Agreement of scores with graded labels; any scale of either.

Weighted forms equal the plain ones on data in which every pair is repeated as often as its weight says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.metrics.weighting import check_pairs, quotient, single, sums_by
from textkin.protocols import ByWeight

_Floats = NDArray[np.float64]


def pearson(labels: _Floats, scores: _Floats, *, weights: _Floats | None = None) -> float:
    """Pearson's correlation; NaN where either side is constant. All of shape [pairs]."""
    return single(pearson_by_weight, labels, scores, weights)


def spearman(labels: _Floats, scores: _Floats, *, weights: _Floats | None = None) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN where either side is constant."""
    return single(spearman_by_weight, labels, scores, weights)


def pearson_by_weight(labels: _Floats, scores: _Floats, /) -> ByWeight:
    """:func:`pearson`, prepared for resampling."""
    check_pairs(labels, scores)
    x, y = (_standardised(side)[:, None] for side in (labels, scores))
    return lambda weights: _correlation(x, y, weights)


def spearman_by_weight(labels: _Floats, scores: _Floats, /) -> ByWeight:
    """:func:`spearman`, prepared for resampling."""
    check_pairs(labels, scores)
    levels = [np.unique(side, return_inverse=True)[1] for side in (labels, scores)]
    sums = [sums_by(level, int(level.max(initial=-1)) + 1) for level in levels]

    def figure(weights: _Floats) -> _Floats:
        x, y = (_middle_ranks(by(weights))[level] for by, level in zip(sums, levels, strict=True))
        return _correlation(x, y, weights)

    return figure


def _middle_ranks(counts: _Floats) -> _Floats:
    """Mean rank of the members of each group, but for a constant, scaled to 0..1. Shape [groups, rounds]."""
    ends = np.cumsum(counts, axis=0)
    return quotient(ends - counts / 2, np.maximum(ends[-1:], 1.0))


def _correlation(x: _Floats, y: _Floats, weights: _Floats) -> _Floats:
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = (side - (weights * side).sum(axis=0) / total for side in (x, y))
        spread_x, spread_y = ((weights * side * side).sum(axis=0) / total for side in (x, y))
        shared = (weights * x * y).sum(axis=0) / total
        # Rounding leaves a trace of spread where there is none.
        defined = (spread_x > 1e-24) & (spread_y > 1e-24)
        return np.where(defined, np.clip(shared / np.sqrt(spread_x * spread_y), -1.0, 1.0), np.nan)


def _standardised(values: _Floats) -> _Floats:
    spread = values.std()
    centred: _Floats = values - values.mean()
    return centred / float(spread) if spread > 0 else centred
