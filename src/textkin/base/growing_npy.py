"""A NumPy file that grows row by row and outlives a kill: what encoding a million texts writes to."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import OutputError
from textkin.base.files import as_output, sha256_of_json, write_json
from textkin.base.locks import lock_file

_FLOAT32 = "<f4"


@final
class RowFile:
    """Rows of numbers that become ``path``, shape [rows, width], once all of them are there.

    Until then they lie in a hidden file beside it, with a journal of how many are safely on the disk. Whoever
    makes the same file of the same things again goes on after the last of these; a part that was made of
    other things is thrown away. A context manager: whoever leaves it before the end can go on later.

    Args:
        path: the file to make.
        width: of a row.
        made_of: what the rows depend on, JSON values.
        dtype: of the numbers, as NumPy writes it; float32 if left out.

    Attributes:
        rows: how many rows are on the disk.

    Raises:
        OutputError: the folder can't be written to, ``path`` is no regular file, or another process is making
            it.
    """

    def __init__(
        self, path: Path | str, *, width: int, made_of: Mapping[str, Any], dtype: str = _FLOAT32
    ) -> None:
        self._target = Path(path)
        if self._target.exists() and not self._target.is_file():
            raise OutputError(f"can't write {self._target}: it is no regular file", fix="choose another path")
        self._part = part_of(self._target)
        self._journal = journal_of(self._target)
        self._width = width
        self._dtype = np.dtype(dtype)
        kind = {} if dtype == _FLOAT32 else {"dtype": dtype}
        self._key = sha256_of_json({**made_of, "width": width, **kind})
        self.rows = 0
        with as_output(self._target):
            self._target.parent.mkdir(parents=True, exist_ok=True)
            # Locked until it is closed, so that no other process writes to it.
            self._stream = os.fdopen(lock_file(self._part, target=self._target), "r+b")
            try:
                self.rows = self._rows_on_disk()
                end = self._end(self.rows)
                self._stream.truncate(end if self.rows else 0)
                self._write_header()
                self._stream.seek(end)
            except BaseException:
                # Whatever is there stays: how much that is may not have been read yet.
                with suppress(OSError):
                    self._stream.close()
                raise

    def append(self, rows: NDArray[Any]) -> None:
        """Add rows, shape [any, width], and bring them to the disk.

        Raises:
            OutputError: the disk is full.
        """
        with as_output(self._target):
            self._stream.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
            self._sync()
        self.rows += len(rows)
        write_json(self._journal, {"key": self._key, "rows": self.rows})

    def cut(self, rows: int) -> None:
        """Take the last rows away, so that no more than the first so many stay.

        Raises:
            OutputError: the file can't be written to.
        """
        if rows < self.rows:
            with as_output(self._target):
                self._stream.truncate(self._end(rows))
                self._stream.seek(self._end(rows))
                self._sync()
            self.rows = rows
            write_json(self._journal, {"key": self._key, "rows": rows})

    def finish(self) -> None:
        """Give the rows their name.

        Raises:
            OutputError: the disk is full.
        """
        with as_output(self._target):
            self._write_header()
            self._sync()
            self._part.replace(self._target)
            self._journal.unlink(missing_ok=True)
            self._stream.close()

    def close(self) -> None:
        """Leave off; the next one goes on from here, if there is anything to go on from."""
        if self._stream.closed:
            return
        with suppress(OSError):
            if not self.rows:
                self._part.unlink(missing_ok=True)
                self._journal.unlink(missing_ok=True)
            self._stream.close()  # tries to write what a full disk did not take

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end(self, rows: int) -> int:
        return len(self._header()) + self._dtype.itemsize * self._width * rows

    def _header(self) -> bytes:
        from io import BytesIO

        described = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.rows, self._width)}
        stream = BytesIO()
        # NumPy leaves room for more digits, so that any number of rows has a header of this length.
        np.lib.format.write_array_header_1_0(stream, described)
        return stream.getvalue()

    def _write_header(self) -> None:
        self._stream.seek(0)
        self._stream.write(self._header())

    def _sync(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _rows_on_disk(self) -> int:
        """How many rows of the same making a killed process left, as its journal has it."""
        try:
            journal = json.loads(self._journal.read_text(encoding="utf-8"))
            rows = int(journal["rows"])
            enough = self._part.stat().st_size >= self._end(rows)
            return rows if journal["key"] == self._key and enough else 0
        except (OSError, ValueError, KeyError, TypeError):
            return 0


def part_of(path: Path) -> Path:
    """Where the rows of a file lie until all of them are there."""
    return path.with_name(f".{path.name}.part")


def journal_of(path: Path) -> Path:
    """What says how many rows are safely there; after a kill it may be all that is left of the part."""
    part = part_of(path)
    return part.with_name(f"{part.name}.json")
