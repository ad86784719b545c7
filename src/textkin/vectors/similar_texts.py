"""Unique texts of a set, and which of them are similar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.shingles import Unit
from textkin.base.text_equality import Equal, key_of
from textkin.data.splits.near_duplicates import near_identical
from textkin.text.truncation_account import Truncation
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.guards import Check, TextGuards
from textkin.vectors.groups.linkage import Edges, Numbers
from textkin.vectors.long_texts import Windows, rescored
from textkin.vectors.unique_texts import UniqueTexts

MOST_PAIRS = 1 << 22
"""No more similar pairs are held."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Unique texts: of equal ones, as ``Equal`` has it, the first spelling.

    Attributes:
        texts: the first spelling of each by its characters, in this order.
        node: the number of the unique text of each input text. Shape [input texts].
        ties: the rank of each input text by text, then by id. Shape [input texts].
        first: the first position of each spelling among the input texts. Shape [texts].
        windows: the vectors of these spellings.
        unread: which of them the encoder did not read to the end. Shape [texts].
        withheld: which of them are similar to none, as too much of them is unknown. Shape [texts].
        guards: of these texts.
        account: how many input texts are longer than the encoder reads; None if it is not known.
    """

    texts: tuple[str, ...]
    node: Numbers
    ties: Numbers
    first: Numbers
    windows: Windows
    unread: NDArray[np.bool_]
    withheld: NDArray[np.bool_]
    guards: TextGuards
    account: Truncation | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """One a text; of a text in windows that of the first. Shape [texts, dim]."""
        return self.windows.first

    def scores(self, a: Numbers, b: Numbers) -> NDArray[np.float32]:
        """How similar the two texts of each pair are: their cosine, or how their windows pair up."""
        return rescored(cosines(self.vectors, a, b), self.windows, self.windows, a, b)

    def rescored(self, edges: Edges, lowest: float) -> Edges:
        """Pairs by their first windows as pairs by all of them, those left out that score less."""
        if not len(self.windows.further):
            return edges
        scores = rescored(edges.score, self.windows, self.windows, edges.a, edges.b)
        return Edges(edges.a, edges.b, scores).where(scores >= np.float32(lowest))

    def read_whole(self, a: Numbers, b: Numbers) -> NDArray[np.bool_]:
        """In which pairs both texts were read to their ends. Shape [pairs]."""
        whole: NDArray[np.bool_] = ~(self.unread[a] | self.unread[b])
        return whole

    def same(self, threshold: float, guards: Sequence[str]) -> Check:
        """Which pairs of similar vectors are the same: no guard, unread end or further window forbids it."""
        unforbidden = self.guards.check(guards)

        def same(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
            found = unforbidden(a, b) & self.read_whole(a, b)
            if len(self.windows.further):
                reached = np.full(int(found.sum()), threshold, dtype=np.float32)
                scores = rescored(reached, self.windows, self.windows, a[found], b[found])
                found[found] = scores >= np.float32(threshold)
            return found

        return same

    def places(self, edges: Edges) -> Edges:
        """Pairs of unique texts as pairs of input texts."""
        return Edges(self.first[edges.a], self.first[edges.b], edges.score)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Similar:
    """Similar pairs of different texts.

    Attributes:
        edges: the pairs. Shape [pairs].
        alike: which of them share so much of their spelling that they are similar at any threshold. Shape
            [pairs].
        allowed: which of them no guard forbids. Shape [pairs].
        whole: of which of them both texts were read to their ends, or their spellings compared. Shape
            [pairs].
        lowest: every pair that scores at least so much is here.
        complete: whether that is so. If not, there are too many: then for each text that goes at this
            threshold by representative linkage the pair with the one that stays is here, and no other.
    """

    edges: Edges
    alike: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    lowest: float
    complete: bool = True

    def serves(self, threshold: float) -> bool:
        """Whether these pairs suffice to decide at a threshold."""
        return threshold >= self.lowest if self.complete else threshold == self.lowest

    def at(self, threshold: float) -> tuple[Edges, Edges, Edges]:
        """The pairs at a threshold that is not below the lowest: allowed, forbidden, and withheld ones.

        What a guard forbids is not withheld too.
        """
        reached = (self.edges.score >= np.float32(threshold)) | self.alike
        return (
            self.edges.where(reached & self.allowed & self.whole),
            self.edges.where(reached & ~self.allowed),
            self.edges.where(reached & self.allowed & ~self.whole),
        )


def distinct(embedded: UniqueTexts, equal: Equal = Equal.CASE) -> Distinct:
    """Merge texts that are equal."""
    merged = embedded.merged(equal)
    ties = np.empty_like(embedded.order)
    ties[embedded.order] = np.arange(len(ties))
    return Distinct(
        texts=merged.texts,
        node=merged.number,
        ties=ties,
        first=merged.first,
        windows=merged.windows,
        unread=merged.unread,
        withheld=merged.withheld,
        guards=TextGuards(merged.texts),
        account=merged.account,
    )


def similar(
    texts: Distinct,
    lowest: float,
    *,
    guards: Sequence[str] = (),
    lexical: float | None = None,
    shingles: Unit = Unit.LETTERS,
    engine: WorkEngine = THIS_MACHINE,
) -> Similar:
    """Find all similar pairs, or the best ones if there are too many: see the result's ``lowest``.

    Args:
        texts: at least one.
        lowest: the least cosine.
        guards: what forbids pairs.
        lexical: pairs are similar too if they share so many of their shingles; None to look at vectors alone.
        shingles: what these are runs of.
        engine: where pairs are looked for, those by shingles too.
    """
    joined = engine.pairs_above(texts.vectors, lowest, limit=MOST_PAIRS)
    edges = Edges(joined.rows.astype(np.int64), joined.columns.astype(np.int64), np.array(joined.scores))
    if len(edges) == MOST_PAIRS:  # of the pairs with the last score some may be missing
        lowest = float(np.nextafter(edges.score[-1], np.float32(2)))
        edges = edges.where(edges.score >= np.float32(lowest))
    edges = texts.rescored(edges, lowest)
    alike = np.zeros(len(edges), dtype=bool)
    if lexical is not None:
        edges, alike = _with_alike(edges, texts, lexical, shingles, engine)
    whole = texts.read_whole(edges.a, edges.b) | alike
    return Similar(edges, alike, texts.guards.check(guards)(edges.a, edges.b), whole, lowest)


def deciding(
    texts: Distinct,
    threshold: float,
    order: Numbers,
    *,
    guards: Sequence[str] = (),
    engine: WorkEngine = THIS_MACHINE,
) -> Similar:
    """Find the similar pairs by which representative linkage decides, however many there are.

    Args:
        texts: at least one.
        threshold: the least cosine.
        order: the texts in order of preference. Shape [texts].
        guards: what forbids pairs.
        engine: where pairs are looked for.
    """
    plain = not guards and not len(texts.windows.further) and not texts.unread.any()
    wanted = None if plain else texts.same(threshold, guards)
    found = engine.survivors(texts.vectors, threshold, order, wanted=wanted)
    gone = np.flatnonzero(found.home != np.arange(len(texts)))
    edges = texts.rescored(Edges(found.home[gone], gone, found.scores[gone]), threshold)
    none, every = np.zeros(len(edges), dtype=bool), np.ones(len(edges), dtype=bool)
    return Similar(edges, none, every, every, threshold, complete=False)


def pair_keys(a: Numbers, b: Numbers, count: int) -> Numbers:
    """One number a pair of ``count`` texts, whichever comes first."""
    return np.minimum(a, b) * count + np.maximum(a, b)


def cosines(vectors: NDArray[np.float32], a: Numbers, b: Numbers) -> NDArray[np.float32]:
    """The cosine of each pair of vectors; 0 with a vector of zeros."""
    found = np.zeros(len(a), dtype=np.float32)
    for start in range(0, len(a), 4096):
        part = slice(start, start + 4096)
        left, right = vectors[a[part]].astype(np.float64), vectors[b[part]].astype(np.float64)
        lengths = np.sqrt(np.vecdot(left, left) * np.vecdot(right, right))
        products = np.vecdot(left, right)
        found[part] = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return found


def _with_alike(
    edges: Edges, texts: Distinct, share: float, unit: Unit, engine: WorkEngine
) -> tuple[Edges, NDArray[np.bool_]]:
    """The pairs and further ones that share much of their spelling; and which of all do.

    A text that is withheld is in none: what the encoder doesn't know may be all that differs.
    """
    found = near_identical(
        [key_of(text, Equal.CASE) for text in texts.texts], share, unit=unit, each=engine.each
    )
    near = np.array(found, dtype=np.int64).reshape(-1, 2)
    near = near[~texts.withheld[near].any(axis=1)]
    known = pair_keys(edges.a, edges.b, len(texts))
    alike = pair_keys(near[:, 0], near[:, 1], len(texts))
    new = near[~np.isin(alike, known)]
    scores = texts.scores(new[:, 0], new[:, 1])
    joined = Edges(
        np.concatenate((edges.a, new[:, 0])),
        np.concatenate((edges.b, new[:, 1])),
        np.concatenate((edges.score, scores)),
    )
    return joined, np.concatenate((np.isin(known, alike), np.ones(len(new), dtype=bool)))
