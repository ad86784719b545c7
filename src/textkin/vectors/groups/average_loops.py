"""The loop of average linkage: merge the two closest groups until none are close enough."""

from functools import partial
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.numba_cache import compiled

_STEPS = 1e12  # means that differ only by rounding count as equal, so that positions break ties
_NEVER = -(1 << 62)
_sum = partial(compiled, sums_in_any_order=True)


class Growing(NamedTuple):
    """Groups during merging, each identified by its first text.

    Attributes:
        sums: sum of the unit vectors of each group. Shape [texts, dim].
        sizes: number of texts in each group. Shape [texts].
        home: the group that each one was merged into, or itself. Shape [texts].
        first: start of each group's candidate list, -1 if empty. Shape [texts].
        last: end of the list. Shape [texts].
        following: next position in the same list, -1 at its end. Shape [places].
        other: the candidate at each position, standing for the group it was merged into. Shape [places].
        seen: number of the last scan that met each group, -1 before the first. Shape [texts].
    """

    sums: Floats
    sizes: Floats
    home: Ints
    first: Ints
    last: Ints
    following: Ints
    other: Ints
    seen: Ints


@compiled
def merge(growing: Growing, threshold: np.float32) -> None:
    """Merge groups in place while the mean cosine of the two closest ones reaches the threshold.

    The heap has one entry for each group that may still be merged: the similarity of its closest candidate at
    the last scan. Merges of other groups bring nothing closer: the mean to a union lies between the means to
    its parts. So an entry is never too low, and an outdated one triggers a new scan.
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
    """Merge the second group into the first, appending its candidates to the list."""
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
    """The closest candidate of a group: its mean cosine in steps, and its number, -1 for none.

    Candidates below the threshold are removed from the list. However the two groups grow, their mean reaches
    the threshold only if the mean of two parts does, and then that pair is in another list.

    Each scan needs a new number. A candidate removed by one scan can return under the same group number,
    merged with another part, and must be checked again.
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
def product(one: Floats, two: Floats) -> float:
    """The inner product of two vectors."""
    total = 0.0
    for place in range(one.shape[0]):
        total += one[place] * two[place]
    return total
