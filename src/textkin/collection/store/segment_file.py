"""Segments as memory-mapped cache files, verified by checksums.

A file is a mark, the arrays, each aligned to 64 bytes, then a JSON object with their positions and a CRC-32
of each of their blocks, its length, and the mark again. The database has the checksum of that object. So a
file of another collection or another time, and a truncated one, are rejected on opening; flipped bits are,
too, those of vectors on their first search.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import said
from textkin.base.files import as_output, atomic_path, remove_temporaries
from textkin.base.numpy_files import take_room
from textkin.base.threads import cores, side_by_side
from textkin.collection.store.back_end import BackEnd, Which, forget, moment
from textkin.collection.store.facts import fact, fact_texts, rows_since, state_of, unreadable
from textkin.collection.store.segment import IdOrder, RowSource, Segment
from textkin.text.baselines.analysers import ANALYSIS
from textkin.vectors.index.bm25_postings import Postings
from textkin.vectors.index.byte_codes import ByteCodes, byte_codes
from textkin.vectors.join.prepared_rows import by_cosine, with_squares

_MARK = f"textkin segment {ANALYSIS}\n".encode()  # a different analysis of words gives a different file
_ALIGNED = 64
_BLOCK = 1 << 20
_LENGTH = 8
_VECTORS, _CODES, _STARTS = "vectors", "codes", "starts"
_POSTINGS = ("keys", "offsets", "documents", "counts", "lengths")


@dataclass(frozen=True, slots=True)
class KnownSegment:
    """A file as noted in the collection: its name, row numbers and checksum."""

    high: int
    low: int
    rows: int
    file: str
    checksum: int


class UnusableSegment(Exception):
    """A cache file is unusable; its rows are read from the database instead."""


def write_segment(folder: Path, source: RowSource, low: int, high: int) -> KnownSegment:
    """Write the rows numbered above ``low`` up to ``high`` to a file, atomically.

    Memory is needed for the words, not for the vectors: about 20 bytes per word, repeated ones included, and
    150 per row.

    Raises:
        OutputError: the disk is full.
        DataError: a row is corrupt.
    """
    order = source.ordered(low, high)
    path = folder / f"{high:015d}-{low:015d}.segment"
    with atomic_path(path) as temporary:
        checksum = _write(temporary, source, order, low, high)
    return KnownSegment(high, low, len(order), path.name, checksum)


def open_segment(folder: Path, known: KnownSegment, dim: int) -> Segment:
    """Map a segment's file.

    Raises:
        UnusableSegment: it is missing or corrupt.
    """
    path = folder / known.file
    try:
        content: NDArray[np.uint8] = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        if (arrays := _described(content, known)) is None:
            raise UnusableSegment(f"{path} was cut short, or is another's")
        for name, about in arrays.items():
            if name not in (_VECTORS, _CODES) and not _is_sound(content, about):
                raise UnusableSegment(f"{path}: {name} is not what was written")
        found = {name: _array(content, about) for name, about in arrays.items()}
        starts = found.get(_STARTS)
        shape = (known.rows if starts is None else int(starts[-1])), dim
        if found[_VECTORS].shape != shape or len(found["numbers"]) != known.rows:
            raise UnusableSegment(f"{path}: {found[_VECTORS].shape} vectors, expected {shape}")
        vectors = with_squares(found[_VECTORS], found["squares"])
        codes = ByteCodes(found[_CODES], found["steps"], found["errors"])
        postings = Postings(*(found[name] for name in _POSTINGS))
        large = [arrays[_CODES], arrays[_VECTORS]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnusableSegment(f"{path}: {said(error)}") from error

    def is_sound() -> bool:
        return all(_is_sound(content, about) for about in large)

    numbers = found["numbers"]
    return Segment(
        known.low, known.high, numbers, vectors, codes, lambda: postings, path, is_sound, starts=starts
    )


def _write(path: Path, source: RowSource, order: IdOrder, low: int, high: int) -> int:
    """Write all arrays and their description; return the description's checksum."""
    written: dict[str, dict[str, Any]] = {}
    vectors: NDArray[np.float32]
    with path.open("r+b") as stream:
        stream.write(_MARK)
        _append(stream, written, "numbers", order.numbers)
        place = _aligned(stream)
        shape = order.vectors, source.dim
        if order.numbers.size and source.dim:
            take_room(stream, place, 4 * shape[0] * shape[1])
            mapped = np.memmap(stream, dtype=np.float32, mode="r+", offset=place, shape=shape)
            vectors = np.asarray(mapped)
            source.fill(vectors, order, low, high)
            rows = by_cosine(vectors)
            if not np.shares_memory(rows.values, vectors):  # scaled, since some were too long for products
                vectors[:] = rows.values
            mapped.flush()
        else:
            vectors = np.empty(shape, dtype=np.float32)
            rows = by_cosine(vectors)
        written[_VECTORS] = _about(vectors, place)
        stream.seek(0, 2)
        if order.starts is not None:
            _append(stream, written, _STARTS, order.starts)
        _append(stream, written, "squares", rows.squares)
        codes = byte_codes(rows)
        for name, array in ((_CODES, codes.codes), ("steps", codes.steps), ("errors", codes.errors)):
            _append(stream, written, name, array)
        postings = source.postings(order, low, high)
        for name in _POSTINGS:
            _append(stream, written, name, getattr(postings, name))
        text = json.dumps({"low": low, "high": high, "arrays": written}, sort_keys=True).encode()
        stream.write(text + len(text).to_bytes(_LENGTH, "little") + _MARK)
    return zlib.crc32(text)


def _append(stream: IO[bytes], written: dict[str, dict[str, Any]], name: str, array: NDArray[Any]) -> None:
    place = _aligned(stream)
    stream.write(np.ascontiguousarray(array).data)
    written[name] = _about(array, place)


def _aligned(stream: IO[bytes]) -> int:
    """Round up to a multiple of 64 bytes."""
    stream.write(b"\0" * (-stream.tell() % _ALIGNED))
    return stream.tell()


def _about(array: NDArray[Any], place: int) -> dict[str, Any]:
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    blocks = side_by_side(_checksum, list(_blocks(flat)), workers=cores())
    return {"dtype": array.dtype.str, "shape": list(array.shape), "place": place, "blocks": list(blocks)}


def _blocks(content: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    for start in range(0, len(content), _BLOCK):
        yield content[start : start + _BLOCK]


def _checksum(block: NDArray[np.uint8]) -> int:
    return zlib.crc32(block.data)


def _described(content: NDArray[np.uint8], known: KnownSegment) -> dict[str, dict[str, Any]] | None:
    """The positions of a file's arrays; None if it isn't the known file."""
    end = len(content) - len(_MARK)
    begin = end - _LENGTH
    if begin < 0 or content[end:].tobytes() != _MARK or content[: len(_MARK)].tobytes() != _MARK:
        return None
    length = int.from_bytes(content[begin:end].tobytes(), "little")
    text = content[max(begin - length, 0) : begin].tobytes()
    if zlib.crc32(text) != known.checksum:
        return None
    return json.loads(text)["arrays"]


def _bytes_of(content: NDArray[np.uint8], about: dict[str, Any]) -> NDArray[np.uint8]:
    size = int(np.prod(about["shape"])) * np.dtype(about["dtype"]).itemsize
    return content[about["place"] : about["place"] + size]


def _is_sound(content: NDArray[np.uint8], about: dict[str, Any]) -> bool:
    """True if the blocks of an array are intact."""
    blocks = list(_blocks(_bytes_of(content, about)))
    if len(blocks) != len(about["blocks"]):
        return False
    found = side_by_side(_checksum, blocks, workers=cores())
    return all(one == wanted for one, wanted in zip(found, about["blocks"], strict=True))


def _array(content: NDArray[np.uint8], about: dict[str, Any]) -> NDArray[Any]:
    return _bytes_of(content, about).view(about["dtype"]).reshape(about["shape"])


SEGMENTS = "segments"
"""The fact that names the files."""

WORTH_A_FILE = 4096
"""The number of vectors searched in memory, besides the files."""

_GROWTH = 2  # a file is merged with newer rows until it is this many times larger
_MOST_REMOVED = 0.25


def refresh_caches(source: RowSource, folder: Path, *, whole: bool = False) -> bool:
    """Update the cache if it pays; the collection's lock must be held.

    Files are derived from the database alone. They become valid when the database names them; files that it
    no longer names are then removed.

    Args:
        source: the rows, not in a transaction.
        folder: the cache folder.
        whole: write one file of all rows.

    Returns:
        True if anything was written.

    Raises:
        OutputError: the disk is full.
        DataError: a row is corrupt.
    """
    back_end = source.back_end
    known = _usable(source, folder)
    low = 0 if whole else _begin(source, known)
    if low is None or not source.dim:
        _tidy(back_end, folder)
        return False
    with as_output(folder):
        folder.mkdir(exist_ok=True)
    high = state_of(back_end).counter
    with moment(back_end):
        made = write_segment(folder, source, low, high)
    kept = [one for one in known if one.high <= low]
    noted = [astuple(one) for one in (*kept, made)]
    forget(back_end, min([*(one.high for one in kept), high]), fact_texts({SEGMENTS: noted}))
    _tidy(back_end, folder)
    return True


def known_segments(back_end: BackEnd) -> list[KnownSegment]:
    """The files named by the collection, by their rows.

    Raises:
        DataError: their names are corrupt.
    """
    try:
        return [KnownSegment(*one) for one in fact(back_end, SEGMENTS) or ()]
    except TypeError:
        raise unreadable(back_end.place, SEGMENTS) from None


def _usable(source: RowSource, folder: Path) -> list[KnownSegment]:
    """The usable files, starting with the first row."""
    found: list[KnownSegment] = []
    for one in known_segments(source.back_end):
        try:
            if one.low != (found[-1].high if found else 0):
                break
            open_segment(folder, one, source.dim)
        except UnusableSegment:
            break
        found.append(one)
    return found


def _begin(source: RowSource, known: Sequence[KnownSegment]) -> int | None:
    """The number above which rows go into a new file; None if that doesn't pay.

    To write each row only a few times, a file is merged with newer rows unless it is much larger.
    """
    back_end, low = source.back_end, known[-1].high if known else 0
    newer = rows_since(back_end, low)
    removed = [one.rows - rows_since(back_end, one.low, one.high) for one in known]
    stale = [one.low for one, gone in zip(known, removed, strict=True) if gone > _MOST_REMOVED * one.rows]
    few = _vectors(source, newer, low) < WORTH_A_FILE
    if few and not any(gone > WORTH_A_FILE // 4 for gone in removed if stale):
        return None
    for one in reversed(known):
        if one.rows > _GROWTH * newer and not (stale and one.high > stale[0]):
            break
        low, newer = one.low, newer + one.rows
    return low


def _vectors(source: RowSource, newer: int, low: int) -> int:
    """The number of vectors of the rows above a row number."""
    if not source.windowed:
        return newer
    with moment(source.back_end):
        sizes: list[int] = [row[0] for row in source.back_end.rows(Which(low=low), ("size",))]
    return sum(sizes) // (4 * source.dim or 1)


def _tidy(back_end: BackEnd, folder: Path) -> None:
    """Remove the files that the collection doesn't name."""
    if folder.is_dir():
        named = {one.file for one in known_segments(back_end)}
        remove_temporaries(folder)
        for path in folder.glob("*.segment"):
            if path.name not in named:
                with suppress(OSError):
                    path.unlink()
