"""Unique texts of a set, and the similar pairs among them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Floats32
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
"""Maximum number of similar pairs in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Unique texts, each in its first spelling; ``Equal`` defines equality.

    Attributes:
        texts: first spelling of each by its characters, in this order.
        node: number of the unique text of each input text. Shape [input texts].
        ties: rank of each input text by text, then by id. Shape [input texts].
        first: position of each spelling's first input text. Shape [texts].
        windows: vectors of these spellings.
        unread: True for texts that the encoder didn't read to the end. Shape [texts].
        withheld: True for texts that are similar to none, since too much of them is unknown. Shape [texts].
        guards: guards of these texts.
        account: report of input texts longer than the encoder reads; None if unknown.
    """

    texts: tuple[str, ...]
    node: Numbers
    ties: Numbers
    first: Numbers
    windows: Windows
    unread: Bools
    withheld: Bools
    guards: TextGuards
    account: Truncation | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def vectors(self) -> Floats32:
        """One vector per text; that of the first window for a text in windows. Shape [texts, dim]."""
        return self.windows.first

    def scores(self, a: Numbers, b: Numbers) -> Floats32:
        """The similarity of the two texts of each pair: the cosine, or the alignment of their windows."""
        return rescored(cosines(self.vectors, a, b), self.windows, self.windows, a, b)

    def rescored(self, edges: Edges, lowest: float) -> Edges:
        """Rescore pairs of first windows by all windows, and drop those that score too low."""
        if not len(self.windows.further):
            return edges
        scores = rescored(edges.score, self.windows, self.windows, edges.a, edges.b)
        return Edges(edges.a, edges.b, scores).where(scores >= np.float32(lowest))

    def read_whole(self, a: Numbers, b: Numbers) -> Bools:
        """True for pairs of texts that were both read to the end. Shape [pairs]."""
        return ~(self.unread[a] | self.unread[b])

    def compared(self, a: Numbers, b: Numbers) -> Bools:
        """True for pairs of texts of which neither is withheld. Shape [pairs]."""
        return ~(self.withheld[a] | self.withheld[b])

    def same(self, threshold: float, guards: Sequence[str]) -> Check:
        """A check of pairs with similar vectors: no guard, truncation or other window excludes them."""
        unforbidden = self.guards.check(guards)

        def same(a: Numbers, b: Numbers) -> Bools:
            found = unforbidden(a, b) & self.read_whole(a, b) & self.compared(a, b)
            if len(self.windows.further):
                reached = np.full(int(found.sum()), threshold, dtype=np.float32)
                scores = rescored(reached, self.windows, self.windows, a[found], b[found])
                found[found] = scores >= np.float32(threshold)
            return found

        return same

    def places(self, edges: Edges) -> Edges:
        """Pairs of unique texts as pairs of input texts."""
        return Edges(self.first[edges.a], self.first[edges.b], edges.score)


@dataclass(frozen=True, slots=True, eq=False)
class Similar:
    """Similar pairs of unique texts.

    Attributes:
        edges: the pairs. Shape [pairs].
        alike: True for pairs that share enough of their spelling to be similar at any threshold. Shape
            [pairs].
        allowed: True for pairs that no guard blocks. Shape [pairs].
        whole: True if both texts were read to the end, or their spellings compared. Shape [pairs].
        lowest: every pair with at least this score is included.
        complete: True if that holds. If not, there are too many pairs: for each text removed at this
            threshold by representative linkage, only the pair with the kept text is included.
    """

    edges: Edges
    alike: Bools
    allowed: Bools
    whole: Bools
    lowest: float
    complete: bool = True

    def serves(self, threshold: float) -> bool:
        """True if these pairs suffice to decide at a threshold."""
        return threshold >= self.lowest if self.complete else threshold == self.lowest

    def at(self, threshold: float) -> tuple[Edges, Edges, Edges]:
        """The pairs at a threshold of at least ``lowest``: allowed, blocked, and excluded ones.

        Pairs blocked by a guard are not counted as excluded.
        """
        reached = (self.edges.score >= np.float32(threshold)) | self.alike
        return (
            self.edges.where(reached & self.allowed & self.whole),
            self.edges.where(reached & ~self.allowed),
            self.edges.where(reached & self.allowed & ~self.whole),
        )


def distinct(embedded: UniqueTexts, equal: Equal = Equal.CASE) -> Distinct:
    """Merge equal texts."""
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
    """Find all similar pairs, or the best ones if there are too many.

    The result's ``lowest`` is the threshold that was used.

    Args:
        texts: at least one.
        lowest: minimum cosine.
        guards: guards that block pairs.
        lexical: fraction of shared shingles at which pairs are similar too; None to use vectors alone.
        shingles: unit of the shingles.
        engine: the engine that runs the search, for shingles too.
    """
    joined = engine.pairs_above(texts.vectors, lowest, limit=MOST_PAIRS)
    edges = Edges(joined.rows.astype(np.int64), joined.columns.astype(np.int64), np.array(joined.scores))
    if len(edges) == MOST_PAIRS:  # some pairs tied with the last score may be missing
        lowest = float(np.nextafter(edges.score[-1], np.float32(2)))
        edges = edges.where(edges.score >= np.float32(lowest))
    edges = texts.rescored(edges.where(texts.compared(edges.a, edges.b)), lowest)
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
    """Find the similar pairs that decide representative linkage, however many pairs there are.

    Args:
        texts: at least one.
        threshold: minimum cosine.
        order: the texts in order of preference. Shape [texts].
        guards: guards that block pairs.
        engine: the engine that runs the search.
    """
    plain = not guards and not len(texts.windows.further) and not texts.unread.any()
    plain &= threshold > 0 or not texts.withheld.any()  # whose zero vectors reach no higher threshold
    wanted = None if plain else texts.same(threshold, guards)
    found = engine.survivors(texts.vectors, threshold, order, wanted=wanted)
    gone = np.flatnonzero(found.home != np.arange(len(texts)))
    edges = texts.rescored(Edges(found.home[gone], gone, found.scores[gone]), threshold)
    none, every = np.zeros(len(edges), dtype=bool), np.ones(len(edges), dtype=bool)
    return Similar(edges, none, every, every, threshold, complete=False)


def pair_keys(a: Numbers, b: Numbers, count: int) -> Numbers:
    """One integer per pair of ``count`` texts, in either order."""
    return np.minimum(a, b) * count + np.maximum(a, b)


def cosines(vectors: Floats32, a: Numbers, b: Numbers) -> Floats32:
    """The cosine of each pair of vectors; 0 with a zero vector."""
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
) -> tuple[Edges, Bools]:
    """The pairs plus those that share much of their spelling, and flags for the latter.

    Excluded texts are in no pair: their unknown tokens may be the only difference.
    """
    found = near_identical(
        [key_of(text, Equal.CASE) for text in texts.texts], share, unit=unit, each=engine.each
    )
    near = np.array(found, dtype=np.int64).reshape(-1, 2)
    near = near[texts.compared(near[:, 0], near[:, 1])]
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
