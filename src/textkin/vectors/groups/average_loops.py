"""The loop of average linkage: the two closest groups become one, until none are close enough."""

from __future__ import annotations

from functools import partial
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled

_STEPS = 1e12  # means that differ by rounding alone count as equal, so that places decide between them
_NEVER = -(1 << 62)
_sum = partial(compiled, sums_in_any_order=True)


class Growing(NamedTuple):
    """Groups on their way. A group is called by its first text.

    Attributes:
        sums: the sum of the unit vectors of each group. Shape [texts, dim].
        sizes: how many texts it has. Shape [texts].
        home: the group that each one went into, itself while it is there. Shape [texts].
        first: where the list of a group's candidates begins, -1 if it is empty. Shape [texts].
        last: where it ends. Shape [texts].
        following: the next place of the same list, -1 at its end. Shape [places].
        other: the candidate at each place; the group that it went into counts. Shape [places].
        seen: the number of the last look that met each one, -1 before the first. Shape [texts].
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]
    home: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    following: NDArray[np.int64]
    other: NDArray[np.int64]
    seen: NDArray[np.int64]


@compiled
def merge(growing: Growing, threshold: np.float32) -> None:
    """Merge groups in place while the mean cosine of the two closest ones reaches the threshold.

    The heap has one entry for each group that may still merge: how close its closest candidate was when it
    was looked for. Merges of others bring nothing closer to a group: the mean to a union lies between the
    means to its parts. So an entry never promises too little, and one that promises what is gone is looked
    for again.
    """
    heap = [(0, 0, 0, 0, 0, 0)]
    heap.pop()
    version = np.zeros(len(growing.home), dtype=np.int64)
    looks = 0
    for group in range(len(growing.home)):
        near, other = closest(growing, group, threshold, looks)
        looks += 1
        if other >= 0:
            heap.append((-near, min(group, other), max(group, other), group, 0, 0))
    heapify(heap)
    while len(heap):
        _, one, two, group, own, others = heappop(heap)
        if version[group] != own:
            continue
        other = two if group == one else one
        if version[other] == others:
            group = one
            unite(growing, one, two)
            version[one] += 1
            version[two] += 1
        near, other = closest(growing, group, threshold, looks)
        looks += 1
        if other >= 0:
            own, others = int(version[group]), int(version[other])
            heappush(heap, (-near, min(group, other), max(group, other), group, own, others))


@compiled
def unite(growing: Growing, one: int, two: int) -> None:
    """Put the second group into the first, its candidates behind the other's."""
    growing.home[two] = one
    growing.sizes[one] += growing.sizes[two]
    for place in range(growing.sums.shape[1]):
        growing.sums[one, place] += growing.sums[two, place]
    if growing.first[one] < 0:
        growing.first[one] = growing.first[two]
    elif growing.first[two] >= 0:
        growing.following[growing.last[one]] = growing.first[two]
    if growing.first[two] >= 0:
        growing.last[one] = growing.last[two]


@compiled
def closest(growing: Growing, group: int, threshold: np.float32, look: int) -> tuple[int, int]:
    """Closest candidate of a group: its mean cosine in steps, and its number, -1 if none is close enough.

    Candidates below the threshold are removed from the list: whatever the two groups grow to, the pair of
    them is above the threshold only if a pair of parts is, which then is in a list of its own.

    Each look needs a number that no earlier look had. A candidate removed by one look can come back under the
    same number of a group, with a part that it has merged with, and must be looked at again.
    """
    best, found = _NEVER, -1
    before, place = -1, growing.first[group]
    growing.seen[group] = look
    while place >= 0:
        after = growing.following[place]
        other = growing.other[place]
        while growing.home[other] != other:
            growing.home[other] = growing.home[growing.home[other]]
            other = growing.home[other]
        keep = growing.seen[other] != look
        if keep:
            growing.seen[other] = look
            total = product(growing.sums[group], growing.sums[other])
            mean = total / (growing.sizes[group] * growing.sizes[other])
            keep = np.float32(mean) >= threshold
            near = int(np.rint(mean * _STEPS))
            if keep and (near > best or (near == best and other < found)):
                best, found = near, int(other)
        if keep:
            growing.other[place] = other
            before = place
        elif before < 0:
            growing.first[group] = after
        else:
            growing.following[before] = after
        place = after
    growing.last[group] = before
    return best, found


@_sum
def product(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """The product of two vectors."""
    total = 0.0
    for place in range(one.shape[0]):
        total += one[place] * two[place]
    return total
