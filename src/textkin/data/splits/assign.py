"""Greedy assignment of units to sides, by each side's deficit of each label."""

from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Ints

_HEAVY = 4  # a unit above a quarter of a side would dominate that side's metrics
_FEW_PAIRS = 40  # minimum target size of a side for this rule


def assign(
    unit_a: Ints,
    unit_b: Ints,
    strata: Ints,
    *,
    shares: Sequence[float],
    hashes: Sequence[int],
) -> Ints | None:
    """The side of each unit, shape [units]; None if fewer units than sides have pairs.

    Units are assigned largest first, ties by hash. A unit goes to the side with the largest deficit of its
    pairs, relative to the side's target for their strata. This spreads large, middle and small units alike. A
    side takes no unit that exceeds a quarter of its target or its free space, unless no side can: then the
    side with most space takes it. No side stays empty.

    Args:
        unit_a: unit of each pair's first text. Shape [pairs].
        unit_b: unit of each pair's second text; a pair across two units counts only if both get one side.
        strata: stratum of each pair, from 0. Shape [pairs].
        shares: target fraction of each side.
        hashes: tie-breaker between units. Shape [units].
    """
    count = len(hashes)
    kinds = int(strata.max()) + 1
    inside = unit_a == unit_b
    own = np.zeros((count, kinds), dtype=np.int64)
    np.add.at(own, (unit_a[inside], strata[inside]), 1)
    links = _links(unit_a[~inside], unit_b[~inside], strata[~inside])
    sizes = own.sum(axis=1).tolist()
    order = sorted(range(count), key=lambda unit: (-sizes[unit], hashes[unit]))
    filled = sum(size > 0 for size in sizes)
    if filled < len(shares):
        return None

    totals = np.bincount(strata, minlength=kinds).tolist()
    sides = [_Side([share * total for total in totals]) for share in shares]
    placed = [-1] * count
    brought_by_itself = own.tolist()
    for position, unit in enumerate(order):
        gains = [list(brought_by_itself[unit]) for _ in sides]
        for other, stratum in links.get(unit, ()):
            if placed[other] >= 0:
                gains[placed[other]][stratum] += 1
        empty = [index for index, side in enumerate(sides) if side.is_empty]
        choice = empty if empty and filled - position <= len(empty) else range(len(sides))
        best = _best(sides, gains, choice)
        sides[best].take(gains[best])
        placed[unit] = best
    return np.array(placed, dtype=np.int64)


def miss(side_a: Ints, side_b: Ints, strata: Ints, shares: Sequence[float]) -> float:
    """The largest deviation from a target count, as a proportion of the side's pairs."""
    kept = side_a == side_b
    got = np.zeros((len(shares), int(strata.max()) + 1))
    np.add.at(got, (side_a[kept], strata[kept]), 1)
    wanted = np.outer(shares, got.sum(axis=0))
    return float((np.abs(got - wanted).max(axis=1) / np.maximum(wanted.sum(axis=1), _FEW_PAIRS)).max())


class _Side:
    """The target and the remaining deficit of pairs of each stratum on a side."""

    def __init__(self, wanted: list[float]) -> None:
        self._wanted = wanted
        self._lacks = list(wanted)
        self._limit = sum(wanted) / _HEAVY
        self.room = sum(wanted)
        self.is_empty = True

    def accepts(self, pairs: list[int]) -> bool:
        return sum(pairs) <= min(self.room, self._limit)

    def need(self, pairs: list[int]) -> float:
        return sum(
            pair * lack / want
            for pair, lack, want in zip(pairs, self._lacks, self._wanted, strict=True)
            if pair
        )

    def take(self, pairs: list[int]) -> None:
        self._lacks = [lack - pair for lack, pair in zip(self._lacks, pairs, strict=True)]
        self.room -= sum(pairs)
        self.is_empty = self.is_empty and not any(pairs)


def _best(sides: list[_Side], gains: list[list[int]], choice: Sequence[int]) -> int:
    open_to_it = [side for side in choice if sides[side].accepts(gains[side])]
    if not open_to_it:
        return max(choice, key=lambda side: sides[side].room)
    return max(open_to_it, key=lambda side: sides[side].need(gains[side]))


def _links(unit_a: Ints, unit_b: Ints, strata: Ints) -> dict[int, list[tuple[int, int]]]:
    links: dict[int, list[tuple[int, int]]] = {}
    for one, other, stratum in zip(unit_a.tolist(), unit_b.tolist(), strata.tolist(), strict=True):
        links.setdefault(one, []).append((other, stratum))
        links.setdefault(other, []).append((one, stratum))
    return links
