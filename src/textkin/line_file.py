"""A file of JSON lines that is only ever added to: each write is on the disk when it returns.

Several processes may add to one file. Whoever adds holds it meanwhile, and reads first what others have
added.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from textkin.errors import DataError
from textkin.files import as_output
from textkin.locks import lock_file
from textkin.progress import note


@final
class LineFile:
    """Lines in the order in which they came; nothing in the file is ever changed.

    Args:
        path: the file; it is made with the first line.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.lines = 0
        self._read = 0
        self._holds = False

    def fresh(self) -> list[tuple[int, dict[str, Any]]]:
        """The lines that were added since the last call, whoever added them, with their numbers from 1.

        Raises:
            DataError: it can't be read, or a line is no JSON object.
        """
        try:
            with self.path.open("rb") as stream:
                stream.seek(self._read)
                content = stream.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DataError(f"can't be read: {error.strerror}", path=self.path) from error
        end = content.rfind(b"\n") + 1  # what follows was never acknowledged, or isn't yet
        self._read += end
        found = []
        for line in content[:end].split(b"\n")[:-1]:
            self.lines += 1
            found.append((self.lines, self._parsed(line)))
        return found

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from adding while the block runs.

        Raises:
            OutputError: another process adds to it, or it can't be written.
        """
        if self._holds:
            yield
            return
        with as_output(self.path):
            descriptor = lock_file(self.path, target=self.path)
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            os.close(descriptor)

    def add(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Add lines; when this returns, they are on the disk. :meth:`fresh` gives them, too.

        Raises:
            OutputError: another process adds to it, or it can't be written.
        """
        with self.held(), as_output(self.path), self.path.open("r+b") as stream:
            self._cut_torn(stream.fileno())
            stream.seek(0, os.SEEK_END)
            stream.write("".join(json.dumps(one) + "\n" for one in lines).encode())
            stream.flush()
            os.fsync(stream.fileno())

    def _cut_torn(self, descriptor: int) -> None:
        """Drop a last line that is not whole: a kill cut its write off, and nobody was told of it."""
        size = os.fstat(descriptor).st_size
        if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
            return
        whole = os.pread(descriptor, size, 0).rfind(b"\n") + 1
        note(f"{self.path}: the last line is not whole, and is left out")
        os.ftruncate(descriptor, whole)

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DataError(
                "is no JSON object", path=self.path, line=self.lines, fix="name another file, or remove it"
            )
        return found
