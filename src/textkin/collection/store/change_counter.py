"""The counter of the last acknowledged change, next to the database.

SQLite silently drops the end of a damaged log. A database with fewer changes than were acknowledged is
therefore rejected, as is one without this file, or with another's.
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress
from pathlib import Path

_SUFFIX = ".told"
_DIGITS = 20
_LOOKS, _PAUSE = 5, 0.002  # a writer may be in the middle of its 30 bytes


def beside(database: Path) -> Path:
    """The counter file of a database."""
    return Path(f"{database}{_SUFFIX}")


def write_first(database: Path) -> None:
    """Write the file of a new database to disk before any change is acknowledged.

    Raises:
        OSError: the folder isn't writable.
    """
    held = os.open(beside(database), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        os.pwrite(held, _content(0), 0)
        os.fsync(held)
    finally:
        os.close(held)
    folder = os.open(database.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # some file systems can't sync folders
            os.fsync(folder)
    finally:
        os.close(folder)


def write_told(name: str, counter: int, *, folder: int) -> None:
    """Record the counter of a durable change in an existing file.

    It is written in place. After a power failure it may hold an older counter, which rejects nothing.

    Args:
        name: the name of the database.
        counter: the counter of the change.
        folder: a descriptor of the folder, independent of its current name.

    Raises:
        OSError: the file is missing, or can't be written to.
    """
    held = os.open(f"{name}{_SUFFIX}", os.O_WRONLY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        os.pwrite(held, _content(counter), 0)
    finally:
        os.close(held)


def read_told(name: str, *, folder: int) -> int | None:
    """The counter noted next to a database; None if the file is missing or invalid."""
    for look in range(_LOOKS):
        time.sleep(_PAUSE if look else 0)
        try:
            held = os.open(f"{name}{_SUFFIX}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except OSError:
            return None
        try:
            content = os.pread(held, len(_content(0)) + 1, 0)
            if content == _content(int(content[:_DIGITS])):
                return int(content[:_DIGITS])
        except (OSError, ValueError):
            pass
        finally:
            os.close(held)
    return None


def acknowledged(database: Path) -> int:
    """The noted counter; 0 if unreadable."""
    try:
        folder = os.open(database.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0
    try:
        return read_told(database.name, folder=folder) or 0
    finally:
        os.close(folder)


def _content(counter: int) -> bytes:
    number = f"{counter:0{_DIGITS}d}".encode()
    return number + f" {zlib.crc32(number):08x}\n".encode()
