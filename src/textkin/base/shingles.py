"""Shingles (runs of letters or words) of texts for detecting near-duplicates, and their MinHash.

Broder (1997), "On the resemblance and containment of documents"; Leskovec, Rajaraman and Ullman, Mining of
Massive Datasets, chapter 3.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from textkin.base.extras import imported

PERMUTATIONS = 128
"""Number of values in a MinHash."""

_WORDS = re.compile(r"\w+")


class Unit(StrEnum):
    """Unit of a shingle."""

    LETTERS = "letters"  # four characters, including spaces and signs
    WORDS = "words"  # two words, without the signs between them


_SIZES = {Unit.LETTERS: 4, Unit.WORDS: 2}


def shingle_list(key: str, unit: Unit = Unit.LETTERS) -> list[str]:
    """The shingles of a normalised text in order, with repetitions.

    A text too short for a shingle is its own only one, so short texts are either equal or share nothing.
    """
    size = _SIZES[unit]
    if unit is Unit.LETTERS:
        return [key[start : start + size] for start in range(max(1, len(key) - size + 1))]
    words = _WORDS.findall(key) or [key]
    return [" ".join(words[start : start + size]) for start in range(max(1, len(words) - size + 1))]


def shingles(key: str, unit: Unit = Unit.LETTERS) -> frozenset[str]:
    """The distinct shingles of :func:`shingle_list`."""
    return frozenset(shingle_list(key, unit))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard similarity of two sets of shingles."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def min_hashes(shingle_sets: Iterable[Iterable[str]]) -> Iterator[Any]:
    """The MinHash of each set, as an object of datasketch.

    The fraction of equal values in two MinHashes estimates the Jaccard similarity of the sets.

    Raises:
        MissingExtraError: datasketch is not installed.
    """
    encoded = ([one.encode("utf-8", "surrogatepass") for one in shingle_set] for shingle_set in shingle_sets)
    return datasketch().MinHash.generator(encoded, num_perm=PERMUTATIONS, hashfunc=zlib.crc32)


def datasketch() -> Any:
    """Import the library datasketch.

    Raises:
        MissingExtraError: it is not installed.
    """
    return imported("datasketch", extra="minhash")
