"""The folder of an open collection, which may be deleted or replaced meanwhile.

An open database still accepts writes after that, which are lost when it is closed. So before and after each
commit, the collection's name is checked to lead to the opened files.
"""

import os
import time
import zlib
from contextlib import suppress
from pathlib import Path

from textkin.base.errors import OutputError
from textkin.base.files import as_output
from textkin.collection.store.facts import damaged

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
        if look:
            time.sleep(_PAUSE)
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


_AGAIN = "open it again, or restart the server"


class HeldFolder:
    """An open collection's folder.

    Args:
        database: its database file, which may not exist yet.

    Attributes:
        path: the absolute path of the folder.
        told: the last acknowledged change; None if its file is missing or damaged.

    Raises:
        OutputError: the folder can't be opened.
    """

    def __init__(self, database: Path) -> None:
        self._shown, self._name = database.parent, database.name
        self.path = database.parent.absolute()
        with as_output(self._shown):
            self._held = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        self.told = self._read()
        self._file = self._version()

    def close(self) -> None:
        """Close the folder."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def know_file(self) -> None:
        """Remember the database's file, after opening it.

        Raises:
            OutputError: it isn't the earlier one.
        """
        before, self._file = self._file, self._version()
        if self._file is None or before not in (None, self._file):
            raise self._elsewhere("deleted or replaced")

    def require(self) -> None:
        """Check that the folder's name leads to the opened folder and database.

        Raises:
            OutputError: it was deleted or replaced, or another copy was written over it.
        """
        if self._file is None or self._version() != self._file:
            raise self._elsewhere("deleted or replaced")
        if (there := self._read()) is None or there < (self.told or 0):
            raise self._elsewhere("overwritten")
        self.told = there

    def acknowledge(self, counter: int) -> None:
        """Record the number of a durable change, independent of the folder's current name.

        Raises:
            OutputError: its file is gone, or isn't writable.
        """
        with as_output(self._shown):
            write_told(self._name, counter, folder=self._held)
        self.told = counter

    def require_told(self, counter: int) -> None:
        """Check that a database has all acknowledged changes.

        Raises:
            DataError: it doesn't, or the record is missing.
        """
        database = self._shown / self._name
        if self.told is None:
            raise damaged(database, f"{self._name}.told, which says what was acknowledged, can't be read")
        if counter < self.told:
            raise damaged(database, f"its last change is {counter:,}, and {self.told:,} were acknowledged")

    def _read(self) -> int | None:
        return read_told(self._name, folder=self._held)

    def _version(self) -> tuple[int, int] | None:
        """Device and inode of the database's file; None if the folder's name leads elsewhere."""
        try:
            if not os.path.samestat(self.path.stat(), os.fstat(self._held)):
                return None
            file = os.stat(self._name, dir_fd=self._held)
        except OSError:
            return None
        return file.st_dev, file.st_ino

    def _elsewhere(self, what: str) -> OutputError:
        return OutputError(f"the collection {self._shown} was {what} after it was opened", fix=_AGAIN)
