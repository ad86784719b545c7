"""Rows as they are stored, each with a checksum of its content."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import DataError
from textkin.collection.store.address import Place
from textkin.collection.store.back_end import TEXT, VECTORS, BackEnd, Retold, StoredRow, Which
from textkin.collection.store.facts import damaged
from textkin.data.entry_records import Entry, Window

AT_ONCE = 4096
"""The number of rows held at a time."""

_WINDOWED_AT_ONCE = 64  # for texts that may have hundreds of windows

_DEEPEST = 100  # nesting of lists and objects in metadata; SQLite and Python read a little more
_LONGEST_ID = 4096  # bytes; rankings hold ids in arrays as wide as the longest
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_SIGNED = 1 << 63
_LOW_BITS = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class StoredText:
    """A row without its vector."""

    number: int
    entry_id: str
    metadata: str
    text: str

    def entry(self) -> Entry:
        """The entry as the user gave it."""
        return Entry(self.entry_id, self.text, json.loads(self.metadata))


def made_row(number: int, entry: StoredText, key: int, vectors: bytes, spans: Sequence[Window]) -> StoredRow:
    """An entry as a row with a number; without positions of windows if it has one vector."""
    joined = span_bytes(spans) if spans else None
    return StoredRow(
        number,
        entry.entry_id,
        entry.metadata,
        entry.text,
        text_checksum(number, entry.entry_id, entry.metadata, entry.text),
        key,
        vectors,
        vector_checksum(number, vectors),
        joined,
        None if joined is None else vector_checksum(number, joined),
    )


def retold_row(number: int, entry: StoredText) -> Retold:
    """New metadata of a row."""
    return Retold(number, entry.metadata, text_checksum(number, entry.entry_id, entry.metadata, entry.text))


def text_checksum(number: int, entry_id: str, metadata: str, text: str) -> int:
    """CRC-32 of a row of texts; lengths separate its parts."""
    return zlib.crc32(f"{number} {len(entry_id)} {len(metadata)} {entry_id}{metadata}{text}".encode())


def vector_checksum(number: int, vector: bytes) -> int:
    """CRC-32 of a row of vectors."""
    return zlib.crc32(vector, number & _LOW_BITS)


def text_key(text: str) -> int:
    """A key for finding equal texts; different texts may share it."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") - _SIGNED


def stored_text(path: Place, row: Sequence[Any]) -> StoredText:
    """A row of the columns ``TEXT``.

    Raises:
        DataError: it is corrupt.
    """
    number, entry_id, metadata, text, checksum = row
    try:
        if text_checksum(number, entry_id, metadata, text) == checksum:
            return StoredText(number, entry_id, metadata, text)
    except (TypeError, UnicodeError):
        pass
    raise damaged(path, f"row {number} is not what was written")


def stored_vector(
    path: Place, number: int, vector: Any, checksum: Any, dim: int, *, windowed: bool = False
) -> bytes:
    """A vector's bytes, or those of the windows of a text, one after another.

    Args:
        path: the database, for errors.
        number: the row number.
        vector: the stored vector.
        checksum: the stored checksum.
        dim: the dimension of a vector.
        windowed: True if there may be several.

    Raises:
        DataError: they are corrupt.
    """
    if isinstance(vector, bytes) and vector_checksum(number, vector) == checksum:
        size = 4 * dim
        if len(vector) == size or (windowed and len(vector) > size > 0 and len(vector) % size == 0):
            return vector
    raise damaged(path, f"the vector of row {number} is not what was written")


def span_bytes(spans: Sequence[Window]) -> bytes:
    """Window positions in stored form."""
    return np.array(spans, dtype="<i8").tobytes()


def stored_spans(path: Place, number: int, spans: Any, checksum: Any) -> tuple[Window, ...]:
    """The window positions of a row.

    Raises:
        DataError: it is corrupt.
    """
    if isinstance(spans, bytes) and len(spans) % 16 == 0 and vector_checksum(number, spans) == checksum:
        pairs = np.frombuffer(spans, dtype="<i8").reshape(-1, 2).tolist()
        return tuple((start, end) for start, end in pairs)
    raise damaged(path, f"the windows of row {number} are not what was written")


def metadata_text(metadata: Mapping[str, Any], entry_id: str) -> str:
    """Metadata in stored form: JSON that every search can return, without missing values.

    Raises:
        DataError: they aren't a JSON object, are too deep, or contain a NUL, a lone surrogate or a number
            that JSON or 64 bits can't hold, or a name contains a double quote or isn't text.
    """
    if not metadata:
        return "{}"
    if (wrong := _unanswerable(metadata, _DEEPEST)) is not None:
        raise DataError(f"the metadata of {entry_id!r} hold {wrong}", fix="give texts, numbers, true, false")
    metadata = {name: value for name, value in metadata.items() if value is not None}
    try:
        text = json.dumps(metadata, sort_keys=True, ensure_ascii=False, allow_nan=False)
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the metadata of {entry_id!r} hold half a character", fix="give whole ones"
        ) from error
    except (TypeError, ValueError) as error:
        raise DataError(
            f"the metadata of {entry_id!r} are no JSON object: {error}",
            fix="give texts, numbers, true, false",
        ) from error
    named = [name for name in metadata if '"' in name or not name]
    if named:
        raise DataError(f"the metadata of {entry_id!r} have the name {named[0]!r}", fix="give another name")
    if _NUL.search(text):  # filters would stop reading there
        raise DataError(f"the metadata of {entry_id!r} hold a NUL character", fix="leave it out")
    return text


def _unanswerable(value: Any, left: int) -> str | None:
    """The part of a JSON value that can't be stored, filtered or returned; None without."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return None if -_SIGNED <= value < _SIGNED else "an integer of more than 64 bits"
    if isinstance(value, float):
        return None if isfinite(value) else f"{value}, which is not a number in JSON"
    if not isinstance(value, Mapping | list | tuple):
        return None
    if not left:
        return f"more than {_DEEPEST} lists and objects in each other"
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                return f"the name {str(name)[:40]!r}, which is not a text"
    inside = value.values() if isinstance(value, Mapping) else value
    return next((wrong for one in inside if (wrong := _unanswerable(one, left - 1)) is not None), None)


def checked_entry(entry: Entry, *, nul: bool = True) -> Entry:
    """A storable entry.

    Args:
        entry: the given entry.
        nul: True if its text may contain a NUL.

    Raises:
        DataError: its id or text is empty, isn't text or contains a NUL, or the id is too long.
    """
    for what, value in (("id", entry.entry_id), ("text", entry.text)):
        if not isinstance(value, str) or not value.strip():
            raise DataError(f"the {what} {value!r} of an entry", fix="give a text that is not blank")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"half a character in the {what} {value!r}", fix="give whole ones") from error
    if "\0" in entry.entry_id:
        raise DataError(f"a NUL character in the id {entry.entry_id[:40]!r}", fix="leave it out")
    if not nul and "\0" in entry.text:
        raise DataError(
            f"a NUL character in the text of {entry.entry_id[:40]!r}, which PostgreSQL can't store",
            fix="leave it out",
        )
    if (size := len(entry.entry_id.encode())) > _LONGEST_ID:
        raise DataError(
            f"an id of {size:,} bytes, {entry.entry_id[:40]!r}...",
            fix=f"give {_LONGEST_ID:,} at most; without ids, hashes of the texts are taken",
        )
    if not isinstance(entry.metadata, Mapping):
        raise DataError(f"the metadata of {entry.entry_id!r} are no mapping", fix="give names with values")
    return entry


def checked_vectors(vectors: Any, count: int, dim: int | None) -> Floats32:
    """Storable vectors. Shape [count, dim].

    Raises:
        DataError: they have another shape, or values that aren't finite.
    """
    found = np.ascontiguousarray(vectors, dtype=np.float32)
    if found.ndim != 2 or len(found) != count or (dim is not None and found.shape[1] != dim):
        raise wrong_shape(found.shape, count, dim)
    if not np.isfinite(found).all():
        raise DataError("a vector holds a number that is not finite", fix="leave its text out")
    return found


def wrong_shape(shape: tuple[int, ...], count: int, dim: int | None) -> DataError:
    """The error about vectors of another shape."""
    wanted = f"{count} of {'one' if dim is None else dim} dimension{'' if dim == 1 else 's'}"
    return DataError(
        f"vectors of shape {shape}, expected {wanted}", fix="give those of one model", value=shape
    )


def texts_of(back_end: BackEnd, which: Which) -> Iterator[StoredText]:
    """Rows without their vectors.

    Raises:
        DataError: one is corrupt.
    """
    for row in back_end.rows(which, TEXT):
        yield stored_text(back_end.place, row)


def texts_between(back_end: BackEnd, low: int, high: int) -> Iterator[list[StoredText]]:
    """The rows numbered above ``low`` up to ``high``, thousands at a time.

    Raises:
        DataError: a row is corrupt.
    """
    rows = texts_of(back_end, Which(low=low, high=high))
    while found := list(islice(rows, AT_ONCE)):
        yield found


def vectors_between(
    back_end: BackEnd, low: int, high: int, dim: int, *, windowed: bool = False
) -> Iterator[tuple[list[int], Floats32]]:
    """The numbers and vectors of these rows, thousands at a time, fewer with windows.

    Raises:
        DataError: a vector is corrupt.
    """
    rows = back_end.rows(Which(low=low, high=high), VECTORS)
    while found := list(islice(rows, _WINDOWED_AT_ONCE if windowed else AT_ONCE)):
        joined = b"".join(
            stored_vector(back_end.place, number, vector, checksum, dim, windowed=windowed)
            for number, vector, checksum in found
        )
        yield [row[0] for row in found], np.frombuffer(joined, dtype="<f4").reshape(-1, dim)


def joined_rows(back_end: BackEnd, which: Which, dim: int) -> Iterator[tuple[StoredText, Floats32]]:
    """Rows, each with its vector.

    Raises:
        DataError: a row is corrupt, or has no vector.
    """
    for *text, vector, checksum in back_end.rows(which, (*TEXT, *VECTORS[1:])):
        row = stored_text(back_end.place, text)
        stored = stored_vector(back_end.place, row.number, vector, checksum, dim)
        yield row, np.frombuffer(stored, dtype="<f4")
