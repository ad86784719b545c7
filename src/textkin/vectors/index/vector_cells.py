"""Clusters of vectors by spherical k-means, for searches that scan only the nearest clusters.

Vectors in the scanned clusters get the same scores as without clusters. So a search misses only vectors of
other clusters, and one that scans all clusters is exact.
"""

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.errors import invalid
from textkin.text.baselines.mean_pooling import unit_rows

LEAST = 8
"""Minimum mean number of vectors in a cluster."""

SAMPLED = 64
"""Number of vectors per cluster that suffices to train its centre."""

_ROUNDS = 12
_AT_ONCE = 1 << 14


def most_cells(rows: int) -> int:
    """The maximum number of clusters for a number of rows."""
    return max(rows // LEAST, 1)


def check_cells(cells: int, rows: int) -> None:
    """Check that this number of rows can be split into this number of clusters.

    Raises:
        UsageError: there are too few rows, or no cluster.
    """
    most = most_cells(rows)
    if not 1 <= cells <= most:
        usual = min(max(round(rows**0.5), 1), most)
        raise invalid("cells", cells, expected=f"1 to {most:,} for {rows:,} rows, such as {usual:,}")


def centres_of(sample: Floats32, cells: int, *, seed: int = 0) -> Floats32:
    """The centres of clusters, of unit length: Lloyd's k-means by cosine (spherical k-means).

    Args:
        sample: training vectors, not normalised. Shape [rows, dim].
        cells: number of clusters; with fewer vectors, some centres stay zero.
        seed: seed of the initial centres.

    Returns:
        Shape [cells, dim].
    """
    units = unit_rows(np.asarray(sample, dtype=np.float32))
    centres = np.zeros((cells, units.shape[1]), dtype=np.float32)
    drawn = np.random.default_rng(seed).permutation(len(units))[:cells]
    centres[: len(drawn)] = units[drawn]
    for _ in range(_ROUNDS):
        own = assigned(units, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, own, units)
        empty = np.bincount(own, minlength=cells) == 0
        sums[empty] = centres[empty]
        centres = unit_rows(sums)
    return centres


def assigned(vectors: Floats32, centres: Floats32) -> Ints32:
    """The nearest centre of each vector, by cosine. Shape [rows]."""
    found = np.empty(len(vectors), dtype=np.int32)
    for start in range(0, len(vectors), _AT_ONCE):
        part = vectors[start : start + _AT_ONCE]
        found[start : start + len(part)] = (part @ centres.T).argmax(axis=1)
    return found


def nearest_cells(vectors: Floats32, centres: Floats32) -> Ints:
    """All clusters, nearest first. Shape [vectors, cells]."""
    return np.argsort(-(vectors @ centres.T), axis=1, kind="stable")
