"""Append-only files of JSON lines: each write is on the disk when it returns.

Several processes may append to one file. A process locks the file while it appends, and first reads the lines
that others have added. The first line, the head, identifies the file, so that a file of another kind or about
other things is rejected.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.files import as_output
from textkin.base.json_records import json_object
from textkin.base.locks import lock_file
from textkin.base.paths import open_regular
from textkin.base.progress import note

_TAIL = 256  # bytes by which a file is known again: the end of what was read

Append = Callable[[Mapping[str, Any]], None]
"""Function that appends a line.

The line is on the disk on return. OutputError if it can't be written.
"""


class LineFile:
    """Lines in the order they were added. Lines of the file are never changed.

    Args:
        path: the file; created with the first line. Links are not followed.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.lines = 0
        self._read = 0
        self._tail = b""
        self._held: int | None = None

    def fresh(self) -> list[tuple[int, dict[str, Any]]]:
        """The lines added since the last call, by any process, with their numbers from 1.

        Raises:
            DataError: the file can't be read, a line is not a JSON object, or lines read before are gone.
        """
        content = self._unread()
        if content is None:
            raise self._gone()
        end = content.rfind(b"\n") + 1  # any text after it was never acknowledged, or isn't yet
        self._read += end
        self._tail = (self._tail + content[:end])[-_TAIL:]
        found = []
        for line in content[:end].split(b"\n")[:-1]:
            self.lines += 1
            found.append((self.lines, self._parsed(line)))
        return found

    def was_replaced(self) -> bool:
        """True if someone has removed or changed the part already read.

        Raises:
            DataError: the file can't be read.
        """
        return self._unread() is None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Lock out other processes for the block.

        Raises:
            OutputError: another process holds the lock, or the file can't be written.
            DataError: lines read before are gone.
        """
        if self._held is not None:
            yield
            return
        if self._read and self.was_replaced():  # a lock would make the file anew, without its first line
            raise self._gone()
        with as_output(self.path):
            self._held = lock_file(self.path, target=self.path)
        try:
            yield
        finally:
            os.close(self._held)
            self._held = None

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Append lines, which are on the disk on return. :meth:`fresh` returns them, too.

        Raises:
            OutputError: another process holds the lock, or the file can't be written; then it is unchanged.
        """
        content = "".join(json.dumps(one) + "\n" for one in lines).encode()
        with self.held(), as_output(self.path):
            assert self._held is not None  # noqa: S101  # the block holds it
            size = self._whole(self._held)
            try:
                _write(self._held, content, at=size)
                os.fsync(self._held)
                if not size:
                    _sync_folder(self.path.parent)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._held, size)
                raise

    def _whole(self, descriptor: int) -> int:
        """Drop an incomplete last line, left by a crash and never acknowledged, and return the size."""
        size = os.fstat(descriptor).st_size
        if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
            return size
        whole = os.pread(descriptor, size, 0).rfind(b"\n") + 1
        note(f"{self.path}: the last line is not whole, and is left out")
        os.ftruncate(descriptor, whole)
        return whole

    def _unread(self) -> bytes | None:
        """The content after the part already read; None if that part is no longer there."""
        try:
            with open_regular(self.path) as stream:
                stream.seek(self._read - len(self._tail))
                content = stream.read()
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=self.path) from error
        return content[len(self._tail) :] if content.startswith(self._tail) else None

    def _gone(self) -> DataError:
        return DataError(
            "was removed or replaced while it was in use",
            path=self.path,
            fix="put it back, or start again to begin with what is there now",
        )

    def _parsed(self, line: bytes) -> dict[str, Any]:
        if (found := json_object(line)) is None:
            raise DataError(
                "is not a JSON object", path=self.path, line=self.lines, fix="name another file, or remove it"
            )
        return found


def _write(descriptor: int, content: bytes, *, at: int) -> None:
    written = 0
    while written < len(content):
        written += os.pwrite(descriptor, content[written:], at + written)


def _sync_folder(folder: Path) -> None:
    """Sync a new file's name to disk, if the file system can."""
    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(held)
    finally:
        os.close(held)


class LineLog:
    """The lines of a :class:`LineFile` in order.

    Args:
        path: the file, created with the first line.
        head: the first line.
        fix: advice for a file with another head.

    Raises:
        DataError: the file can't be read, or has another head.
    """

    def __init__(self, path: Path | str, head: Mapping[str, Any], *, fix: str) -> None:
        self.path = Path(path)
        self._head, self._fix = dict(head), fix
        self._file, self._lines = LineFile(path), list[dict[str, Any]]()
        self.catch_up()

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """All lines except the first."""
        return tuple(self._lines)

    def catch_up(self) -> None:
        """Read the lines added by other processes, or all lines if the file was replaced.

        Raises:
            DataError: the file can no longer be read, or now has another head.
        """
        if self._file.was_replaced():
            self._file, self._lines = LineFile(self.path), []
        self._take()

    @contextmanager
    def alone(self) -> Iterator[Append]:
        """Lock the file with all lines up to date; yield the function that appends one.

        Raises:
            OutputError: another process holds the lock for too long, or the file can't be written to.
            DataError: the file has another head.
        """
        self.catch_up()
        with self._file.held():
            self._take()
            yield self._append

    def _append(self, line: Mapping[str, Any]) -> None:
        self._file.add([line] if self._file.lines else [self._head, line])
        self._take()

    def _take(self) -> None:
        try:
            found = self._file.fresh()
        except DataError as error:
            raise DataError(error.message, path=self.path, line=error.line, fix=self._fix) from error
        if found and found[0][0] == 1:
            self._check(found.pop(0)[1])
        self._lines += [line for _, line in found]

    def _check(self, head: Mapping[str, Any]) -> None:
        for name, value in self._head.items():
            if head.get(name) != value:
                raise DataError(
                    f"begins with {name} {str(head.get(name))[:80]!r}, expected {value!r}",
                    path=self.path,
                    line=1,
                    fix=self._fix,
                )
