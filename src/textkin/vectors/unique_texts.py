"""Unique texts of a set with their vectors, from an encoder or a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.errors import DataError
from textkin.base.files import ensure_folder, resumable, sha256_of_json
from textkin.base.growing_npy import RowFile
from textkin.base.locks import locked_folder
from textkin.base.numpy_files import UNREADABLE, array_in_file, load_npy
from textkin.base.paths import is_folder, is_standard
from textkin.base.python_values import numbers_first
from textkin.base.text_equality import Equal, key_of
from textkin.data.protocols import Encoder
from textkin.text.truncation_account import Truncation
from textkin.vectors.batched_encoding import append_vectors, vectors_of
from textkin.vectors.compute_engine import THIS_MACHINE, WorkEngine
from textkin.vectors.long_texts import LongTexts, Windows, encoder_input
from textkin.vectors.manifest import is_numbering
from textkin.vectors.unknown_token_report import Coverage, UnknownTexts, covered
from textkin.version import __version__

Numbers = Ints

_AT_ONCE = 8192
_SAME = 0.99  # vectors of one text from one encoder differ only by rounding
_ONE_EACH = "give one vector for each text, in the order of the texts"


@dataclass(frozen=True, slots=True, eq=False)
class UniqueTexts:
    """Unique texts with their vectors.

    Attributes:
        texts: the unique texts, sorted by their characters, so the input order doesn't matter.
        number: number of the unique text of each input text. Shape [input texts].
        order: positions of the input texts, by text, then by id. Shape [input texts].
        first: first position of each unique text in that order. Shape [texts].
        windows: their vectors, not normalised; zero for texts that are excluded since too much is unknown.
        unread: True for texts that the encoder didn't read to the end. Shape [texts].
        withheld: True for texts without a usable vector, since too much is unknown. Shape [texts].
        account: report of input texts longer than the encoder reads; None if unknown.
        coverage: the encoder's coverage of the texts; None for vectors given by the user.
        spelt: the unique texts before equal ones were merged, and the number of each input text; None if none
            were merged.
    """

    texts: tuple[str, ...]
    number: Numbers
    order: Numbers
    first: Numbers
    windows: Windows
    unread: Bools
    withheld: Bools
    account: Truncation | None = None
    coverage: Coverage | None = None
    spelt: tuple[tuple[str, ...], Numbers] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def vectors(self) -> Floats32:
        """One vector per text, not normalised; that of the first window for a text in windows.

        Shape [texts, dim].
        """
        return self.windows.first

    def texts_at(self, places: Numbers) -> list[str]:
        """The input texts at some positions, unchanged."""
        texts, numbers = self.spelt or (self.texts, self.number)
        return [texts[number] for number in numbers[places].tolist()]

    def merged(self, equal: Equal) -> UniqueTexts:
        """Merge equal texts into the first spelling, with its first id."""
        if equal is Equal.EXACT:
            return self
        seen: dict[bytes, int] = {}
        firsts: list[int] = []
        node = np.empty(len(self), dtype=np.int64)
        for place, text in enumerate(self.texts):
            # Hashed, so that long texts are not stored twice.
            key = blake2b(key_of(text, equal).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            node[place] = seen.setdefault(key, len(firsts))
            if node[place] == len(firsts):
                firsts.append(place)
        if len(firsts) == len(self):
            return self
        number = node[self.number]
        return replace(
            self,
            texts=tuple(self.texts[place] for place in firsts),
            number=number,
            order=self.order[np.argsort(number[self.order], kind="stable")],
            first=self.first[firsts],
            windows=self.windows.of(np.array(firsts)),
            unread=self.unread[firsts],
            withheld=self.withheld[firsts],
            spelt=(self.texts, self.number),
        )


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Storage for vectors as they are computed, so that a stopped call resumes.

    Attributes:
        folder: an existing folder; its file of vectors is memory-mapped.
        made_of: everything the vectors depend on besides the texts, as JSON-compatible values.
    """

    folder: Path
    made_of: Mapping[str, Any]


@contextmanager
def kept_beside(target: Path, work: str) -> Iterator[Path]:
    """Yield a hidden folder next to an output file; it remains if the block raises and it isn't empty.

    Args:
        target: the output file.
        work: name of the work, used as the folder's suffix.

    Raises:
        OutputError: the folder can't be written to, or another process is writing the file.
    """
    if is_standard(target):  # resuming is impossible there
        with TemporaryDirectory(prefix="textkin-") as temporary:
            yield Path(temporary)
        return
    folder = ensure_folder(target.with_name(f".{target.name}.{work}"))
    with resumable(folder), locked_folder(folder, target=target):
        try:
            yield folder
        except BaseException:
            with suppress(OSError):
                folder.rmdir()
            raise
        shutil.rmtree(folder, ignore_errors=True)


def embedded(
    texts: Sequence[str],
    source: Encoder | NDArray[Any] | Path | str,
    *,
    ids: Sequence[str] | None = None,
    keep: VectorCache | None = None,
    long: LongTexts = LongTexts.ACCEPT,
    unknown: UnknownTexts = UnknownTexts.ACCEPT,
    engine: WorkEngine = THIS_MACHINE,
    folder: Path | None = None,
) -> UniqueTexts:
    """The unique texts with their vectors; prints a note if the encoder doesn't know enough of some.

    Args:
        texts: at least one.
        source: an encoder, which encodes the texts as documents; or a vector for each text: an array or a
            NumPy file, shape [texts, dim].
        ids: ids of the texts, which order equal ones: numbers by value, before others; positions by default.
        keep: cache for an encoder's vectors.
        long: treatment of texts longer than the encoder reads.
        unknown: treatment of texts with too many unknown tokens.
        engine: the engine that encodes.
        folder: an existing folder, whose disk holds the vectors of a NumPy file in the order of the texts;
            None to hold them in memory.

    Raises:
        DataError: there is no text, the file contains no vectors or another number of them, a vector is not
            finite, or vectors of equal texts differ.
        OutputError: the vectors can't be stored.
    """
    if not texts:
        raise DataError("there is no text", fix="give at least one", params=("texts",))
    different, number = _distinct(texts)
    order = np.lexsort((_ranks(ids, len(texts)), number))
    first = order[np.cumsum(np.append(0, np.bincount(number)[:-1]))]
    if not isinstance(source, Encoder):
        none = np.zeros(len(different), dtype=bool)
        taken = Windows.single(_taken(source, number, first, folder))
        return UniqueTexts(different, number, order, first, taken, none, none)
    coverage, doubtful = covered(source, different)
    coverage.tell()
    read = encoder_input(list(different), source, long, times=np.bincount(number))
    given = [*read.texts, *read.further]
    encoder = engine.encoder(source)
    found = _encoded(given, encoder) if keep is None else _kept(given, encoder, keep)
    count = len(different)
    windows = Windows(found[:count], found[count:], read.starts[:-1], read.starts[1:])
    withheld = doubtful if unknown is UnknownTexts.WITHHOLD else np.zeros(count, dtype=bool)
    windows.first[withheld] = 0
    return UniqueTexts(
        different, number, order, first, windows, read.unread, withheld, read.account, coverage
    )


def _distinct(texts: Sequence[str]) -> tuple[tuple[str, ...], Numbers]:
    """The different texts, sorted, and the number of each text among them."""
    different = tuple(sorted(set(texts)))
    places = {text: place for place, text in enumerate(different)}
    return different, np.fromiter((places[text] for text in texts), np.int64, len(texts))


def _ranks(ids: Sequence[str] | None, count: int) -> Numbers:
    """The rank of each id among all."""
    ranks = np.arange(count)
    if ids is not None and not is_numbering(ids):  # sorting millions of them takes gigabytes
        ranks[sorted(range(count), key=lambda place: numbers_first(ids[place]))] = np.arange(count)
    return ranks


def read_vectors(path: Path | str) -> NDArray[Any]:
    """Memory-map a NumPy file of vectors; changes to the array don't reach the file.

    The files ``part-*.npy`` of a folder written by ``textkin encode`` are concatenated.

    Raises:
        DataError: the file has another format, or the files of a folder differ in dimension.
    """
    if is_folder(path) and (parts := parts_of_vectors(path)):
        arrays = [read_vectors(part) for part in parts]
        _check_widths(arrays, path)
        return np.concatenate(arrays)
    fix = "give a file that numpy.save or `encode()` wrote"
    try:
        found = load_npy(path, mapped="c")
    except FileNotFoundError as error:
        raise DataError("no such file", path=path, fix="check the path") from error
    except UNREADABLE as error:
        raise DataError(
            "is not a whole NumPy file of numbers that can be read", path=path, fix=fix
        ) from error
    if not isinstance(found, np.ndarray):
        raise DataError("holds several arrays, expected one", path=path, fix=fix)
    return found


def _check_widths(arrays: Sequence[NDArray[Any]], path: Path | str | None = None) -> None:
    if len({array.shape[1:] for array in arrays}) > 1:
        raise DataError("holds vectors of different widths", path=path, fix="give those of one model")


def parts_of_vectors(path: Path | str) -> list[Path]:
    """The files ``part-*.npy`` of a folder, by name; otherwise the file itself."""
    return sorted(Path(path).glob("part-*.npy")) if is_folder(path) else [Path(path)]


def _encoded(texts: Sequence[str], encoder: Encoder) -> Floats32:
    vectors = np.empty((len(texts), encoder.dim), dtype=np.float32)
    start = 0
    for rows in vectors_of(encoder, texts, count=len(texts)):
        vectors[start : start + len(rows)] = rows
        start += len(rows)
    return vectors


def _kept(texts: Sequence[str], encoder: Encoder, keep: VectorCache) -> Floats32:
    """The vectors from a cache file named by a hash of its inputs."""
    digest = sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}".encode())
    made_of = {**keep.made_of, "textkin": __version__, "texts": digest.hexdigest()}
    path = keep.folder / f"{sha256_of_json(made_of)[:16]}.npy"
    if not path.exists():
        with RowFile(path, width=encoder.dim, made_of=made_of) as rows:
            append_vectors(rows, encoder, texts, count=len(texts))
            rows.finish()
    return np.asarray(read_vectors(path))


def _taken(
    source: NDArray[Any] | Path | str, number: Numbers, first: Numbers, folder: Path | None
) -> Floats32:
    """The vectors of the unique texts; among those of equal texts, the one with the smallest bytes."""
    parts: list[NDArray[Any] | Path] = (
        [source] if isinstance(source, np.ndarray) else [*parts_of_vectors(source)] or [Path(source)]
    )
    path = None if isinstance(source, np.ndarray) else source
    try:
        return _settled(parts, number, first, None if path is None else folder)
    except DataError as error:
        raise DataError(error.message, path=error.path or path, fix=error.fix, value=error.value) from error


def _settled(
    parts: Sequence[NDArray[Any] | Path], number: Numbers, first: Numbers, folder: Path | None
) -> Floats32:
    arrays = [_array(part) for part in parts]
    for given in arrays:
        if given.ndim != 2 or not np.issubdtype(given.dtype, np.floating):
            raise DataError(
                f"vectors of shape {given.shape} and type {given.dtype}",
                fix="give floating-point numbers, one row a vector",
                value=(given.shape, given.dtype),
            )
    _check_widths(arrays)
    count = sum(map(len, arrays))
    if count != len(number):
        raise DataError(
            f"{count:,} vectors for {len(number):,} texts", fix=_ONE_EACH, value=(count, len(number))
        )
    shape = len(first), arrays[0].shape[1]
    vectors = np.empty(shape, dtype=np.float32) if folder is None else array_in_file(folder, *shape)
    for rows, found in _blocks(parts):
        own = first[number[rows]] == rows
        vectors[number[rows[own]]] = found[own]
    if len(first) < count:
        for rows, found in _blocks(parts):
            again = first[number[rows]] != rows
            _settle(vectors, number[rows[again]], rows[again], found[again])
    return vectors


def _array(part: NDArray[Any] | Path) -> NDArray[Any]:
    return part if isinstance(part, np.ndarray) else read_vectors(part)


def _blocks(parts: Sequence[NDArray[Any] | Path]) -> Iterator[tuple[Numbers, Floats32]]:
    """Yield finite rows after their numbers, thousands at a time.

    A file is mapped anew for each block, so that the pages of those before can leave the memory.
    """
    start = 0
    for part in parts:
        for begin in range(0, len(_array(part)), _AT_ONCE):
            found = _finite(_array(part)[begin : begin + _AT_ONCE], start)
            yield np.arange(start, start + len(found)), found
            start += len(found)


def _settle(vectors: Floats32, number: Numbers, rows: Numbers, others: Floats32) -> None:
    """Compare further vectors of texts with the selected ones, and select those with smaller bytes."""
    differing = np.flatnonzero((vectors[number] != others).any(axis=1))
    for text, row, other in zip(number[differing], rows[differing], others[differing], strict=True):
        taken = vectors[text]
        if np.vdot(taken, other) < _SAME * np.sqrt(np.vdot(taken, taken) * np.vdot(other, other)):
            raise DataError(
                f"vector {row} (counted from 0) is of a text that comes several times, and another vector of "
                "it is not the same",
                fix=_ONE_EACH,
            )
        if other.tobytes() < taken.tobytes():
            vectors[text] = other


def _finite(given: NDArray[Any], start: int) -> Floats32:
    with np.errstate(over="ignore"):
        vectors: Floats32 = given.astype(np.float32)
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(broken):
        row = start + int(broken[0])
        raise DataError(
            f"vector {row} (counted from 0) holds a number that is not finite in float32",
            fix="leave it and its text out",
            value=row,
        )
    return vectors
