"""Files that may be gzip, opened as what is in them, within limits.

A gzip file of 1 MB can hold 1 GB of one byte. Real text is packed to a third or a tenth, so a file that turns
into very much more than its size is refused before memory is full.
"""

from __future__ import annotations

import gzip
import io
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, final

from textkin.base.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

MOST_BYTES, MOST_TIMES = 1 << 26, 200
"""A gzip file may unpack to the first, and beyond it to so many times its size."""

LONGEST_LINE = 1 << 26
"""Bytes that a line may have."""

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 16


def unpacked(stream: io.BufferedReader, path: Path | str) -> io.BufferedReader:
    """The content of an open file: unpacked where it is gzip, itself where it is not.

    What is read raises :class:`DataError` where the limits are passed, and gzip's and zlib's own errors.
    """
    if stream.peek(2)[:2] != _GZIP:
        return stream
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=stream), path, size), _CHUNK)


def lines_of(stream: IO[bytes], path: Path | str) -> Iterator[bytes]:
    """The lines of an open file, with what ends them.

    Raises:
        DataError: one is longer than :data:`LONGEST_LINE`.
    """
    for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), 1):
        if len(line) > LONGEST_LINE:
            raise DataError(
                f"the line has more than {LONGEST_LINE >> 20} MiB",
                path=path,
                line=number,
                fix=r"end lines with \n: tr '\r' '\n' < OLD > NEW" if b"\r" in line else "cut the line",
            )
        yield line


@final
class _Unpacked(io.RawIOBase):
    """The content of a gzip file, up to the limits."""

    def __init__(self, packed: gzip.GzipFile, path: Path | str, size: int) -> None:
        self._packed, self._path = packed, path
        self._left = max(MOST_BYTES, MOST_TIMES * size)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill a buffer."""
        count = self._packed.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise DataError(
                f"the gzip data unpack to more than {MOST_BYTES >> 20} MiB and {MOST_TIMES} times their size",
                path=self._path,
                fix="if they are what you want, unpack them first: gunzip",
            )
        return count

    def close(self) -> None:
        """Let go of the file."""
        self._packed.close()
        super().close()
