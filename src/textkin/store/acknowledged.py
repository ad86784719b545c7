"""The counter of the last change that was told, beside the database.

SQLite leaves out the end of a log that is damaged, without a word. A database that knows less than was told
is refused, so that this isn't taken for what is there.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

from textkin.files import as_output
from textkin.store.database import damaged

_SUFFIX = ".told"
_DIGITS = 20


def acknowledge(database: Path, counter: int) -> None:
    """Note the counter of a change that is on the disk.

    It is written in place: after a loss of power an older one may stand there, which refuses nothing.

    Raises:
        OutputError: the folder can't be written to.
    """
    number = f"{counter:0{_DIGITS}d}".encode()
    path = beside(database)
    with as_output(path):
        held = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
        try:
            os.pwrite(held, number + f" {zlib.crc32(number):08x}\n".encode(), 0)
        finally:
            os.close(held)


def acknowledged(database: Path) -> int:
    """The counter that was noted; 0 where there is none that can be read."""
    try:
        number, checksum = beside(database).read_bytes().split()
        return int(number) if int(checksum, 16) == zlib.crc32(number) else 0
    except (OSError, ValueError):
        return 0


def require_acknowledged(database: Path, counter: int, told: int) -> None:
    """See that a database knows what was told before it was opened.

    Raises:
        DataError: it doesn't.
    """
    if counter < told:
        raise damaged(database, f"change {counter:,} is its last, and {told:,} were acknowledged")


def beside(database: Path) -> Path:
    """The file of the counter."""
    return database.with_name(database.name + _SUFFIX)
