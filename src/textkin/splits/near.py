"""Texts that are near-identical without being equal: MinHash finds candidates, exact Jaccard decides.

MinHash LSH after Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from textkin.errors import UsageError
from textkin.progress import track
from textkin.shingles import PERMUTATIONS, Unit, datasketch, jaccard, min_hashes, shingles

_SETS_HELD = 4096
# The banding that datasketch chooses may miss a tenth as many pairs as it proposes in vain: those are cheap
# to reject.
_WEIGHTS = (0.1, 0.9)
_HIGHEST = 0.99  # datasketch has no banding for 1


def near_identical(
    keys: Sequence[str], similarity: float, *, unit: Unit = Unit.LETTERS, quiet: bool = False
) -> list[tuple[int, int]]:
    """Pairs of positions i < j whose keys share at least ``similarity`` of their shingles (Jaccard).

    Every pair that is returned has been verified. A pair a little above ``similarity`` may be missed with a
    small probability, as always with hashing. The result does not depend on the order of ``keys`` or on a
    seed.

    Args:
        keys: distinct normalised keys; with blanks between words where shingles are of words.
        similarity: from above 0 to 1.
        unit: what shingles are runs of.
        quiet: show no progress.

    Raises:
        UsageError: ``similarity`` is out of range.
        MissingExtraError: datasketch is not installed.
    """
    if not 0.0 < similarity <= 1.0:
        raise UsageError(
            f"near-identical similarity is {similarity}, expected above 0 up to 1", fix="try 0.8 or 0.9"
        )
    # Sets of shingles take many times the room of their texts, so only some are held.
    shingles_at = lru_cache(maxsize=_SETS_HELD)(lambda place: shingles(keys[place], unit))
    index = datasketch().MinHashLSH(
        threshold=min(similarity, _HIGHEST), num_perm=PERMUTATIONS, weights=_WEIGHTS
    )
    found = []
    hashed = enumerate(min_hashes(map(shingles_at, range(len(keys)))))
    for later, made in track(hashed, title="near-identical", total=len(keys), quiet=quiet):
        found += [
            (earlier, later)
            for earlier in index.query(made)
            if jaccard(shingles_at(earlier), shingles_at(later)) >= similarity
        ]
        index.insert(later, made, check_duplication=False)
    return sorted(found)
