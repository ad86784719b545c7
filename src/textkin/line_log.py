"""A file of JSON objects, one a line, that only grows: what was written outlives a kill.

A line is on the disk before the call that writes it returns. What a kill cut off was never acknowledged: it
is left out, and the next writer removes it. Several processes may write to one file, one at a time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, final

from textkin.errors import DataError
from textkin.files import as_output
from textkin.locks import lock_file

Append = Callable[[Mapping[str, Any]], None]
"""Writes a line; when it returns, the line is on the disk. An OutputError if it can't be written."""


@final
class LineLog:
    """Lines in the order in which they came.

    Args:
        path: the file, made with the first line; no link is followed.
        head: the first line, by which a file of another kind, or about other things, is recognised.
        fix: what to do about such a file.

    Raises:
        DataError: it can't be read, or begins otherwise.
    """

    def __init__(self, path: Path | str, head: Mapping[str, Any], *, fix: str) -> None:
        self.path = Path(path)
        self._head, self._fix = dict(head), fix
        self._lines: list[dict[str, Any]] = []
        self._size = 0
        with suppress(FileNotFoundError):
            self._read_by_name()

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """All lines but the first."""
        return tuple(self._lines)

    def catch_up(self) -> None:
        """Read what another process has written since.

        Raises:
            DataError: it can't be read any more, or begins otherwise by now.
        """
        try:
            size = self.path.lstat().st_size
        except OSError:
            size = 0
        if size != self._size:
            self._lines, self._size = [], 0
            with suppress(FileNotFoundError):
                self._read_by_name()

    @contextmanager
    def alone(self) -> Iterator[Append]:
        """Hold the file for this process alone, with all lines that it has by now; yields what adds one.

        Raises:
            OutputError: another process holds it for too long, or it can't be written to.
            DataError: it begins otherwise.
        """
        with as_output(self.path):
            held = lock_file(self.path, target=self.path)
        try:
            if os.fstat(held).st_size != self._size:
                self._read(held)
            yield partial(self._append, held)
        finally:
            os.close(held)

    def _read_by_name(self) -> None:
        try:
            held = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=self.path, fix=self._fix) from error
        try:
            self._read(held)
        finally:
            os.close(held)

    def _read(self, held: int) -> None:
        """Read all whole lines; what follows the last one was never acknowledged."""
        try:
            os.lseek(held, 0, os.SEEK_SET)
            with open(held, "rb", closefd=False) as stream:
                content = stream.read()
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=self.path, fix=self._fix) from error
        whole, end, _ = content.rpartition(b"\n")
        parsed = (
            [self._parsed(line, number) for number, line in enumerate(whole.split(b"\n"), 1)] if end else []
        )
        if parsed and any(parsed[0].get(name) != value for name, value in self._head.items()):
            name = next(name for name, value in self._head.items() if parsed[0].get(name) != value)
            raise DataError(
                f"begins with {name} {str(parsed[0].get(name))[:80]!r}, expected {self._head[name]!r}",
                path=self.path,
                line=1,
                fix=self._fix,
            )
        self._lines, self._size = parsed[1:], len(whole) + len(end)

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DataError("is no JSON object", path=self.path, line=number, fix=self._fix)
        return found

    def _append(self, held: int, line: Mapping[str, Any]) -> None:
        lines = [line] if self._size else [self._head, line]
        content = "".join(json.dumps(one) + "\n" for one in lines).encode()
        with as_output(self.path):
            os.ftruncate(held, self._size)  # what a kill has left of a line
            os.lseek(held, self._size, os.SEEK_SET)
            try:
                written = 0
                while written < len(content):
                    written += os.write(held, content[written:])
                os.fsync(held)
                if not self._size:
                    _sync_folder(self.path.parent)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(held, self._size)
                raise
        self._size += len(content)
        self._lines.append(dict(line))


def _sync_folder(folder: Path) -> None:
    """Bring a new file's name to the disk, where the file system can."""
    held = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(held)
    finally:
        os.close(held)
