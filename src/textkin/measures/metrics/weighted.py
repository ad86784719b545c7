"""Helpers for metrics of weighted pairs: checks, sums of weights, quotients that may be undefined."""

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError
from textkin.data.protocols import ByWeight, PairMeasure

_BLOCK = 300_000  # numbers per block: fits a core's own cache
_NARROW = 16  # minimum rounds per block: with fewer, calls cost more than sums
_RUN = 16


def single(measure: PairMeasure, labels: Floats, scores: Floats, weights: Floats | None) -> float:
    """The metric under one weighting, shape [pairs]; None weights all pairs equally."""
    column = np.ones(len(labels)) if weights is None else weights
    return float(measure(labels, scores)(column[:, None])[0])


def check_pairs(labels: Floats, scores: Floats) -> None:
    """Raise unless both arrays have the same shape and no NaN.

    Raises:
        DataError: the shapes differ, or a value is NaN; it names the first one.
    """
    if labels.ndim != 1 or labels.shape != scores.shape:
        raise DataError(
            f"labels of shape {labels.shape} and scores of shape {scores.shape} don't match",
            value=(labels.shape, scores.shape),
        )
    for name, values in (("label", labels), ("score", scores)):
        if np.isnan(values).any():
            pair = int(np.flatnonzero(np.isnan(values))[0])
            raise DataError(f"the {name} of pair {pair} is not a number", params=(name,), value=pair)


def same_pairs(labels: Floats) -> Bools:
    """True for positive pairs, shape [pairs].

    Raises:
        DataError: a label is neither 0 nor 1.
    """
    same = np.equal(labels, 1)
    odd = labels[~same & (labels != 0)]
    if len(odd):
        raise DataError(
            f"label {odd[0]:g} is neither 1 (same) nor 0 (not the same)",
            params=("label",),
            value=float(odd[0]),
        )
    return same


def sums_by(group: Ints, groups: int, *, kept: Bools | None = None) -> ByWeight:
    """A function that sums weights by group: [pairs, rounds] -> [groups, rounds].

    Args:
        group: the group of each pair; pairs with a number of ``groups`` or above are ignored. Shape [pairs].
        groups: number of groups.
        kept: True for pairs to sum, shape [pairs].
    """
    from scipy.sparse import csr_array

    inside = group < groups if kept is None else (group < groups) & kept
    pairs = np.flatnonzero(inside)
    matrix = csr_array((np.ones(len(pairs)), (group[pairs], pairs)), shape=(groups, len(group)))
    return lambda weights: np.asarray(matrix @ weights)


def running_sums(values: Floats) -> Floats:
    """Running sums down the columns, [groups, rounds], in half the time of numpy's column-wise sums."""
    groups, rounds = values.shape
    runs = -(-groups // _RUN)
    sums = np.zeros((runs * _RUN, rounds))
    sums[:groups] = values
    inside = sums.reshape(runs, _RUN, rounds)
    for step in range(1, _RUN):
        inside[:, step] += inside[:, step - 1]
    inside[1:] += np.cumsum(inside[:-1, -1], axis=0)[:, None]
    return sums[:groups]


def in_blocks(figure: ByWeight, *, rows: int) -> ByWeight:
    """The same metric, computed for a few rounds at a time so that intermediates stay in the cache.

    Args:
        figure: any metric by weights.
        rows: rows of its largest array.
    """
    width = max(_NARROW, _BLOCK // max(rows, 1))

    def whole(weights: Floats) -> Floats:
        blocks = range(0, weights.shape[1], width)
        parts = [figure(np.ascontiguousarray(weights[:, start : start + width])) for start in blocks]
        return np.concatenate([np.empty(0), *parts])

    return whole


def quotient(part: Floats, whole: Floats) -> Floats:
    """``part / whole``, NaN where ``whole`` is zero."""
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
