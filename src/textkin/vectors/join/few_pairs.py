"""Scores of few pairs in NumPy, without loading the compiler that ``score_loops.py`` needs.

Sums of doubles run in another order here, which can change their last bits and, about once in a million
times, the rounded score. The possible difference is bounded: a sum of d products has an error of at most d u
times the lengths of both vectors, u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, section
3.1). If that could change a score, the function returns None.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.vectors.join.pair_list import Pairs, made
from textkin.vectors.join.score_loop_arguments import Arrays

FEW = 1 << 20
"""Maximum number of pairs: checking them all takes less time than loading the compiler."""

_UNIT = 2.0**-53


def few_pairs(
    left: Arrays, right: Arrays, threshold: np.float32, *, same: bool, most: int | None
) -> Pairs | None:
    """The pairs that ``score_loops.sift`` would find, or None if rounding could change them.

    Args:
        left: rows of one side.
        right: rows of the other side.
        threshold: minimum score.
        same: True if both sides are one set, to list each pair once.
        most: pairs may be dropped if this number of others score higher; None to keep all.
    """
    exact, error = _scores(left, right)
    if same:
        exact[np.tri(*exact.shape, dtype=np.bool_)] = -np.inf
    least = float(threshold)
    if most is not None and most < exact.size:
        least = max(least, float(np.partition(exact, -most, axis=None)[-most]) - 2 * float(error.max()))
    # Rounding to single precision before the comparison may lift a score to the threshold.
    rows, columns = np.nonzero(exact >= np.nextafter(np.float32(least), np.float32(-np.inf)) - error)
    near, apart = exact[rows, columns], error[rows, columns]
    scores = near.astype(np.float32)
    if ((near - apart).astype(np.float32) != (near + apart).astype(np.float32)).any():
        return None
    reached = scores >= threshold
    return made(rows[reached], columns[reached], scores[reached])


def _scores(left: Arrays, right: Arrays) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores in double precision, and the maximum difference for any order of summation."""
    ours, theirs = left.values.astype(np.float64), right.values.astype(np.float64)
    products = ours @ theirs.T
    squares = np.sqrt(np.outer(left.squares, right.squares))
    lengths = np.outer(np.sqrt(np.vecdot(ours, ours)), np.sqrt(np.vecdot(theirs, theirs)))
    scores = np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)
    # Both sums, the squares (whose error counts half), and the operations after them.
    bound = 4 * (ours.shape[1] + 4) * _UNIT * lengths
    return scores, np.divide(bound, squares, out=np.zeros_like(bound), where=squares > 0)
