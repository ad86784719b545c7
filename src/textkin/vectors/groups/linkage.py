"""Groups from similar pairs by three linkages, and the text of each that stays.

Each linkage takes similar pairs best first, and ties by the preference of the texts (``rank``). So the same
texts give the same groups in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.base.errors import required
from textkin.text.invisible_characters import tidied

Numbers = Ints


class Linkage(StrEnum):
    """Condition for a group."""

    REPRESENTATIVE = "representative"  # every text is similar to the one that is kept; no two kept texts are
    COMPLETE = "complete"  # every text is similar to every other
    COMPONENTS = "components"  # a chain of similar pairs connects any two texts


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Similar pairs.

    Attributes:
        a: number of one text of each pair. Shape [pairs].
        b: number of the other text, always different. Shape [pairs].
        score: shape [pairs].
    """

    a: Numbers
    b: Numbers
    score: Floats32

    def __len__(self) -> int:
        return len(self.score)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        """Iterate over the pairs: both numbers and the score."""
        return zip(self.a.tolist(), self.b.tolist(), self.score.tolist(), strict=True)

    def where(self, chosen: Bools | Numbers) -> Edges:
        """The pairs under a mask, or those at some places."""
        return Edges(self.a[chosen], self.b[chosen], self.score[chosen])

    def best_first(self, rank: Numbers) -> Edges:
        """The pairs by decreasing score, then by the better and by the other text's rank."""
        first, second = rank[self.a], rank[self.b]
        return self.where(np.lexsort((np.maximum(first, second), np.minimum(first, second), -self.score)))


def group(edges: Edges, rank: Numbers, *, linkage: Linkage, most: int | None = None) -> Numbers:
    """Put texts into groups.

    Args:
        edges: similar pairs.
        rank: position of each text in the order of preference, 0 for the first; all different. Shape [texts].
        linkage: the condition for a group.
        most: maximum number of texts in a group; None for no limit. A larger group is split where its pairs
            are weakest. Under representative linkage some texts are then kept although they resemble another
            kept text.

    Returns:
        The number of the kept text for each text: its own if it is kept. Shape [texts].
    """
    return _WAYS[linkage](edges.best_first(rank), rank, len(rank) if most is None else most)


def _representative(edges: Edges, rank: Numbers, most: int) -> Numbers:
    """Keep each text, in order of preference, unless a text kept before resembles it.

    Then assign each removed text to the most similar of the kept texts preferred to it.
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
        # All groups that it could join are full, so it founds one, or joins one founded this way.
        near = others[starts[text] : starts[text + 1]].tolist()
        room = [other for other in near if stays[other] and size[other] < most and rank[other] < rank[text]]
        if room:
            chosen[text] = room[0]
            size[room[0]] += 1
        else:
            stays[text] = True
    return chosen


def _assigned(edges: Edges, rank: Numbers, stays: Bools, most: int) -> Numbers:
    """The kept text for each removed text, while groups have room; else the text itself."""
    ahead = rank[edges.a] < rank[edges.b]
    kept, gone = np.where(ahead, edges.a, edges.b), np.where(ahead, edges.b, edges.a)
    wanted = stays[kept] & ~stays[gone]
    chosen = list(range(len(rank)))
    size = [1] * len(rank)
    # Pairs are sorted best first, so the closest texts get the last places of a group.
    for text, home in zip(gone[wanted].tolist(), kept[wanted].tolist(), strict=True):
        if chosen[text] == text and size[home] < most:
            chosen[text] = home
            size[home] += 1
    return np.array(chosen, dtype=np.int64)


def _complete(edges: Edges, rank: Numbers, most: int) -> Numbers:
    """Merge groups, pairs best first, if every text of one is similar to every text of the other."""
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
    """Merge groups, pairs best first, unless the result is too large."""
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
    """Keep the preferred text of each group."""
    chosen = np.arange(len(rank))
    for texts in members.values():
        chosen[texts] = min(texts, key=rank.__getitem__)
    return chosen


def _neighbours(edges: Edges, count: int) -> tuple[Numbers, Numbers]:
    """The start of each text's neighbours, and the neighbours, in the order of the pairs."""
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


_STEPS = 1000  # sums of floats depend on their order, sums of integer thousandths don't


class KeepRule(StrEnum):
    """Rule for choosing among similar texts; ties go to the cleanest, then to the first by text and id.

    Invisible characters and repeated spaces are not counted: see
        ``text.invisible_characters.tidied``.
    """

    LONGEST = "longest"
    FIRST = "first"  # in file order: the only rule for which it counts
    CENTRAL = "central"  # the one with the highest total similarity to the others
    HIGHEST = "highest"  # the largest value of a column


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Lengths of texts, with visible and superfluous characters counted separately.

    Attributes:
        seen: number of characters, without invisible ones and repeated spaces. Shape [texts].
        padding: number of these superfluous characters. Shape [texts].
    """

    seen: Numbers
    padding: Numbers

    def __len__(self) -> int:
        return len(self.seen)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Count the characters of texts."""
        seen = np.fromiter((len(tidied(text)) for text in texts), np.int64, len(texts))
        return cls(seen, np.fromiter(map(len, texts), np.int64, len(texts)) - seen)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """The values of a column by their order, so that whole numbers of any size and dates lose nothing.

    Attributes:
        ranks: rank of each text's value among the different ones, from 0; minus infinity without a value.
            Shape [texts].
        words: the different values in words, lowest first.
    """

    ranks: Floats
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ranks)

    @classmethod
    def of(cls, values: Sequence[Any], words: Sequence[str]) -> Self:
        """Rank values that compare with each other, None for a missing one, with the words of each."""
        different = sorted({value for value in values if value is not None})
        ranks = {value: float(rank) for rank, value in enumerate(different)}
        told = {value: word for value, word in zip(values, words, strict=True) if value is not None}
        found = np.array([-np.inf if value is None else ranks[value] for value in values], dtype=np.float64)
        return cls(found, tuple(told[value] for value in different))


@dataclass(frozen=True, slots=True, eq=False)
class KeepPreference:
    """An order of preference with its reasons.

    Attributes:
        keep: the rule.
        worth: value of each text by that rule, higher is better. Shape [texts].
        padding: number of superfluous characters; lower is better among ties. Shape [texts].
        rank: position of each text in the order, 0 for the first. Shape [texts].
        words: the values of a column in words, by their worth.
    """

    keep: KeepRule
    worth: Floats
    padding: Numbers
    rank: Numbers
    words: tuple[str, ...] = ()

    def reason(self, kept: int, gone: int) -> str:
        """The reason why one text was preferred to another, in words."""
        ours, theirs = self._said(kept), self._said(gone)
        if ours == theirs and self.padding[kept] != self.padding[gone]:
            return f"{self.keep}: both {ours}; the other one has characters that nobody sees"
        if ours == theirs:
            return f"{self.keep}: both {ours}; it is first by text, then by id"
        return f"{self.keep}: {ours} against {theirs}"

    def _said(self, text: int) -> str:
        worth = float(self.worth[text])
        match self.keep:
            case KeepRule.LONGEST:
                return f"{worth:,.0f} character{'s' if worth != 1 else ''}"
            case KeepRule.FIRST:
                return f"place {1 - worth:,.0f}"
            case KeepRule.CENTRAL:
                return f"{worth / _STEPS:,.3f} in all"
            case KeepRule.HIGHEST:
                return self.words[int(worth)] if np.isfinite(worth) else "no value"


def preferred(
    keep: KeepRule,
    lengths: Lengths,
    ties: Numbers,
    *,
    edges: Edges,
    values: ColumnValues | None = None,
) -> KeepPreference:
    """Order texts by preference.

    Args:
        keep: the rule.
        lengths: lengths of all texts.
        ties: position of each text in the tie-breaking order. Shape [texts].
        edges: similar pairs, whose scores determine the central text.
        values: column values for ``HIGHEST``; texts without one come last.

    Raises:
        UsageError: ``HIGHEST`` has no values, or another number of them than texts.
    """
    worth = _worth(keep, lengths, edges, values)
    order = np.lexsort((ties, lengths.padding, -worth))
    rank = np.empty(len(lengths), dtype=np.int64)
    rank[order] = np.arange(len(lengths))
    return KeepPreference(keep, worth, lengths.padding, rank, () if values is None else values.words)


def _worth(keep: KeepRule, lengths: Lengths, edges: Edges, values: ColumnValues | None) -> Floats:
    match keep:
        case KeepRule.LONGEST:
            return lengths.seen.astype(np.float64)
        case KeepRule.FIRST:
            return -np.arange(len(lengths), dtype=np.float64)
        case KeepRule.CENTRAL:
            score = np.rint(edges.score.astype(np.float64) * _STEPS)
            return np.asarray(
                np.bincount(edges.a, score, len(lengths)) + np.bincount(edges.b, score, len(lengths)),
                dtype=np.float64,
            )
        case KeepRule.HIGHEST:
            if values is None or len(values) != len(lengths):
                raise required(
                    "values", by="`keep=highest`", fix="give one number per text, or a column of numbers"
                )
            return values.ranks
