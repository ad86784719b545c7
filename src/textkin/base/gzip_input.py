"""Files that may be gzip, opened decompressed, within limits.

A gzip file of 1 MB can contain 1 GB of one byte. Real text compresses to a third or a tenth, so a file that
expands far beyond its size is rejected before memory is full.
"""

from __future__ import annotations

import gzip
import io
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from textkin.base.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

MOST_BYTES, MOST_TIMES = 1 << 26, 200
"""Limits for decompression: an absolute size, and beyond it a multiple of the compressed size."""

LONGEST_LINE = 1 << 26
"""Maximum length of a line in bytes."""

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 16


def unpacked(stream: io.BufferedReader, path: Path | str) -> io.BufferedReader:
    """The content of an open file: decompressed if it is gzip, otherwise unchanged.

    Reading raises :class:`DataError` beyond the limits, and gzip's and zlib's own errors.
    """
    if stream.peek(2)[:2] != _GZIP:
        return stream
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=stream), path, size), _CHUNK)


def lines_of(stream: IO[bytes], path: Path | str) -> Iterator[bytes]:
    """Yield the lines of an open file with their line ends.

    Raises:
        DataError: a line is longer than :data:`LONGEST_LINE`.
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


class _Unpacked(io.RawIOBase):
    """The content of a gzip file within the limits."""

    def __init__(self, packed: gzip.GzipFile, path: Path | str, size: int) -> None:
        self._packed, self._path = packed, path
        self._left = max(MOST_BYTES, MOST_TIMES * size)

    def readable(self) -> bool:
        """Return True."""
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
        """Close the file."""
        self._packed.close()
        super().close()
