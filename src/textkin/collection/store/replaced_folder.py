"""The folder of an open collection, which somebody may delete or replace meanwhile.

An open database goes on after that: what is written to it is gone when it is closed. So a commit is preceded
and followed by a look whether the collection's name still leads to the files that were opened.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import final

from textkin.base.errors import OutputError
from textkin.base.files import as_output
from textkin.collection.store.change_counter import read_told, write_told
from textkin.collection.store.database import damaged

_AGAIN = "open it again, or restart the server"


@final
class HeldFolder:
    """A collection's folder, held open.

    Args:
        database: the file in it, which may not be there yet.

    Attributes:
        path: of the folder, wherever this process goes.
        told: the last change that was acknowledged; None where the file that says so is missing or damaged.

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
        """Let go of it."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def know_file(self) -> None:
        """Take note of the database's file, after it was opened.

        Raises:
            OutputError: it is not the one that was there before.
        """
        before, self._file = self._file, self._version()
        if self._file is None or before not in (None, self._file):
            raise self._elsewhere("deleted or replaced")

    def require(self) -> None:
        """See that the folder's name leads to the folder and the database that were opened.

        Raises:
            OutputError: it was deleted or replaced, or another copy was written over it.
        """
        if self._file is None or self._version() != self._file:
            raise self._elsewhere("deleted or replaced")
        if (there := self._read()) is None or there < (self.told or 0):
            raise self._elsewhere("overwritten")
        self.told = there

    def acknowledge(self, counter: int) -> None:
        """Note the number of a change that is on the disk, whatever the folder's name means by now.

        Raises:
            OutputError: the file for it is gone, or can't be written to.
        """
        with as_output(self._shown):
            write_told(self._name, counter, folder=self._held)
        self.told = counter

    def require_told(self, counter: int) -> None:
        """See that a database knows what was told before it was opened.

        Raises:
            DataError: it doesn't, or nothing says what was told.
        """
        database = self._shown / self._name
        if self.told is None:
            raise damaged(database, f"{self._name}.told, which says what was acknowledged, can't be read")
        if counter < self.told:
            raise damaged(database, f"its last change is {counter:,}, and {self.told:,} were acknowledged")

    def _read(self) -> int | None:
        return read_told(self._name, folder=self._held)

    def _version(self) -> tuple[int, int] | None:
        """Device and inode of the database's file; None where the folder's name leads elsewhere."""
        try:
            if not os.path.samestat(self.path.stat(), os.fstat(self._held)):
                return None
            file = (self.path / self._name).stat()
        except OSError:
            return None
        return file.st_dev, file.st_ino

    def _elsewhere(self, what: str) -> OutputError:
        return OutputError(f"the collection {self._shown} was {what} after it was opened", fix=_AGAIN)
