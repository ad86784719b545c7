"""Lines behind a head: by the first line a file of another kind, or about other things, is recognised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from textkin.base.append_log import LineFile
from textkin.base.errors import DataError

Append = Callable[[Mapping[str, Any]], None]
"""Writes a line; when it returns, the line is on the disk. An OutputError if it can't be written."""


@final
class LineLog:
    """The lines of a :class:`LineFile` in the order in which they came.

    Args:
        path: the file, made with the first line.
        head: the first line.
        fix: what to do about a file with another head.

    Raises:
        DataError: it can't be read, or begins otherwise.
    """

    def __init__(self, path: Path | str, head: Mapping[str, Any], *, fix: str) -> None:
        self.path = Path(path)
        self._head, self._fix = dict(head), fix
        self._file, self._lines = LineFile(path), list[dict[str, Any]]()
        self.catch_up()

    @property
    def lines(self) -> tuple[dict[str, Any], ...]:
        """All lines but the first."""
        return tuple(self._lines)

    def catch_up(self) -> None:
        """Read what another process has written since; all of it if the file is another one by now.

        Raises:
            DataError: it can't be read any more, or begins otherwise by now.
        """
        if self._file.was_replaced():
            self._file, self._lines = LineFile(self.path), []
        self._take()

    @contextmanager
    def alone(self) -> Iterator[Append]:
        """Hold the file for this process alone, with all lines that it has by now; yields what adds one.

        Raises:
            OutputError: another process holds it for too long, or it can't be written to.
            DataError: it begins otherwise.
        """
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
