"""Estimate of the number of pairs before the search.

Random pairs are scored, and the fraction above the threshold gets an exact binomial interval (Clopper and
Pearson, "The use of confidence or fiducial limits", 1934). So a search that would end with too many pairs
after hours stops in a second.
"""

from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import DataError
from textkin.base.progress import note
from textkin.vectors.join.pair_list import Wanted
from textkin.vectors.join.prepared_rows import Rows

MOST_PAIRS = 1 << 27
"""Maximum number of listed pairs."""

_DRAWN = 1 << 16
_AT_ONCE = 1 << 12
_ERROR = 1e-9  # probability that the true number is below the stated bound
MANY = 1 << 24  # number of pairs that takes a while
_FEW = 10_000_000  # number of pairs worth suggesting
_SEEN = 10  # minimum number of sampled pairs at a suggested threshold


@dataclass(frozen=True, slots=True)
class Abundance:
    """The estimated number of pairs.

    Attributes:
        drawn: number of random pairs scored.
        about: the estimate.
        least: lower bound, wrong with a probability of one in a billion.
        enough: a threshold that about ten million pairs reach; None if unknown.
    """

    drawn: int
    about: int
    least: int
    enough: float | None


def abundance(
    left: Rows, right: Rows | None, threshold: np.float32, *, wanted: Wanted | None = None, seed: int = 0
) -> Abundance:
    """Estimate the number of pairs that score at least ``threshold``.

    Args:
        left: rows of one side.
        right: rows of the other side; None for pairs within ``left``.
        threshold: minimum score.
        wanted: filter of pairs; None for all.
        seed: seed of the sample.
    """
    others = left if right is None else right
    compared = len(left) * (len(left) - 1) // 2 if right is None else len(left) * len(right)
    if compared == 0:
        return Abundance(0, 0, 0, None)
    draw = np.random.default_rng(seed)
    a = draw.integers(len(left), size=_DRAWN)
    if right is None:  # a different row
        b = (a + draw.integers(1, len(left), size=_DRAWN)) % len(left)
        a, b = np.minimum(a, b), np.maximum(a, b)
    else:
        b = draw.integers(len(right), size=_DRAWN)
    scores = np.concatenate(
        [
            _scores(left, others, a[start : start + _AT_ONCE], b[start : start + _AT_ONCE])
            for start in range(0, _DRAWN, _AT_ONCE)
        ]
    )
    reached = np.flatnonzero(scores >= threshold)
    if wanted is not None and len(reached):
        reached = reached[wanted(a[reached], b[reached])]
    share = len(reached) / _DRAWN
    return Abundance(
        drawn=_DRAWN,
        about=round(share * compared),
        least=int(_least_share(len(reached)) * compared),
        enough=_enough(scores[reached], compared, threshold),
    )


def refuse_too_many(
    found: Abundance, threshold: np.float32, *, share: float = 1.0, quiet: bool = False
) -> None:
    """Stop before the work if there are certainly too many pairs, and warn of very many.

    Args:
        found: the estimate.
        threshold: the requested threshold.
        share: fraction of the pairs that will be found.
        quiet: True to print no warning.

    Raises:
        DataError: there are too many pairs.
    """
    said = f"about {found.about:,} pairs score at least {threshold:g}, by {found.drawn:,} random ones"
    higher = "raise the threshold" if found.enough is None else f"raise the threshold to {found.enough:.4f}"
    if found.least * share > MOST_PAIRS:
        raise DataError(
            f"{said}; {MOST_PAIRS:,} can be listed",
            fix=f"{higher}, take the best ones (`top`), or let `dedupe()` keep one text of each group",
        )
    if found.least * share > MANY and not quiet:
        note(f"{said}: this may take long; to have fewer, {higher} or take the best ones (`top`)")


def _scores(left: Rows, right: Rows, a: Ints, b: Ints) -> Floats32:
    """The scores of rows with their counterparts, as defined in ``prepared_rows.py``. Shape [pairs]."""
    products = np.vecdot(left.values[a].astype(np.float64), right.values[b].astype(np.float64))
    squares = left.squares[a] * right.squares[b]
    found = np.zeros(len(a))
    np.divide(products, np.sqrt(squares), out=found, where=squares > 0)
    return found.astype(np.float32)


def _least_share(hits: int) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(hits, _DRAWN - hits + 1, _ERROR)) if hits else 0.0


def _enough(scores: Floats32, compared: int, threshold: np.float32) -> float | None:
    place = int(_FEW / compared * _DRAWN)
    if not _SEEN <= place < len(scores):
        return None
    cut = float(np.partition(scores, len(scores) - place)[len(scores) - place])
    return cut if float(threshold) < cut < 1 else None
