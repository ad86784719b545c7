"""Shingles: the runs of letters or words of a text, by which near-duplicates are known, and their MinHash.

Broder (1997), "On the resemblance and containment of documents"; Leskovec, Rajaraman and Ullman, Mining of
Massive Datasets, chapter 3.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from textkin.base.extras import imported

PERMUTATIONS = 128
"""How many numbers a MinHash has."""

_WORDS = re.compile(r"\w+")


class Unit(StrEnum):
    """What a shingle is a run of."""

    LETTERS = "letters"  # four characters, blanks and signs among them
    WORDS = "words"  # two words, signs between them left out


_SIZES = {Unit.LETTERS: 4, Unit.WORDS: 2}


def shingle_list(key: str, unit: Unit = Unit.LETTERS) -> list[str]:
    """The shingles of a normalised text in their order, repeated ones too.

    A text that is too short for one is its own only shingle, so equal short texts share everything, others
    nothing.
    """
    size = _SIZES[unit]
    if unit is Unit.LETTERS:
        return [key[start : start + size] for start in range(max(1, len(key) - size + 1))]
    words = _WORDS.findall(key) or [key]
    return [" ".join(words[start : start + size]) for start in range(max(1, len(words) - size + 1))]


def shingles(key: str, unit: Unit = Unit.LETTERS) -> frozenset[str]:
    """The different ones of :func:`shingle_list`."""
    return frozenset(shingle_list(key, unit))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the shingles of either text that both have."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def min_hashes(shingle_sets: Iterable[Iterable[str]]) -> Iterator[Any]:
    """The MinHash of each set, an object of datasketch.

    Two sets agree in about the share of their MinHashes' numbers that they share of their shingles.

    Raises:
        MissingExtraError: datasketch is not installed.
    """
    encoded = ([one.encode("utf-8", "surrogatepass") for one in shingle_set] for shingle_set in shingle_sets)
    made: Iterator[Any] = datasketch().MinHash.generator(encoded, num_perm=PERMUTATIONS, hashfunc=zlib.crc32)
    return made


def datasketch() -> Any:
    """The library of that name.

    Raises:
        MissingExtraError: it is not installed.
    """
    return imported("datasketch", extra="minhash")
