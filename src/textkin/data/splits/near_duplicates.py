"""Near-duplicate texts: MinHash finds candidates, exact Jaccard similarity decides.

MinHash LSH after Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, chapter 3: the numbers of a
MinHash are split into bands, and texts that agree in a whole band are compared. Hashing and comparing are
split into pieces that other machines may work on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid
from textkin.base.progress import progress
from textkin.base.shingles import PERMUTATIONS, Unit, jaccard, min_hashes, shingles

_Given = TypeVar("_Given")
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")

_SETS_HELD = 4096
_MISSED = 0.005  # proportion of the pairs exactly at the similarity
_TEXTS, _PAIRS = 2_048, 8_192  # per piece of work


class Each(Protocol):
    """Function that yields the results of a module-level function for each piece with the shared input."""

    def __call__(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """Submit some pieces ahead, and yield the results in order."""


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of MinHashes, and the unit of their shingles.

    Attributes:
        count: number of bands.
        rows: numbers per band.
        similarity: minimum fraction of shared shingles.
        unit: unit of the shingles.
    """

    count: int
    rows: int
    similarity: float
    unit: Unit


@dataclass(frozen=True, slots=True, eq=False)
class PairsToCheck:
    """Pairs of texts that agree in a band.

    Attributes:
        a: the lower position of each pair among all texts. Shape [pairs].
        b: the higher position. Shape [pairs].
        texts: the distinct texts of these pairs.
        left: index in ``texts`` of the lower position. Shape [pairs].
        right: index in ``texts`` of the higher position. Shape [pairs].
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    texts: tuple[str, ...]
    left: NDArray[np.int64]
    right: NDArray[np.int64]


def here(
    work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
) -> Iterator[_Result]:
    """Run the pieces one after another, in this process."""
    return (work(given, piece) for piece in pieces)


def near_identical(
    keys: Sequence[str],
    similarity: float,
    *,
    unit: Unit = Unit.LETTERS,
    quiet: bool = False,
    each: Each = here,
) -> list[tuple[int, int]]:
    """Pairs of positions i < j whose keys share at least ``similarity`` of their shingles (Jaccard).

    Every returned pair has been verified. A pair exactly at ``similarity`` is missed with a probability of at
    most 0.5 %, one far above it hardly ever. The result depends neither on the order of ``keys`` nor on a
    seed, nor on who works on the pieces.

    Args:
        keys: distinct normalised keys; with spaces between words for shingles of words.
        similarity: above 0 up to 1.
        unit: unit of the shingles.
        quiet: True to show no progress.
        each: runs the pieces.

    Raises:
        UsageError: ``similarity`` is out of range.
        MissingExtraError: datasketch is not installed.
    """
    if not 0.0 < similarity <= 1.0:
        raise invalid("near", similarity, expected="a number above 0, at most 1, such as 0.8")
    bands = bands_for(similarity, unit)
    codes = np.empty((bands.count, len(keys)), dtype=np.uint64)
    pieces = (keys[start : start + _TEXTS] for start in range(0, len(keys), _TEXTS))
    with progress("near-identical", total=len(keys), quiet=quiet) as shown:
        start = 0
        for some in each(band_codes, bands, pieces):
            codes[:, start : start + len(some)] = some.T
            start += len(some)
            shown.advance(len(some))
    found = [np.empty((0, 2), dtype=np.int64), *each(verified, bands, candidates(keys, codes))]
    return sorted((a, b) for a, b in np.concatenate(found).tolist())


def bands_for(similarity: float, unit: Unit) -> Bands:
    """The longest bands, so that as few texts are compared in vain, that miss hardly any pair.

    Texts whose shingles have the Jaccard similarity s agree in a band of r numbers with a probability of s^r.
    """
    rows = next(
        (rows for rows in range(PERMUTATIONS, 1, -1) if _missed(similarity, rows) <= _MISSED),
        1,
    )
    return Bands(PERMUTATIONS // rows, rows, similarity, unit)


def _missed(similarity: float, rows: int) -> float:
    return float((1 - similarity**rows) ** (PERMUTATIONS // rows))


def band_codes(bands: Bands, keys: Sequence[str]) -> NDArray[np.uint64]:
    """The code of each band of each text's MinHash. Shape [texts, bands]."""
    codes = np.empty((len(keys), bands.count), dtype=np.uint64)
    for place, made in enumerate(min_hashes(shingles(key, bands.unit) for key in keys)):
        numbers = made.hashvalues[: bands.count * bands.rows].reshape(bands.count, bands.rows)
        digests = b"".join(blake2b(band.tobytes(), digest_size=8).digest() for band in numbers)
        codes[place] = np.frombuffer(digests, dtype="<u8")
    return codes


def candidates(keys: Sequence[str], codes: NDArray[np.uint64]) -> Iterator[PairsToCheck]:
    """Yield the pairs that agree in a band, each once, in batches.

    Args:
        keys: all texts.
        codes: result of :func:`band_codes`. Shape [bands, texts].
    """
    for band, own in enumerate(codes):
        order = np.argsort(own, kind="stable")
        ends = np.searchsorted(own[order], own[order], side="right")
        further = ends - np.arange(1, len(order) + 1)  # number of later texts that agree with each
        last = np.cumsum(further)
        for start in range(0, int(last[-1]) if len(last) else 0, _PAIRS):
            pair = np.arange(start, min(start + _PAIRS, int(last[-1])))
            places = np.searchsorted(last, pair, side="right")
            others = places + 1 + pair - (last[places] - further[places])
            a, b = order[places], order[others]  # ascending, since the sort is stable
            for other in codes[:band]:
                new = other[a] != other[b]
                a, b = a[new], b[new]
            if len(a):
                numbers, inverse = np.unique(np.stack((a, b)), return_inverse=True)
                left, right = inverse.reshape(2, -1)
                yield PairsToCheck(a, b, tuple(keys[place] for place in numbers.tolist()), left, right)


def verified(bands: Bands, some: PairsToCheck) -> NDArray[np.int64]:
    """The pairs that share enough of their shingles. Shape [pairs, 2]."""
    # Sets of shingles take much more memory than their texts, so only some are cached.
    shingles_at = lru_cache(maxsize=_SETS_HELD)(lambda place: shingles(some.texts[place], bands.unit))
    pairs = zip(some.left.tolist(), some.right.tolist(), strict=True)
    same = [jaccard(shingles_at(a), shingles_at(b)) >= bands.similarity for a, b in pairs]
    return np.stack((some.a, some.b), axis=1)[np.array(same, dtype=bool)]
