"""Agreement of predicted groups with gold groups: pairwise, B-cubed, and by mutual information.

Sources: Bagga and Baldwin, "Entity-Based Cross-Document Coreferencing Using the Vector Space Model" (1998),
for B-cubed; Hubert and Arabie, "Comparing partitions" (1985), for the adjusted Rand index; Rosenberg and
Hirschberg, "V-Measure: A conditional entropy-based external cluster evaluation measure" (2007).
"""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.errors import invalid


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision and recall; NaN if there is nothing to count.

    Attributes:
        precision: proportion of grouped items that belong together.
        recall: proportion of items belonging together that are grouped.
    """

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def pairwise_agreement(found: Ints, gold: Ints) -> Agreement:
    """Agreement over pairs of texts in the same group.

    Args:
        found: predicted group of each text, any integers. Shape [texts].
        gold: gold group of each text. Shape [texts].

    Raises:
        UsageError: the shapes differ.
    """
    both, ours, theirs = (_pairs(_sizes(*groups)) for groups in _counted(found, gold))
    return Agreement(both / ours if ours else np.nan, both / theirs if theirs else np.nan)


def b_cubed(found: Ints, gold: Ints) -> Agreement:
    """Agreement averaged over texts (B-cubed).

    Precision is the mean proportion of a text's predicted group that is in its gold group, recall the mean
    proportion of its gold group that is in its predicted group. Arguments and errors are those of
    :func:`pairwise_agreement`.
    """
    if not len(found):
        return Agreement(np.nan, np.nan)
    both, ours, theirs = (_of_each(*groups) for groups in _counted(found, gold))
    return Agreement(float(np.mean(both / ours)), float(np.mean(both / theirs)))


def adjusted_rand(found: Ints, gold: Ints) -> float:
    """Agreement over pairs, corrected for chance: 1 for identical groups, 0 for random ones.

    Arguments and errors are those of :func:`pairwise_agreement`.
    """
    both, ours, theirs = (_pairs(_sizes(*groups)) for groups in _counted(found, gold))
    pairs = len(found) * (len(found) - 1) // 2
    expected = ours * theirs / pairs if pairs else 0.0
    highest = (ours + theirs) / 2
    return 1.0 if highest == expected else (both - expected) / (highest - expected)


def v_measure(found: Ints, gold: Ints) -> Agreement:
    """Agreement by conditional entropies (V-measure).

    The precision is called homogeneity: 1 if every predicted group has texts of one gold group only. The
    recall is completeness: 1 if every gold group is within one predicted group. Their harmonic mean is the
    V-measure, which is the mutual information divided by the mean of both entropies (NMI). Arguments and
    errors are those of :func:`pairwise_agreement`.
    """
    if not len(found):
        return Agreement(np.nan, np.nan)
    both, ours, theirs = (_entropy(_sizes(*groups)) for groups in _counted(found, gold))
    shared = max(ours + theirs - both, 0.0)
    return Agreement(min(shared / theirs, 1.0) if theirs else 1.0, min(shared / ours, 1.0) if ours else 1.0)


def _entropy(sizes: Ints) -> float:
    shares = sizes / sizes.sum()
    return float(-(shares * np.log(shares)).sum()) if len(sizes) > 1 else 0.0


_Groups = tuple[Ints, ...]


def _counted(found: Ints, gold: Ints) -> tuple[_Groups, _Groups, _Groups]:
    if found.shape != gold.shape:
        raise invalid("gold", f"{len(gold)} groups", expected=f"{len(found)}, one per text")
    return (found, gold), (found,), (gold,)


def _of_each(*groups: Ints) -> Ints:
    """The number of texts that share all groups of each text, itself included."""
    rows = np.stack(groups, axis=1)
    _, place, sizes = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return sizes[place.reshape(-1)]


def _sizes(*groups: Ints) -> Ints:
    if not len(groups[0]):
        return np.empty(0, dtype=np.int64)
    return np.unique(np.stack(groups, axis=1), axis=0, return_counts=True)[1]


def _pairs(sizes: Ints) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
