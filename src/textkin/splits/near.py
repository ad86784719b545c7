"""Texts that are near-identical without being equal: MinHash finds candidates, exact Jaccard decides.

MinHash LSH after Broder (1997) and Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, chapter 3.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

from textkin.errors import MissingExtraError, UsageError
from textkin.progress import track

_SHINGLE = 4
_PERMUTATIONS = 128
_SETS_HELD = 4096
# The banding that datasketch chooses may miss a tenth as many pairs as it proposes in vain: those are cheap
# to reject.
_WEIGHTS = (0.1, 0.9)


def shingles(key: str, *, size: int = _SHINGLE) -> frozenset[str]:
    """The runs of ``size`` characters in a key; a shorter key is its own only shingle."""
    return frozenset(key[start : start + size] for start in range(max(1, len(key) - size + 1)))


def near_identical(keys: Sequence[str], similarity: float, *, quiet: bool = False) -> list[tuple[int, int]]:
    """Pairs of positions i < j whose keys share at least ``similarity`` of their shingles (Jaccard).

    Every pair that is returned has been verified. A pair a little above ``similarity`` may be missed with a
    small probability, as always with hashing. The result does not depend on the order of ``keys`` or on a
    seed.

    Args:
        keys: distinct normalised keys.
        similarity: from above 0 to 1.
        quiet: show no progress.

    Raises:
        UsageError: ``similarity`` is out of range.
        MissingExtraError: datasketch is not installed.
    """
    if not 0.0 < similarity <= 1.0:
        raise UsageError(
            f"near-identical similarity is {similarity}, expected above 0 up to 1", fix="try 0.8 or 0.9"
        )
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError as error:
        raise MissingExtraError("datasketch", extra="minhash") from error

    # Sets of shingles take many times the room of their texts, so only some are held.
    shingles_at = lru_cache(maxsize=_SETS_HELD)(lambda place: shingles(keys[place]))
    index = MinHashLSH(threshold=similarity, num_perm=_PERMUTATIONS, weights=_WEIGHTS)
    found = []
    for later in track(range(len(keys)), title="near-identical", total=len(keys), quiet=quiet):
        shingle_set = shingles_at(later)
        sketch = MinHash(num_perm=_PERMUTATIONS, hashfunc=zlib.crc32)
        sketch.update_batch([shingle.encode() for shingle in shingle_set])
        found += [
            (earlier, later)
            for earlier in index.query(sketch)
            if _jaccard(shingles_at(earlier), shingle_set) >= similarity
        ]
        index.insert(later, sketch, check_duplication=False)
    return sorted(found)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)
