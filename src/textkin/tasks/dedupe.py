"""Which of many texts can go, because another that stays says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, UsageError
from textkin.groups.guards import GUARDS, allowed
from textkin.groups.linkage import Edges, Linkage, Numbers, group
from textkin.groups.preference import Keep, ranks
from textkin.join.pairs import pairs_above
from textkin.splits.near import near_identical
from textkin.text.normalise import nfkc, squeeze

CAUTIOUS = 0.9
"""The threshold where nobody has said one: high, and fitted on nothing."""

_MOST_EDGES = 1 << 25


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeOptions:
    """What counts as the same, and what stays.

    Attributes:
        threshold: two texts are similar from this cosine on.
        linkage: what makes a group.
        keep: which text of a group stays.
        most: different texts of a group; None for any number.
        guards: what forbids that two texts are similar: see ``groups.guards.GUARDS``.
        lexical: texts are similar too if they share at least so much of their runs of four letters
            (Jaccard); None to look at vectors alone.
    """

    threshold: float = CAUTIOUS
    linkage: Linkage = Linkage.REPRESENTATIVE
    keep: Keep = Keep.LONGEST
    most: int | None = None
    guards: tuple[str, ...] = ()
    lexical: float | None = None

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise UsageError(f"threshold {self.threshold}", fix="give a cosine from -1 to 1")
        if self.most is not None and self.most < 1:
            raise UsageError(f"at most {self.most} texts of a group", fix="give 1 or more")
        for name in self.guards:
            if name not in GUARDS:
                raise UsageError(f"there is no guard {name!r}", fix=f"choose from: {', '.join(GUARDS)}")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Deduped:
    """Which texts stay, and for each that goes the one that stays for it.

    Attributes:
        ids: of the texts, in their order.
        texts: as they came.
        stays: for each text the place of the one that stays for it, its own if it stays. Shape [texts].
        similarity: the cosine between the two; 1 between texts that are equal but for case and blanks. Shape
            [texts].
        pairs: similar pairs of different texts, as places in ``texts``, those left out that a guard forbids.
        forbidden: pairs that are similar enough, but for a guard.
        options: what it was made with.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    stays: Numbers
    similarity: NDArray[np.float32]
    pairs: Edges
    forbidden: Edges
    options: DedupeOptions
    _space: _Space = field(repr=False)

    @property
    def kept(self) -> Numbers:
        """The places of the texts that stay, ascending."""
        return np.flatnonzero(self.stays == np.arange(len(self.stays)))

    @property
    def removed(self) -> Numbers:
        """The places of those that go, ascending."""
        return np.flatnonzero(self.stays != np.arange(len(self.stays)))

    @property
    def groups(self) -> list[list[int]]:
        """Groups of several texts, largest first, the one that stays in front and then the most similar."""
        members: dict[int, list[int]] = {}
        for place in self.removed.tolist():
            members.setdefault(int(self.stays[place]), []).append(place)
        found = [
            [stays, *sorted(gone, key=lambda place: (-self.similarity[place], self._named(place)))]
            for stays, gone in members.items()
        ]
        return sorted(found, key=lambda places: (-len(places), self._named(places[0])))

    def rethreshold(self, threshold: float) -> Deduped:
        """What the same texts give with another threshold, higher or lower: as a new call would."""
        return _dedupe(self._space, replace(self.options, threshold=threshold))

    def _named(self, place: int) -> tuple[str, str]:
        return self.texts[place], self.ids[place]


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """Texts and their vectors, equal ones taken together.

    Attributes:
        ids: of the texts.
        texts: shape [texts].
        node: the different text that each is. Shape [texts].
        first: for each different text the place of the first one, by text and id. Shape [nodes].
        vectors: of these. Shape [nodes, dim].
        values: for each text, what to keep the highest of. Shape [texts], or None.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    node: Numbers
    first: Numbers
    vectors: NDArray[np.float32]
    values: NDArray[np.float64] | None


def dedupe(
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    options: DedupeOptions | None = None,
    *,
    ids: Sequence[str] | None = None,
    values: NDArray[np.float64] | None = None,
) -> Deduped:
    """Decide which texts can go. The same texts give the same result in any order.

    Args:
        texts: any number.
        vectors: of each text, from any encoder. Shape [texts, dim].
        options: the defaults if left out.
        ids: of the texts, which part equal ones; their places from 1 if left out.
        values: of each text, to keep the highest of.

    Raises:
        UsageError: there are not as many vectors, ids or values as texts.
        DataError: vectors have no finite numbers, or far too many pairs are similar.
    """
    for name, given in (("vectors", vectors), ("ids", ids), ("values", values)):
        if given is not None and len(given) != len(texts):
            raise UsageError(f"{len(texts):,} texts and {len(given):,} {name}", fix="give one a text")
    names = tuple(str(place) for place in range(1, len(texts) + 1)) if ids is None else tuple(ids)
    order = sorted(range(len(texts)), key=lambda place: (texts[place], names[place]))
    seen: dict[str, int] = {}
    node = np.empty(len(texts), dtype=np.int64)
    first: list[int] = []
    for place in order:
        node[place] = seen.setdefault(same_key(texts[place]), len(seen))
        if node[place] == len(first):
            first.append(place)
    places = np.array(first, dtype=np.int64)
    return _dedupe(
        _Space(names, tuple(texts), node, places, vectors[places], values), options or DedupeOptions()
    )


def same_key(text: str) -> str:
    """What two texts share that are equal but for case, blanks and Unicode's spellings."""
    return squeeze(nfkc(text)).casefold()


def _dedupe(space: _Space, options: DedupeOptions) -> Deduped:
    found = _similar(space, options)
    texts = [space.texts[place] for place in space.first]
    permitted = allowed(found, texts, options.guards)
    edges = found.where(permitted)
    of_rows = Edges(space.first[edges.a], space.first[edges.b], edges.score)
    rank = ranks(options.keep, space.texts, space.ids, edges=of_rows, values=space.values)
    best = _best_row(space, rank)
    nodes = np.argsort(np.argsort(rank[best]))
    chosen = group(edges, nodes, linkage=options.linkage, most=options.most)
    stays = best[chosen[space.node]]
    barred = found.where(~permitted)
    return Deduped(
        ids=space.ids,
        texts=space.texts,
        stays=stays,
        similarity=_similarity(space, edges, space.node, space.node[stays]),
        pairs=of_rows,
        forbidden=Edges(space.first[barred.a], space.first[barred.b], barred.score),
        options=options,
        _space=space,
    )


def _similar(space: _Space, options: DedupeOptions) -> Edges:
    """Similar pairs of different texts, guards aside."""
    joined = pairs_above(space.vectors, options.threshold)
    if len(joined) > _MOST_EDGES:
        raise DataError(
            f"{len(joined):,} pairs are similar from {options.threshold} on, more than {_MOST_EDGES:,}",
            fix="raise the threshold",
        )
    edges = Edges(joined.rows.astype(np.int64), joined.columns.astype(np.int64), np.array(joined.scores))
    if options.lexical is None:
        return edges
    keys = [same_key(space.texts[place]) for place in space.first]
    near = np.array(near_identical(keys, options.lexical), dtype=np.int64).reshape(-1, 2)
    known = _pair_keys(edges.a, edges.b, len(keys))
    new = near[~np.isin(_pair_keys(near[:, 0], near[:, 1], len(keys)), known)]
    return Edges(
        np.concatenate((edges.a, new[:, 0])),
        np.concatenate((edges.b, new[:, 1])),
        np.concatenate((edges.score, _cosines(space.vectors, new[:, 0], new[:, 1]))),
    )


def _best_row(space: _Space, rank: Numbers) -> Numbers:
    """For each different text the place of the one to prefer among equal ones. Shape [nodes]."""
    order = np.argsort(rank, kind="stable")
    best = np.full(len(space.first), -1, dtype=np.int64)
    # Of several writes to one place the last one holds, so the preferred one comes last.
    best[space.node[order[::-1]]] = order[::-1]
    return best


def _similarity(space: _Space, edges: Edges, ours: Numbers, theirs: Numbers) -> NDArray[np.float32]:
    """How similar each text is to the one that stays for it: as the pair has it, if it is one."""
    found = np.ones(len(ours), dtype=np.float32)
    moved = np.flatnonzero(ours != theirs)
    keys = _pair_keys(edges.a, edges.b, len(space.first))
    wanted = _pair_keys(ours[moved], theirs[moved], len(space.first))
    order = np.argsort(keys)
    near = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(len(keys) - 1, 0))
    listed = keys[order[near]] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
    found[moved[listed]] = edges.score[order[near[listed]]]
    found[moved[~listed]] = _cosines(space.vectors, ours[moved[~listed]], theirs[moved[~listed]])
    return found


def _pair_keys(a: Numbers, b: Numbers, count: int) -> Numbers:
    """One number a pair, whichever text comes first."""
    return np.minimum(a, b) * count + np.maximum(a, b)


def _cosines(vectors: NDArray[np.float32], a: Numbers, b: Numbers) -> NDArray[np.float32]:
    """The cosine of each pair of vectors; 0 with a vector of zeros."""
    left, right = vectors[a], vectors[b]
    lengths = np.sqrt(np.vecdot(left, left) * np.vecdot(right, right))
    found = np.zeros(len(a), dtype=np.float32)
    np.divide(np.vecdot(left, right), lengths, out=found, where=lengths > 0)
    return found
