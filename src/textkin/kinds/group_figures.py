"""Metrics of groups compared with known ones, with intervals.

Intervals resample whole known groups, as the judge of duplicates does: a pair of texts in one known group
counts as often as this was drawn, a pair of two known groups as often as the product of the two.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from textkin.base.arrays import Floats, Ints
from textkin.measures.intervals.bootstrap import Interval, resample_counts
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.intervals.standard_errors import limits, spread
from textkin.measures.metrics.grouping import Agreement, adjusted_rand, b_cubed, v_measure


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The agreement of groups with known ones.

    Attributes:
        groups: the number of groups, including singletons.
        largest: the size of the largest group.
        precision: among pairs of texts put together, the fraction that belongs together; None without such
            pairs.
        recall: among pairs that belong together, the fraction put together; None without such pairs.
        f1: their F1; None if there are no pairs of either kind.
        b_cubed: precision and recall over texts.
        adjusted_rand: the adjusted Rand index, corrected for chance.
        v_measure: homogeneity as the precision, completeness as the recall; its F1 is the V-measure, or NMI.
    """

    groups: int
    largest: int
    precision: Interval | None
    recall: Interval | None
    f1: Interval | None
    b_cubed: Agreement
    adjusted_rand: float
    v_measure: Agreement


def group_figures(found: Ints, gold: Ints, *, sampling: Sampling | None = None) -> GroupFigures:
    """Compare groups with known ones.

    Args:
        found: the group of each text, any numbers; at least one text. Shape [texts].
        gold: the known group of each text. Shape [texts].
        sampling: settings of the intervals.
    """
    sizes = np.unique(found, return_counts=True)[1]
    sampling = sampling or Sampling()
    pairs = PairCounts(found, gold)
    values = pairs.figures(np.ones((pairs.groups, 1)))[:, 0]
    rng = np.random.default_rng(sampling.seed)
    batches = resample_counts(rng, units=pairs.groups, resamples=sampling.resamples, rows=pairs.rows)
    draws = np.concatenate([pairs.figures(counts) for counts in batches], axis=1)
    precision, recall, f1 = (
        _interval(float(value), drawn, pairs.groups) for value, drawn in zip(values, draws, strict=True)
    )
    return GroupFigures(
        groups=len(sizes),
        largest=int(sizes.max()),
        precision=precision,
        recall=recall,
        f1=f1,
        b_cubed=b_cubed(found, gold),
        adjusted_rand=adjusted_rand(found, gold),
        v_measure=v_measure(found, gold),
    )


class PairCounts:
    """Pairs of texts in one group, weighted by counts of the known groups.

    Args:
        found: the group of each text. Shape [texts].
        gold: the known group of each text. Shape [texts].

    Attributes:
        groups: the number of known groups.
        rows: the numbers read for each resample.
    """

    def __init__(self, found: Ints, gold: Ints) -> None:
        kinds, gold = np.unique(gold, return_inverse=True)
        self.groups = len(kinds)
        cells, sizes = np.unique(np.stack((found, gold), axis=1), axis=0, return_counts=True)
        kind = cells[:, 1].astype(np.int64)
        self._both = np.bincount(kind, weights=sizes * (sizes - 1) / 2, minlength=self.groups)
        whole = np.bincount(gold, minlength=self.groups)
        self._gold = whole * (whole - 1) / 2
        _, home, kinds_there = np.unique(cells[:, 0], return_inverse=True, return_counts=True)
        mixed = kinds_there[home] > 1
        places, rows = np.unique(home[mixed], return_inverse=True)
        shape = (len(places), self.groups)
        self._mixed = csr_array((sizes[mixed].astype(np.float64), (rows, kind[mixed])), shape=shape)
        self._squares = self._mixed.power(2)
        self.rows = max(self.groups, len(places))

    def figures(self, counts: Floats) -> Floats:
        """Precision, recall and F1: [known groups, rounds] -> [3, rounds]; NaN without pairs."""
        both, gold = self._both @ counts, self._gold @ counts
        squared, squares = self._product(self._mixed, counts) ** 2, self._product(self._squares, counts**2)
        apart = (squared - squares).sum(axis=0) / 2
        found = both + apart
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack((both / found, both / gold, 2 * both / (found + gold)))

    @staticmethod
    def _product(matrix: csr_array, counts: Floats) -> Floats:
        return np.asarray(matrix @ counts)


def _interval(value: float, draws: Floats, units: int) -> Interval | None:
    if np.isnan(value):
        return None
    return Interval(value, *limits(value, spread(draws, units), units=units), units)
