"""Overlaps between sets of pairs, and the proof that the sides of a split are disjoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from textkin.base.errors import LeakError, invalid
from textkin.base.text_equality import Equal, keys_of
from textkin.data.records import Pair, PairSet
from textkin.data.splits.components import id_spaces
from textkin.data.splits.partition import Split

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of two sets.

    Attributes:
        first: name of the first set.
        second: name of the second set.
        texts: number of distinct texts in both.
        keys: number of distinct normalised keys in both.
        pairs: number of distinct unordered pairs of keys in both.
        ids: number of distinct ids in both. Meaningless for files that number their texts independently.
        examples: some texts of the first set whose keys are in both.
    """

    first: str
    second: str
    texts: int
    keys: int
    pairs: int
    ids: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeakReport:
    """The overlap of every two of the given sets."""

    overlaps: tuple[Overlap, ...]


@dataclass(frozen=True, slots=True)
class Disjointness:
    """The overlap of the sides of a split, summed over every two of them; all zero if they are disjoint."""

    texts: int
    keys: int
    ids: int
    components: int


def leaks(*sets: PairSet, equal: Equal = Equal.LETTERS) -> LeakReport:
    """Compare every two of several sets by equal texts."""
    if len(sets) < 2:
        raise invalid("sets", f"{len(sets)} set", expected="at least 2, such as train and test")
    every_pair = tuple(chain.from_iterable(sets))
    return _leaks(sets, id_spaces(PairSet(every_pair, sets[0].kind)), equal)


def disjointness(report: LeakReport, components: Sequence[set[int]] = ()) -> Disjointness:
    """Sum the overlaps of the sides; ``components`` are those of each side."""
    return Disjointness(
        texts=sum(overlap.texts for overlap in report.overlaps),
        keys=sum(overlap.keys for overlap in report.overlaps),
        ids=sum(overlap.ids for overlap in report.overlaps),
        components=sum(len(one & other) for one, other in combinations(components, 2)),
    )


def prove_disjoint(data: PairSet, split: Split, *, equal: Equal = Equal.LETTERS) -> Disjointness:
    """Recount, from the texts, the overlap of the sides of ``split``.

    Raises:
        LeakError: there is any overlap.
    """
    sides = [data.select(rows.tolist(), name=name) for name, rows in split.sides.items()]
    report = _leaks(sides, id_spaces(data), equal)  # whose ids they are doesn't depend on dropped pairs
    components = [set(np.unique(split.components[rows]).tolist()) for rows in split.sides.values()]
    proof = disjointness(report, components)
    if proof != Disjointness(0, 0, 0, 0):
        examples = [text for overlap in report.overlaps for text in overlap.examples]
        raise LeakError(
            f"the sides of the split of {data.name or 'these pairs'} share {proof.texts} texts, "
            f"{proof.keys} keys, {proof.ids} ids and {proof.components} components, "
            f"for example {examples[:_EXAMPLES]}",
            fix="don't use this split, and report it as a defect of textkin",
        )
    return proof


@dataclass(frozen=True, slots=True)
class _Content:
    name: str
    texts: set[str]
    keys: dict[str, str]  # key to one of its texts
    pairs: set[tuple[str, str]]
    ids: set[str]

    @classmethod
    def of(cls, data: PairSet, key_of_text: dict[str, str], prefixes: tuple[str, str]) -> _Content:
        texts = set(chain.from_iterable(data.texts))
        return cls(
            name=data.name,
            texts=texts,
            keys={key_of_text[text]: text for text in sorted(texts, reverse=True)},
            pairs={_unordered(key_of_text[a], key_of_text[b]) for a, b in data.texts},
            ids=set(chain.from_iterable(_ids(pair, prefixes) for pair in data)),
        )

    def overlap(self, other: _Content) -> Overlap:
        keys = sorted(self.keys.keys() & other.keys.keys())
        return Overlap(
            first=self.name,
            second=other.name,
            texts=len(self.texts & other.texts),
            keys=len(keys),
            pairs=len(self.pairs & other.pairs),
            ids=len(self.ids & other.ids),
            examples=tuple(self.keys[key] for key in keys[:_EXAMPLES]),
        )


def _leaks(sets: Sequence[PairSet], prefixes: tuple[str, str], equal: Equal) -> LeakReport:
    key_of_text = keys_of(chain.from_iterable(chain.from_iterable(data.texts) for data in sets), equal)
    contents = [_Content.of(data, key_of_text, prefixes) for data in sets]
    return LeakReport(tuple(one.overlap(other) for one, other in combinations(contents, 2)))


def _unordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one <= other else (other, one)


def _ids(pair: Pair, prefixes: tuple[str, str]) -> Iterator[str]:
    return (prefix + name for prefix, name in zip(prefixes, (pair.id_a, pair.id_b), strict=True) if name)
