"""Average precision, prepared for resampling and for randomisation tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from textkin.base.arrays import Bools, Floats, Ints
from textkin.data.protocols import BySwap, ByWeight, SwapMeasure
from textkin.measures.metrics.weighted import check_pairs, quotient, same_pairs

if TYPE_CHECKING:
    from textkin.measures.metrics.average_precision_loops import ScoreSteps

_Loop = Callable[[NDArray[Any]], Floats]


class _AveragePrecision:
    """Average precision with scores sorted once; each round is one pass in compiled loops.

    With integer weights, all sums are integers, and therefore exact.
    """

    def __call__(self, labels: Floats, scores: Floats, /) -> ByWeight:
        from textkin.measures.metrics.average_precision_loops import weighed_areas

        check_pairs(labels, scores)
        same = same_pairs(labels)
        order = _falling(scores)
        steps = _steps(same[order], scores[order], order)

        def figure(weights: Floats) -> Floats:
            area = _by_rounds(lambda block: weighed_areas(steps, block), weights, np.float64)
            return quotient(area, same.astype(np.float64) @ weights)

        return figure

    def by_swap(self, labels: Floats, scores_a: Floats, scores_b: Floats, units: Ints, /) -> BySwap:
        """The difference of the average precisions under swaps, A minus B."""
        from textkin.measures.metrics.average_precision_loops import swapped_areas

        check_pairs(labels, scores_a)
        check_pairs(labels, scores_b)
        same = same_pairs(labels)
        scores = np.concatenate((scores_a, scores_b))
        order = _falling(scores)
        pairs = order % max(len(labels), 1)
        steps, second = _steps(same[pairs], scores[order], units[pairs]), order >= len(labels)

        def figure(swapped: Floats) -> Floats:
            area = _by_rounds(lambda block: swapped_areas(steps, second, block), swapped, np.uint8)
            return quotient(area, np.full_like(area, same.sum()))

        return figure


average_precision_by_weight: SwapMeasure = _AveragePrecision()
""":func:`average_precision`, prepared for resampling."""


def _falling(scores: Floats) -> Ints:
    """The order of decreasing scores, without those that no threshold accepts."""
    order = np.argsort(-scores, kind="stable")
    return order[scores[order] > -np.inf]


def _steps(same: Bools, scores: Floats, rows: Ints) -> ScoreSteps:
    """The steps of decreasing scores."""
    from textkin.measures.metrics.average_precision_loops import ScoreSteps

    last = np.ones(len(scores), dtype=np.bool_)
    last[:-1] = scores[1:] != scores[:-1]
    number: Ints = np.cumsum(last) - last
    counts = np.bincount(number, weights=same, minlength=1)
    return ScoreSteps(np.ascontiguousarray(rows), same, last & (counts[number] > 0))


def _by_rounds(loop: _Loop, rounds: Floats, kind: DTypeLike) -> Floats:
    """The results of a loop over columns, in batches of its size. Shape [rounds]."""
    from textkin.measures.metrics.average_precision_loops import ROUNDS

    found = np.empty(rounds.shape[1])
    for start in range(0, rounds.shape[1], ROUNDS):
        part = rounds[:, start : start + ROUNDS]
        block = np.zeros((len(rounds), ROUNDS), dtype=kind)
        block[:, : part.shape[1]] = part
        found[start : start + ROUNDS] = loop(block)[: part.shape[1]]
    return found
