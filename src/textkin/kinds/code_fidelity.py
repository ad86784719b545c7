"""Fidelity of bit codes, measured on a sample against exact cosines."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32, Ints
from textkin.base.progress import track
from textkin.measures.metrics.correlation import spearman
from textkin.vectors.join.hamming import CodeTable, smallest
from textkin.vectors.text_codes import UnitRows

NEAREST = 10
SHORTLIST = 100
LEVELS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)

_AT_ONCE = 32
_ROUNDING = 1e-6
_DRAWN = 50  # pairs of each query with arbitrary texts


@dataclass(frozen=True, slots=True)
class Level:
    """Hamming distances of pairs with at least a given cosine.

    Attributes:
        cosine: the minimum cosine.
        pairs: the number of such pairs in the sample.
        expected: the mean Hamming distance of two texts with exactly this cosine.
        median: the median Hamming distance of the pairs.
        radius_95: the 95 % quantile.
        radius_99: the 99 % quantile.
        within: the mean number of texts within the last radius of a text.
    """

    cosine: float
    pairs: int
    expected: float
    median: int
    radius_95: int
    radius_99: int
    within: float


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Recall and error of codes against exact cosines.

    Attributes:
        queries: the number of texts in the sample.
        against: the number of texts that they were compared with.
        nearest: the number of nearest neighbours searched for.
        recall: the fraction of the exact nearest neighbours among as many nearest by code.
        shortlist: the length of a shortlist of the nearest by code.
        recall_of_shortlist: the fraction of the exact nearest neighbours in the shortlist, which an exact
            ranking of it finds.
        spearman: the rank correlation of exact and estimated cosines of arbitrary pairs; None if one side is
            constant.
        error: the root mean square of their differences.
        levels: statistics for cosines that pairs of the sample reach.
    """

    queries: int
    against: int
    nearest: int
    recall: float
    shortlist: int
    recall_of_shortlist: float
    spearman: float | None
    error: float
    levels: tuple[Level, ...]


def fidelity(codes: NDArray[np.uint8], units: UnitRows, *, sample: int) -> Fidelity | None:
    """Compare codes with the vectors they were made from.

    If several texts tie with the last of the nearest, any of them counts as found.

    Args:
        codes: codes of different texts. Shape [texts, bytes].
        units: the vectors they were made from. Shape [texts, features].
        sample: the number of texts, evenly spaced, that are compared with all others.

    Returns:
        The fidelity, or None with fewer than two texts, or an empty sample.
    """
    count = len(codes)
    if count < 2 or sample < 1:
        return None
    queries = np.linspace(0, count, min(sample, count), endpoint=False).astype(np.int64)
    table, tally = CodeTable(codes), _Tally(count, bits=8 * codes.shape[1])
    others = units.T if isinstance(units, np.ndarray) else units.T.tocsr()
    starts = range(0, len(queries), _AT_ONCE)
    for start in track(starts, title="measuring the codes", total=len(starts)):
        rows = queries[start : start + _AT_ONCE]
        product = units[rows] @ others
        cosines = product if isinstance(product, np.ndarray) else product.toarray()
        tally.add(rows, cosines, table.distances(codes[rows]))
    return tally.result(len(queries))


class _Tally:
    """Accumulates the results of blocks of queries."""

    def __init__(self, count: int, *, bits: int) -> None:
        self._count, self._bits = count, bits
        self._nearest, self._shortlist = min(NEAREST, count - 1), min(SHORTLIST, count - 1)
        self._hits = np.zeros(2, dtype=np.int64)
        self._by_distance = np.zeros((len(LEVELS), bits + 1), dtype=np.int64)
        self._all = np.zeros(bits + 1, dtype=np.int64)
        self._drawn: list[tuple[Floats32, NDArray[np.uint16]]] = []
        self._rng = np.random.default_rng(0)

    def add(self, rows: Ints, cosines: Floats32, distances: NDArray[np.uint16]) -> None:
        """Add the texts ``rows``, compared with all texts; both tables of shape [rows, texts]."""
        for row, cosine, distance in zip(rows.tolist(), cosines, distances, strict=True):
            self._add(np.delete(cosine, row), np.delete(distance, row))

    def _add(self, cosines: Floats32, distances: NDArray[np.uint16]) -> None:
        """Add one text, compared with all others."""
        last = np.partition(cosines, -self._nearest)[-self._nearest] - _ROUNDING
        found = cosines[smallest(distances, self._shortlist)] >= last
        self._hits[0] += np.count_nonzero(found[: self._nearest])
        self._hits[1] += min(int(np.count_nonzero(found)), self._nearest)
        self._all += np.bincount(distances, minlength=self._bits + 1)
        similar = np.flatnonzero(cosines >= LEVELS[-1])
        for level, least in enumerate(LEVELS):
            reached = distances[similar[cosines[similar] >= least]]
            self._by_distance[level] += np.bincount(reached, minlength=self._bits + 1)
        drawn = self._rng.integers(len(cosines), size=_DRAWN)
        self._drawn.append((cosines[drawn], distances[drawn]))

    def result(self, queries: int) -> Fidelity:
        """The result of all queries."""
        cosines, distances = (np.concatenate(side) for side in zip(*self._drawn, strict=True))
        estimates = np.cos(np.pi * distances.astype(np.float64) / self._bits)
        exact = cosines.astype(np.float64)
        correlation = spearman(exact, estimates)
        recall, of_shortlist = (self._hits / (queries * self._nearest)).tolist()
        return Fidelity(
            queries=queries,
            against=self._count,
            nearest=self._nearest,
            recall=recall,
            shortlist=self._shortlist,
            recall_of_shortlist=of_shortlist,
            spearman=None if np.isnan(correlation) else correlation,
            error=float(np.sqrt(np.mean((estimates - exact) ** 2))),
            levels=tuple(
                self._level(least, pairs, queries)
                for least, pairs in zip(LEVELS, self._by_distance, strict=True)
                if pairs.any()
            ),
        )

    def _level(self, least: float, pairs: Ints, queries: int) -> Level:
        up_to = np.cumsum(pairs)
        median, radius_95, radius_99 = (
            int(np.searchsorted(up_to, np.ceil(share * up_to[-1]))) for share in (0.5, 0.95, 0.99)
        )
        return Level(
            cosine=least,
            pairs=int(up_to[-1]),
            expected=self._bits * float(np.arccos(least)) / np.pi,
            median=median,
            radius_95=radius_95,
            radius_99=radius_99,
            within=float(self._all[: radius_99 + 1].sum()) / queries,
        )
