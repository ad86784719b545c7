"""Checks of a deduplication: its guarantee, and its agreement with known groups."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Bools, Ints
from textkin.base.errors import DataError
from textkin.base.shingles import jaccard, shingles
from textkin.base.text_equality import Equal, key_of
from textkin.measures.metrics.grouping import Agreement, b_cubed, pairwise_agreement
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.groups.linkage import Linkage, Numbers
from textkin.verbs.dedupe.deduped import Deduped

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The promise of representative linkage, checked on vectors and texts alone, not on the pairs it used.

    Attributes:
        removed: number of removed texts.
        weakest: the lowest cosine of one of them with the text kept for it; None if there is none.
        spelt: number of them removed by spelling alone, whatever their cosine.
        unlike: number of them below the threshold.
        kept: number of kept texts.
        alike: number of pairs of these that are similar and not blocked by a guard.
    """

    removed: int
    weakest: float | None
    spelt: int
    unlike: int
    kept: int
    alike: int

    @property
    def holds(self) -> bool:
        """True if each removed text resembles a kept one, and no two kept ones resemble each other."""
        return self.unlike == 0 == self.alike

    def sentence(self) -> str:
        """The checks and their outcome in a sentence."""
        weakest = "" if self.weakest is None else f", the weakest {self.weakest:.4f}"
        if self.spelt:
            weakest += f", {self.spelt:,} of them by spelling alone"
        apart = f"no two of the {self.kept:,} kept texts are similar"
        if self.holds and not self.removed:
            return f"checked: {apart}"
        if self.holds:
            return (
                f"checked: each of the {self.removed:,} removed texts is similar to its kept text{weakest}; "
                f"{apart}"
            )
        return (
            f"checked: {self.unlike:,} of {self.removed:,} removed texts are not similar to their kept text"
            f"{weakest}; {self.alike:,} pairs of the {self.kept:,} kept texts are similar"
        )


@dataclass(frozen=True, slots=True)
class GoldAgreement:
    """Agreement of groups with known ones.

    Attributes:
        texts: number of compared texts.
        unknown: texts without a known group, left out.
        pairwise: over pairs of texts.
        b_cubed: over texts.
    """

    texts: int
    unknown: int
    pairwise: Agreement
    b_cubed: Agreement


def guarantee(found: Deduped, *, engine: WorkEngine = THIS_MACHINE) -> Guarantee | None:
    """Check the promise of representative linkage; None for others, which don't make it.

    Args:
        found: the deduplication to check.
        engine: the engine that finds similar pairs.
    """
    if found.options.linkage is not Linkage.REPRESENTATIVE:
        return None
    texts, removed, kept = found.distinct, found.removed, found.kept
    ours, theirs = texts.node[removed], texts.node[found.stays[removed]]
    moved = ours != theirs
    ours, theirs = ours[moved], theirs[moved]
    scores = texts.scores(ours, theirs)
    similar = (scores >= found.cut.value - _ROUNDING) & texts.read_whole(ours, theirs)
    spelt = ~similar & _share_spelling(found, ours, theirs)
    similar |= spelt
    similar &= texts.guards.check(found.guards.names)(ours, theirs)
    staying = texts.node[kept]
    same = texts.same(found.cut.value, found.guards.names)

    def counts(a: Numbers, b: Numbers) -> Bools:
        return same(staying[a], staying[b])

    alike = engine.pairs_above(texts.vectors[staying], found.cut.value, wanted=counts, quiet=True)
    judged = len(removed) > int(spelt.sum())
    weakest = float(min(scores[~spelt].min(initial=1.0), 1.0)) if judged else None
    return Guarantee(
        removed=len(removed),
        weakest=weakest,
        spelt=int(spelt.sum()),
        unlike=int((~similar).sum()),
        kept=len(kept),
        alike=len(alike),
    )


def agreement(found: Deduped, gold: Mapping[str, str]) -> GoldAgreement:
    """Compare groups with known ones.

    Args:
        found: single texts are groups of one.
        gold: id to the name of the known group.

    Raises:
        DataError: no text has a known group.
    """
    known = np.array([name in gold for name in found.ids], dtype=bool)
    if not known.any():
        raise DataError(
            f"none of the ids of the {len(gold):,} known groups is that of a text",
            fix=f"give the ids of the texts, such as {found.ids[0]!r}",
        )
    names = [gold[name] for name in found.ids if name in gold]
    numbers = np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
    ours = found.stays[known]
    return GoldAgreement(
        texts=int(known.sum()),
        unknown=int((~known).sum()),
        pairwise=pairwise_agreement(ours, numbers),
        b_cubed=b_cubed(ours, numbers),
    )


def _share_spelling(found: Deduped, ours: Ints, theirs: Ints) -> Bools:
    """Mask of the pairs that share enough of their spelling, where that counts."""
    share, unit = found.options.lexical, found.options.shingles
    if share is None:
        return np.zeros(len(ours), dtype=bool)
    texts, withheld = found.distinct.texts, found.distinct.withheld
    pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
    shared = (
        jaccard(shingles(key_of(texts[a], Equal.CASE), unit), shingles(key_of(texts[b], Equal.CASE), unit))
        for a, b in pairs
    )
    enough = np.fromiter((one >= share for one in shared), bool, len(ours))
    return enough & ~withheld[ours] & ~withheld[theirs]
