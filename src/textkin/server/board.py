"""What several worker processes tell each other: a page for each in memory that all of them share."""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import final

_ROOM = 1 << 20  # bytes of a content; those that are never written take no memory
_LENGTH = struct.Struct("<I")
_PAGE = 1 + 2 * (_LENGTH.size + _ROOM)


@final
class NamelessFile:
    """A file that only this process has, and those that part from it.

    Attributes:
        number: its file descriptor.
    """

    def __init__(self) -> None:
        with TemporaryFile() as made:
            self.number = os.dup(made.fileno())
        weakref.finalize(self, os.close, self.number)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """No other process is in such a block meanwhile; the system takes back the lock of one that ends."""
        fcntl.lockf(self.number, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self.number, fcntl.LOCK_UN)


@final
class Board:
    """Pages with a content each, in a file without a name that processes inherit.

    A writer that is killed leaves the content of before: it writes beside it, and then says with one byte
    which one holds.

    Args:
        pages: how many.
    """

    def __init__(self, pages: int) -> None:
        self._file = NamelessFile()
        os.ftruncate(self._file.number, pages * _PAGE)
        self._map = mmap.mmap(self._file.number, pages * _PAGE)
        self._pages = pages

    def write(self, page: int, content: bytes) -> None:
        """Put a content in the place of a page's.

        Raises:
            ValueError: it is larger than a page.
        """
        with self._file.locked():
            self._write(page, content)

    def read(self) -> list[bytes]:
        """The contents of all pages, of one moment; b"" where nothing was written."""
        with self._file.locked():
            return [self._read(page) for page in range(self._pages)]

    def fold(self, page: int, into: int, add: Callable[[bytes, bytes], bytes]) -> None:
        """Empty a page and add its content to another's, so that nobody reads it twice or not at all.

        Args:
            page: whose process has ended.
            into: another page.
            add: makes one content of that page's and this one's.
        """
        with self._file.locked():
            self._write(into, add(self._read(into), self._read(page)))
            self._write(page, b"")

    def _write(self, page: int, content: bytes) -> None:
        if len(content) > _ROOM:
            raise ValueError(f"{len(content):,} bytes are more than the {_ROOM:,} of a page")
        start = page * _PAGE
        other = 1 - self._map[start]
        place = self._place(page, other)
        self._map[place : place + _LENGTH.size] = _LENGTH.pack(len(content))
        self._map[place + _LENGTH.size : place + _LENGTH.size + len(content)] = content
        self._map[start] = other

    def _read(self, page: int) -> bytes:
        place = self._place(page, self._map[page * _PAGE])
        (length,) = _LENGTH.unpack_from(self._map, place)
        return self._map[place + _LENGTH.size : place + _LENGTH.size + length]

    def _place(self, page: int, which: int) -> int:
        return page * _PAGE + 1 + which * (_LENGTH.size + _ROOM)
