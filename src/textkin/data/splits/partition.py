"""Train, dev and test sides without shared texts: whole components are assigned, largest first.

The split depends only on the seed, the keys and the labels, not on the order of the rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Bools, Ints
from textkin.base.errors import DataError, conflict, invalid
from textkin.base.progress import note
from textkin.base.text_equality import Equal
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.assign import assign, miss
from textkin.data.splits.component_cuts import pieces
from textkin.data.splits.components import TextGraph, text_graph

SIDES = ("train", "dev", "test")
_GRADED_STRATA = 5
_SIDE = 0.15  # the share of dev, and of test
_TOLERATED_MISS = 0.05
_PIECES_OF_A_SIDE = 4
_MARKS = ("Mn", "Mc")
_SELECTORS = re.compile("[\ufe00-\ufe0f]")


class CutRule(StrEnum):
    """Treatment of negative pairs."""

    AUTO = "auto"
    """WHOLE, or CUT if that is clearly closer to the target sizes.

    CUT requires that a component is larger than the smallest side, that under WHOLE a label misses its target
    on a side by more than a twentieth of that side, and that CUT misses by less.
    """
    WHOLE = "whole"
    """Every pair keeps its two texts on one side, so nothing is dropped."""
    CUT = "cut"
    """A component above a quarter of the smallest side is split at negative pairs.

    A pair is dropped if its texts end up on different sides.
    """


@dataclass(frozen=True, slots=True)
class Shares:
    """The target fraction of the pairs on each side; they sum to 1.

    Example:
        >>> Shares(train=0.8, dev=0.1, test=0.1).values
        (0.8, 0.1, 0.1)
    """

    train: float = 0.7
    dev: float = _SIDE
    test: float = _SIDE

    def __post_init__(self) -> None:
        if not (all(share > 0 for share in self.values) and abs(sum(self.values) - 1) < 1e-6):
            raise invalid(
                "shares", self.values, expected="three numbers above 0 that sum to 1, such as 0.7, 0.15, 0.15"
            )

    @classmethod
    def of(cls, dev_size: float | None, test_size: float | None) -> Shares:
        """The shares for those of dev and test, 0.15 where None; train has the rest.

        Raises:
            UsageError: one is not a share, or nothing is left for train.
        """
        sizes = {"dev_size": _SIDE if dev_size is None else dev_size}
        sizes["test_size"] = _SIDE if test_size is None else test_size
        for name, size in sizes.items():
            if not 0 < size < 1:
                raise invalid(name, size, expected="a share between 0 and 1, such as 0.15")
        if sum(sizes.values()) >= 1:
            raise conflict(
                *sizes, why="they leave nothing for train", fix="give shares of less than 1 in all"
            )
        return cls(1 - sum(sizes.values()), *sizes.values())

    @property
    def values(self) -> tuple[float, float, float]:
        """Train, dev, test."""
        return self.train, self.dev, self.test


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTogether:
    """Texts that must be on the same side of a split, besides those connected by pairs and ids.

    Attributes:
        equal: rule for equal texts.
        similarity: minimum fraction of shared shingles of near-duplicates to keep together; None to ignore
            these.

    Example:
        >>> KeptTogether(similarity=0.9).equal.value
        'letters'
    """

    equal: Equal = Equal.LETTERS
    similarity: float | None = None

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The side of each pair, by its position in the set that was split.

    Attributes:
        train: positions, ascending.
        dev: positions, ascending.
        test: positions, ascending.
        dropped: positions of pairs whose texts are on different sides, ascending; empty under WHOLE.
        components: the component of each pair over all kept pairs, or -1 if dropped. Pairs of different
            components share no text, so components are the units of a bootstrap. Shape [pairs].
        rule: WHOLE or CUT.
        largest: number of pairs in the largest component before any were split.
    """

    train: Ints
    dev: Ints
    test: Ints
    dropped: Ints
    components: Ints
    rule: CutRule
    largest: int

    @property
    def sides(self) -> dict[str, Ints]:
        """The positions on each side, by its name."""
        return dict(zip(SIDES, (self.train, self.dev, self.test), strict=True))

    def of_rows(self, each: int) -> Split:
        """The split of rows of ``each`` pairs with a common text; dropped is a row that misses a pair."""
        dropped = np.unique(self.dropped // each)
        train, dev, test = (
            np.setdiff1d(pairs // each, dropped) for pairs in (self.train, self.dev, self.test)
        )
        components = self.components[::each].copy()
        components[dropped] = -1
        return Split(train, dev, test, dropped, components, self.rule, -(-self.largest // each))


def partition(
    data: PairSet,
    *,
    seed: int = 42,
    shares: Shares | None = None,
    rule: CutRule = CutRule.AUTO,
    together: KeptTogether | None = None,
    may_be_empty: bool = False,
) -> Split:
    """Split pairs so that no text, key, id or component is on two sides.

    Args:
        data: the pairs.
        seed: seed of the split.
        shares: target fractions of the pairs, 70 / 15 / 15 % by default.
        rule: see :class:`CutRule`.
        together: texts that must be on the same side, besides those connected by pairs and ids.
        may_be_empty: True to leave sides empty, with a note, where there are fewer than three independent
            groups of texts. Then the largest group is train, and the next one test.

    Raises:
        DataError: there are no pairs, or fewer than three independent groups of texts.
    """
    if not len(data):
        raise DataError(f"{data.name or 'the file'} has no pairs to split", fix="give a file with pairs")
    asked = together or KeptTogether()
    graph = text_graph(data, similarity=asked.similarity, equal=asked.equal)
    whole = graph.components(pairs=np.ones(len(data), dtype=np.bool_), ids=True)
    largest = int(np.bincount(whole[graph.a]).max())
    sides = _Placer(graph, whole, largest, _strata(data), (shares or Shares()).values, seed)
    placed = sides.place(rule)
    if placed is None and may_be_empty:
        placed = sides.largest_first()
        note(f"{data.name or 'the pairs'} have too few groups of texts for three sides: some sides are empty")
    if placed is None:
        raise DataError(
            f"{data.name or 'the file'} has too few groups of texts without shared texts to fill three sides",
            fix="give more pairs, or pairs that share fewer texts",
        )
    kept = placed.kept
    train, dev, test = (np.flatnonzero(kept & (placed.side_a == side)) for side in range(len(SIDES)))
    return Split(
        train, dev, test, np.flatnonzero(~kept), _final_components(graph, kept), placed.rule, largest
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A side for both texts of every pair."""

    rule: CutRule
    side_a: Ints
    side_b: Ints
    miss: float

    @property
    def kept(self) -> Bools:
        return np.equal(self.side_a, self.side_b)


@dataclass(frozen=True, slots=True, eq=False)
class _Placer:
    """A splitting problem, under either rule."""

    graph: TextGraph
    whole: Ints
    largest: int
    strata: Ints
    shares: tuple[float, float, float]
    seed: int

    def place(self, rule: CutRule) -> _Placed | None:
        if rule is CutRule.CUT:
            return self._cut()
        whole = self._assign(CutRule.WHOLE, self.whole)
        smallest = min(self.shares) * len(self.strata)
        if rule is CutRule.WHOLE or (whole and (self.largest <= smallest or whole.miss <= _TOLERATED_MISS)):
            return whole
        cut = self._cut()
        return cut if cut and (whole is None or cut.miss < whole.miss) else whole

    def largest_first(self) -> _Placed:
        """The largest group as train and the next one as test, ties by hash."""
        sizes = np.bincount(self.whole[self.graph.a], minlength=int(self.whole.max()) + 1)
        hashes = _hashes(self.graph, self.whole, self.seed)
        order = sorted(range(len(sizes)), key=lambda group: (-sizes[group], hashes[group]))
        side = np.full(len(order), SIDES.index("dev"))
        side[order[:1]], side[order[1:2]] = SIDES.index("train"), SIDES.index("test")
        side_a, side_b = side[self.whole[self.graph.a]], side[self.whole[self.graph.b]]
        return _Placed(CutRule.WHOLE, side_a, side_b, 1.0)

    def _cut(self) -> _Placed | None:
        cores = self.graph.components(pairs=self.graph.bonds, ids=True)
        units = pieces(
            cores,
            self.whole,
            self.graph.a,
            self.graph.b,
            hashes=_hashes(self.graph, cores, self.seed),
            limit=min(self.shares) * len(self.strata) / _PIECES_OF_A_SIDE,
        )
        return self._assign(CutRule.CUT, units)

    def _assign(self, rule: CutRule, units: Ints) -> _Placed | None:
        unit_a, unit_b = units[self.graph.a], units[self.graph.b]
        hashes = _hashes(self.graph, units, self.seed)
        side = assign(unit_a, unit_b, self.strata, shares=self.shares, hashes=hashes)
        if side is None:
            return None
        side_a, side_b = side[unit_a], side[unit_b]
        return _Placed(rule, side_a, side_b, miss(side_a, side_b, self.strata, self.shares))


def _strata(data: PairSet) -> Ints:
    """The strata to keep in proportion: labels, or fifths of graded labels; unlabelled is one too."""
    labels = np.array([np.nan if pair.label is None else pair.label for pair in data], dtype=np.float64)
    known = ~np.isnan(labels)
    if data.kind is LabelKind.GRADED and known.any():
        inner_edges = np.quantile(labels[known], np.linspace(0, 1, _GRADED_STRATA + 1)[1:-1])
        labels[known] = np.searchsorted(np.unique(inner_edges), labels[known], side="right")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _names(graph: TextGraph) -> list[str]:
    """The names that hashes of nodes are computed from: the letters and digits of their texts.

    A split depends on these rather than on the keys, so it didn't change when the equality rule became
    stricter.
    """
    names = [""] * len(graph.keys)
    for text, node in graph.texts.items():
        name = _name(text)
        names[node] = min(names[node], name) if names[node] else name
    return names


def _name(text: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not any(map(str.isalnum, plain)):
        return plain.strip()
    symbols = () if any(map(str.isalpha, plain)) else ("S", "Co", "Cn")
    kept = (
        one for one in plain if one.isalnum() or unicodedata.category(one).startswith((*_MARKS, *symbols))
    )
    return unicodedata.normalize("NFKC", _SELECTORS.sub("", "".join(kept)))


def _smallest_nodes(names: Sequence[str], components: Ints) -> Ints:
    """The node with the smallest name of each component. Shape [components]."""
    descending = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), dtype=np.int64)
    smallest = np.empty(int(components.max()) + 1, dtype=np.int64)
    smallest[components[descending]] = descending  # for equal indexes, the last assignment wins
    return smallest


def _hashes(graph: TextGraph, components: Ints, seed: int) -> list[int]:
    """A hash of each component from its smallest name and the seed, independent of positions."""
    salt = seed.to_bytes(16, "little", signed=True)
    names = _names(graph)

    def drawn(text: str) -> int:
        found = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt)
        return int.from_bytes(found.digest())

    # The key follows the name, which several components may share.
    smallest = _smallest_nodes(_ordered(names, graph), components).tolist()
    return [drawn(names[node]) << 64 | drawn(graph.keys[node]) for node in smallest]


def _ordered(names: Sequence[str], graph: TextGraph) -> list[str]:
    """Unique names of the nodes, in the order of their names."""
    return [f"{name}\0{key}" for name, key in zip(names, graph.keys, strict=True)]


def _final_components(graph: TextGraph, kept: Bools) -> Ints:
    """The component of each pair over the kept pairs, by order of smallest name; -1 if dropped."""
    components = graph.components(pairs=kept, ids=True)
    ordered = _ordered(_names(graph), graph)
    smallest = [ordered[node] for node in _smallest_nodes(ordered, components).tolist()]
    used = np.unique(components[graph.a[kept]]).tolist()
    number = np.full(len(smallest), -1, dtype=np.int64)
    number[sorted(used, key=smallest.__getitem__)] = np.arange(len(used))
    return np.where(kept, number[components[graph.a]], -1)
