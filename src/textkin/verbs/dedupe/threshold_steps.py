"""The effects of thresholds on a deduplication, and the least similar pairs of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from textkin.report import dedupe_content
from textkin.vectors.groups.guards import STANDARD
from textkin.vectors.groups.linkage import Edges

if TYPE_CHECKING:
    from textkin.verbs.dedupe.deduped import Deduped

_STEPS = 20
_NICE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_DECIMALS = 4
_BINS = 24
_BORDER = 6


def reach(threshold: float) -> float:
    """The lowest threshold of interest beside the chosen one."""
    return max(round(threshold - min(0.05, (1 - threshold) / 2), _DECIMALS), -1.0)


def thresholds(
    found: Deduped, precision: tuple[dedupe_content.PrecisionRow, ...] = ()
) -> dedupe_content.TriedThresholds:
    """The effects of thresholds from just below the chosen one up to 1.

    Only those that were searched; only the chosen one where there are too many similar pairs.
    """
    complete = found.similar.complete
    ladder = _ladder(found.cut.value, found.similar.lowest) if complete else [found.cut.value]
    ends = [*ladder[1:], np.inf]
    steps = tuple(_step(found, start, end) for start, end in zip(ladder, ends, strict=True))
    return dedupe_content.TriedThresholds(found.cut.value, steps, _scores(found), precision)


def _scores(found: Deduped) -> dedupe_content.PairScores | None:
    """The scores of pairs that no guard forbids; None where there are too many, or none."""
    if not found.similar.complete:
        return None
    scores = found.similar.at(found.similar.lowest)[0].score
    scores = scores[scores >= np.float32(found.similar.lowest)]
    if not len(scores) or found.similar.lowest >= 1:
        return None
    counts, edges = np.histogram(np.minimum(scores, 1.0), bins=_BINS, range=(found.similar.lowest, 1.0))
    return dedupe_content.PairScores(tuple(edges.tolist()), tuple(counts.tolist()))


def _ladder(threshold: float, lowest: float) -> list[float]:
    low = max(lowest, reach(threshold))
    step = next((nice for nice in _NICE if nice * _STEPS >= 1 - low), _NICE[-1])
    grid = {round(place * step, _DECIMALS) for place in range(round(-1 / step), round(1 / step) + 1)}
    return sorted(
        {threshold} | {value for value in grid if low <= value and abs(value - threshold) > step / 4}
    )


def _step(found: Deduped, start: float, end: float) -> dedupe_content.Step:
    there = found if start == found.cut.value else found.rethreshold(start)
    sizes = np.bincount(there.stays)
    kept = int((sizes > 0).sum())
    at_border = there.pairs.where(
        (there.pairs.score >= np.float32(start)) & (there.pairs.score < np.float32(end))
    )
    order = np.lexsort((at_border.b, at_border.a, at_border.score))[:_BORDER]
    return dedupe_content.Step(
        threshold=start,
        kept=kept,
        removed=len(there.stays) - kept,
        groups=int((sizes > 1).sum()),
        largest=int(sizes.max()),
        border=shown_pairs(found, at_border.where(order)),
    )


def best(edges: Edges, most: int) -> Edges:
    """The pairs with the highest scores."""
    return edges.where(np.lexsort((edges.b, edges.a, -edges.score))[:most])


def shown_pairs(found: Deduped, edges: Edges) -> tuple[dedupe_content.ShownPair, ...]:
    """The pairs with their texts, and the guards that see a difference, the standard ones included."""
    a, b = found.distinct.node[edges.a], found.distinct.node[edges.b]
    names = dict.fromkeys((*STANDARD, *found.guards.names))
    same = {name: found.distinct.guards.check((name,))(a, b).tolist() for name in names}
    rows = zip(edges.a.tolist(), edges.b.tolist(), edges.score.tolist(), strict=True)
    return tuple(
        dedupe_content.ShownPair(
            found.texts[a],
            found.texts[b],
            score,
            (str(found.ids[a]), str(found.ids[b])),
            tuple(name for name, equal in same.items() if not equal[place]),
        )
        for place, (a, b, score) in enumerate(rows)
    )
