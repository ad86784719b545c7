"""How many pairs will be found, estimated before they are looked for.

Random pairs are scored, and the share of those that are wanted has an exact binomial interval (Clopper and
Pearson, "The use of confidence or fiducial limits", 1934). So hours of work that would end with far too many
pairs end in a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.progress import note
from textkin.vectors.join.pair_list import Wanted
from textkin.vectors.join.prepared_rows import Rows

MOST_PAIRS = 1 << 27
"""More pairs than these are not listed."""

_DRAWN = 1 << 16
_AT_ONCE = 1 << 12
_ERROR = 1e-9  # how often the true number is below the stated bound
MANY = 1 << 24  # so many take a while
_FEW = 10_000_000  # so many pairs are worth suggesting
_SEEN = 10  # a threshold that fewer drawn pairs reach is no suggestion


@final
@dataclass(frozen=True, slots=True)
class Abundance:
    """How many pairs there are, by a sample.

    Attributes:
        drawn: random pairs that were scored.
        about: the estimate.
        least: there are at least so many, but for one time in a billion.
        enough: a threshold that about ten million pairs reach; None where none is known.
    """

    drawn: int
    about: int
    least: int
    enough: float | None


def abundance(
    left: Rows, right: Rows | None, threshold: np.float32, *, wanted: Wanted | None = None, seed: int = 0
) -> Abundance:
    """Estimate how many pairs score at least ``threshold``.

    Args:
        left: one side.
        right: the other; None for each two of ``left``.
        threshold: the least score.
        wanted: which pairs count; all if left out.
        seed: draws the pairs.
    """
    others = left if right is None else right
    compared = len(left) * (len(left) - 1) // 2 if right is None else len(left) * len(right)
    if compared == 0:
        return Abundance(0, 0, 0, None)
    draw = np.random.default_rng(seed)
    a = draw.integers(len(left), size=_DRAWN)
    if right is None:  # another row than the first
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
    """Stop before the work if there are certainly more pairs than are listed, and tell of very many.

    Args:
        found: what the sample says.
        threshold: that was asked for.
        share: of the pairs that will be found.
        quiet: tell nothing.

    Raises:
        DataError: there are too many.
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


def _scores(left: Rows, right: Rows, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float32]:
    """The scores of rows with their counterparts, as ``prepared_rows.py`` defines them. Shape [pairs]."""
    products = np.vecdot(left.values[a].astype(np.float64), right.values[b].astype(np.float64))
    squares = left.squares[a] * right.squares[b]
    found = np.zeros(len(a))
    np.divide(products, np.sqrt(squares), out=found, where=squares > 0)
    return found.astype(np.float32)


def _least_share(hits: int) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(hits, _DRAWN - hits + 1, _ERROR)) if hits else 0.0


def _enough(scores: NDArray[np.float32], compared: int, threshold: np.float32) -> float | None:
    place = int(_FEW / compared * _DRAWN)
    if not _SEEN <= place < len(scores):
        return None
    cut = float(np.partition(scores, len(scores) - place)[len(scores) - place])
    return cut if float(threshold) < cut < 1 else None
