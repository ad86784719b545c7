"""Unique texts of a set with their binary codes, from vectors or shingles."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import shake_128
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from textkin.base.errors import DataError, invalid
from textkin.base.progress import track
from textkin.base.shingles import Unit, shingle_list
from textkin.base.text_equality import Equal, key_of
from textkin.data.protocols import Encoder
from textkin.text.truncation_account import Truncation
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.unique_texts import VectorCache, embedded
from textkin.vectors.unknown_token_report import Coverage

MOST_BITS = 1 << 14

_LEVELS = 1 << 16  # for the normal numbers: two bytes of the digest each
_ONE = 1 << 12  # their unit: as integers, they have exact sums
_ROWS_AT_ONCE = 8192
_FEATURES_AT_ONCE = 4096


def check_bits(bits: int) -> None:
    """Raise unless codes can have this length.

    Raises:
        UsageError: it is not a multiple of 8 within the range.
    """
    if not 8 <= bits <= MOST_BITS or bits % 8:
        raise invalid("bits", bits, expected=f"a multiple of 8, at most {MOST_BITS:,}")


def planes(names: Iterable[str], *, bits: int, seed: int = 0) -> NDArray[np.int16]:
    """The coefficients of hyperplanes: normal numbers in 4,096ths. Shape [names, bits]."""
    drawn = b"".join(
        shake_128(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest(2 * bits) for name in names
    )
    return _quantiles()[np.frombuffer(drawn, dtype="<u2")].reshape(-1, bits)


def codes_of_vectors(vectors: NDArray[Any], *, bits: int, seed: int = 0) -> NDArray[np.uint8]:
    """The codes of vectors, whose features are named "0", "1" and so on.

    Args:
        vectors: floating-point vectors, not normalised; a zero vector has a code of zeros. Shape [rows, dim].
        bits: length of a code, a multiple of 8.
        seed: seed of the hyperplanes.

    Returns:
        Eight bits per byte, most significant first. Shape [rows, bits / 8].

    Raises:
        UsageError: codes can't have this length.
    """
    check_bits(bits)
    # In double precision, so that rounding practically never flips a bit.
    table = planes(map(str, range(vectors.shape[1])), bits=bits, seed=seed).astype(np.float64)
    codes = np.empty((len(vectors), bits // 8), dtype=np.uint8)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        codes[part] = np.packbits(vectors[part].astype(np.float64) @ table > 0, axis=1)
    return codes


def codes_of_counts(
    counts: csc_array, names: Sequence[str], *, bits: int, seed: int = 0
) -> NDArray[np.uint8]:
    """The SimHash codes of texts from their shingle counts.

    A text's code depends only on that text, not on the shingles of others.

    Args:
        counts: integers. Shape [texts, names].
        names: the shingles.
        bits: length of a code, a multiple of 8.
        seed: seed of the hyperplanes.

    Returns:
        Codes as of :func:`codes_of_vectors`.

    Raises:
        UsageError: codes can't have this length.
    """
    check_bits(bits)
    sums = np.zeros((counts.shape[0], bits))  # sums of integers, exact in any order
    for start in range(0, len(names), _FEATURES_AT_ONCE):
        part = slice(start, start + _FEATURES_AT_ONCE)
        sums += counts[:, part] @ planes(names[part], bits=bits, seed=seed).astype(np.float64)
    return np.packbits(sums > 0, axis=1)


@lru_cache(maxsize=1)
def _quantiles() -> NDArray[np.int16]:
    """The normal number of each level, increasing."""
    normal = NormalDist()
    upper = [round(normal.inv_cdf((level + 0.5) / _LEVELS) * _ONE) for level in range(_LEVELS // 2, _LEVELS)]
    return np.array([*(-one for one in reversed(upper)), *upper], dtype=np.int16)


UnitRows = NDArray[np.float32] | csr_array
"""Unit rows or zero rows, whose products are cosines."""

Source = Encoder | NDArray[Any] | Path | str | Unit
"""An encoder, vectors or a file of them, or the unit of shingles."""

_TEXTS_AT_ONCE = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Unique texts with their binary codes.

    Attributes:
        codes: shape [texts, bits / 8].
        blank: True for zero vectors, whose codes carry no information. Shape [texts].
        number: index of the unique text of each input text. Shape [input texts].
        words: description of the codes' source.
        units: function from text numbers to the rows they were made from, whose products are exact cosines.
        account: report of texts longer than the encoder reads; None if unknown.
        coverage: the encoder's coverage of the texts; None for vectors and shingles.
    """

    codes: NDArray[np.uint8]
    blank: NDArray[np.bool_]
    number: NDArray[np.int64]
    words: str
    units: Callable[[NDArray[np.int64]], UnitRows]
    account: Truncation | None = None
    coverage: Coverage | None = None


def coded(
    texts: Sequence[str], source: Source, *, bits: int, seed: int, keep: VectorCache | None = None
) -> Coded:
    """Encode each unique text as a binary code.

    Args:
        texts: at least one.
        source: source of the codes.
        bits: length of a code.
        seed: seed of the hyperplanes.
        keep: cache for an encoder's vectors.

    Raises:
        DataError: there is no text, or the vectors don't match the texts.
        OutputError: the vectors can't be stored.
    """
    if isinstance(source, Unit):
        return _of_shingles(texts, source, bits=bits, seed=seed)
    found = embedded(texts, source, keep=keep)
    return Coded(
        codes=codes_of_vectors(found.vectors, bits=bits, seed=seed),
        blank=~np.asarray(found.vectors.any(axis=1)),
        number=found.number,
        words=f"meaning, {source.name if isinstance(source, Encoder) else 'given vectors'}",
        units=partial(_unit_vectors, found.vectors),
        account=found.account,
        coverage=found.coverage,
    )


def _of_shingles(texts: Sequence[str], unit: Unit, *, bits: int, seed: int) -> Coded:
    if not texts:
        raise DataError("there is no text", fix="give at least one", params=("texts",))
    different = sorted(set(texts))
    places = {text: place for place, text in enumerate(different)}
    codes = np.empty((len(different), bits // 8), dtype=np.uint8)
    starts = range(0, len(different), _TEXTS_AT_ONCE)
    for start in track(starts, title=f"hashing {unit.value}", total=len(starts)):
        part = slice(start, start + _TEXTS_AT_ONCE)
        counts, names = _counts(different[part], unit)
        codes[part] = codes_of_counts(csc_array(counts), names, bits=bits, seed=seed)
    return Coded(
        codes=codes,
        blank=np.zeros(len(codes), dtype=bool),
        number=np.fromiter((places[text] for text in texts), np.int64, len(texts)),
        words=f"{unit.value}, SimHash",
        units=partial(_unit_counts, different, unit),
    )


def _counts(texts: Sequence[str], unit: Unit) -> tuple[csr_array, list[str]]:
    """The number of occurrences of each shingle in each text, and the shingles.

    Shape [texts, shingles].
    """
    numbers: dict[str, int] = {}
    columns = array("i")
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    for row, text in enumerate(texts):
        columns.extend(
            numbers.setdefault(one, len(numbers)) for one in shingle_list(key_of(text, Equal.CASE), unit)
        )
        ends[row + 1] = len(columns)
    ones = np.ones(len(columns), dtype=np.float32)
    counts = csr_array((ones, np.array(columns, dtype=np.int32), ends), shape=(len(texts), len(numbers)))
    counts.sum_duplicates()
    return counts, list(numbers)


def _unit_counts(texts: Sequence[str], unit: Unit, some: NDArray[np.int64]) -> csr_array:
    """The counts of some texts, each row scaled to unit length."""
    counts, _ = _counts([texts[place] for place in some.tolist()], unit)
    rows = np.repeat(np.arange(len(some)), np.diff(counts.indptr))
    squares = np.bincount(rows, weights=counts.data.astype(np.float64) ** 2, minlength=len(some))
    counts.data = (counts.data / np.sqrt(squares)[rows]).astype(np.float32)
    return counts


def _unit_vectors(vectors: NDArray[np.float32], some: NDArray[np.int64]) -> NDArray[np.float32]:
    """Some vectors, each scaled to unit length or zero."""
    rows = by_cosine(vectors[some])
    return rows.values * rows.scales[:, None]
