"""From similar pairs to groups of texts, in three ways, none of which depends on the order of the input.

Each way is told which text is to be preferred to which (``rank``), takes similar pairs best first, and of
equals those of the preferred texts; so the same texts give the same groups however they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Linkage(StrEnum):
    """What makes a group.

    Example:
        >>> import textkin as tk
        >>> tk.DedupeOptions(linkage=tk.Linkage.COMPLETE).linkage.value
        'complete'
    """

    REPRESENTATIVE = "representative"  # every text is similar to the one that stays; no two that stay are
    COMPLETE = "complete"  # every text is similar to every other
    COMPONENTS = "components"  # from every text a chain of similar pairs leads to every other


@final
@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Similar pairs.

    Attributes:
        a: the number of one text of each pair. Shape [pairs].
        b: of the other, never the same. Shape [pairs].
        score: shape [pairs].
    """

    a: Numbers
    b: Numbers
    score: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.score)

    def where(self, kept: NDArray[np.bool_]) -> Edges:
        """Some of them."""
        return Edges(self.a[kept], self.b[kept], self.score[kept])

    def best_first(self, rank: Numbers) -> Edges:
        """By score falling, then by the better and by the other text's rank."""
        first, second = rank[self.a], rank[self.b]
        order = np.lexsort((np.maximum(first, second), np.minimum(first, second), -self.score))
        return Edges(self.a[order], self.b[order], self.score[order])


def group(edges: Edges, rank: Numbers, *, linkage: Linkage, most: int | None = None) -> Numbers:
    """Put texts into groups.

    Args:
        edges: similar pairs.
        rank: the place of each text in the order of preference, 0 for the first; no two are equal. Shape
            [texts].
        linkage: what makes a group.
        most: texts of a group; None for any number. A group that would grow beyond it ends where its pairs
            are weakest: under representative linkage some texts then stay although another that stays
            resembles them.

    Returns:
        For each text the number of the one that stays for it: its own if it stays. Shape [texts].
    """
    return _WAYS[linkage](edges.best_first(rank), rank, len(rank) if most is None else most)


def _representative(edges: Edges, rank: Numbers, most: int) -> Numbers:
    """Texts in order of preference: each stays unless one that stays already resembles it.

    Then each that goes is put with the most similar of those that stay and are preferred to it.
    """
    starts, others = _neighbours(edges, len(rank))
    order = np.argsort(rank, kind="stable")
    stays = np.ones(len(rank), dtype=bool)
    for text in order[np.isin(order, edges.a) | np.isin(order, edges.b)]:
        if stays[text]:
            near = others[starts[text] : starts[text + 1]]
            stays[near[rank[near] > rank[text]]] = False
    chosen = _assigned(edges, rank, stays, most)
    size = np.bincount(chosen, minlength=len(rank))
    for text in order[(~stays & (chosen == np.arange(len(rank))))[order]].tolist():
        # Every group that it could go to is full, so it founds one, or joins one founded before it.
        near = others[starts[text] : starts[text + 1]].tolist()
        room = [other for other in near if stays[other] and size[other] < most and rank[other] < rank[text]]
        if room:
            chosen[text] = room[0]
            size[room[0]] += 1
        else:
            stays[text] = True
    return chosen


def _assigned(edges: Edges, rank: Numbers, stays: NDArray[np.bool_], most: int) -> Numbers:
    """For each text that goes the one that stays for it, as far as groups have room; else the text itself."""
    ahead = rank[edges.a] < rank[edges.b]
    kept, gone = np.where(ahead, edges.a, edges.b), np.where(ahead, edges.b, edges.a)
    wanted = stays[kept] & ~stays[gone]
    chosen = list(range(len(rank)))
    size = [1] * len(rank)
    # Pairs stand best first: the closest are seated first where room is short.
    for text, home in zip(gone[wanted].tolist(), kept[wanted].tolist(), strict=True):
        if chosen[text] == text and size[home] < most:
            chosen[text] = home
            size[home] += 1
    return np.array(chosen, dtype=np.int64)


def _complete(edges: Edges, rank: Numbers, most: int) -> Numbers:
    """Pairs best first: their groups become one if every text of one is similar to every one of the other."""
    similar: dict[int, set[int]] = {}
    members: dict[int, list[int]] = {}
    home: dict[int, int] = {}
    pairs = list(zip(edges.a.tolist(), edges.b.tolist(), strict=True))
    for a, b in pairs:
        for text, other in ((a, b), (b, a)):
            similar.setdefault(text, set()).add(other)
            members[text], home[text] = [text], text
    for a, b in pairs:
        one, two = home[a], home[b]
        if one == two or len(members[one]) + len(members[two]) > most:
            continue
        if all(similar[text].issuperset(members[two]) for text in members[one]):
            _join(one, two, members, home)
    return _chosen(members, rank)


def _components(edges: Edges, rank: Numbers, most: int) -> Numbers:
    """Pairs best first: their groups become one if that isn't too large."""
    members: dict[int, list[int]] = {}
    home: dict[int, int] = {}
    for a, b in zip(edges.a.tolist(), edges.b.tolist(), strict=True):
        for text in (a, b):
            if text not in home:
                members[text], home[text] = [text], text
        one, two = home[a], home[b]
        if one != two and len(members[one]) + len(members[two]) <= most:
            _join(one, two, members, home)
    return _chosen(members, rank)


def _join(one: int, two: int, members: dict[int, list[int]], home: dict[int, int]) -> None:
    """Move the smaller group's texts to the other."""
    if len(members[one]) < len(members[two]):
        one, two = two, one
    for text in members[two]:
        home[text] = one
    members[one] += members.pop(two)


def _chosen(members: Mapping[int, list[int]], rank: Numbers) -> Numbers:
    """The preferred text of each group stays."""
    chosen = np.arange(len(rank))
    for texts in members.values():
        chosen[texts] = min(texts, key=rank.__getitem__)
    return chosen


def _neighbours(edges: Edges, count: int) -> tuple[Numbers, Numbers]:
    """For each text where its neighbours start, and the neighbours, in the order of the pairs."""
    texts = np.concatenate((edges.a, edges.b))
    others = np.concatenate((edges.b, edges.a))
    place = np.tile(np.arange(len(edges)), 2)
    order = np.lexsort((place, texts))
    starts = np.concatenate(([0], np.cumsum(np.bincount(texts, minlength=count))))
    return starts, others[order]


_WAYS: Mapping[Linkage, Callable[[Edges, Numbers, int], Numbers]] = MappingProxyType(
    {
        Linkage.REPRESENTATIVE: _representative,
        Linkage.COMPLETE: _complete,
        Linkage.COMPONENTS: _components,
    }
)
