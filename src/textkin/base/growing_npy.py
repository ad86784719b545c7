"""A NumPy file that grows row by row and survives crashes, for encoding millions of texts."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.closing import Closing
from textkin.base.errors import OutputError
from textkin.base.files import as_output, sha256_of_json, write_json
from textkin.base.locks import lock_file

_FLOAT32 = "<f4"


class RowFile(Closing):
    """Rows of numbers that become ``path``, shape [rows, width], once complete.

    Until then they are in a hidden file next to it, with a journal of the number of rows safely on disk.
    Creating the same file with the same ``made_of`` resumes after the last of these; a part made of other
    things is deleted. This is a context manager: leaving it before the end allows resuming later.

    Args:
        path: the file to create.
        width: number of columns.
        made_of: everything the rows depend on, as JSON-compatible values.
        dtype: type of the numbers in NumPy's notation; float32 by default.

    Attributes:
        rows: number of rows on disk.

    Raises:
        OutputError: the folder can't be written to, ``path`` is not a regular file, or another process is
            writing it.
    """

    def __init__(
        self, path: Path | str, *, width: int, made_of: Mapping[str, Any], dtype: str = _FLOAT32
    ) -> None:
        self._target = Path(path)
        if self._target.exists() and not self._target.is_file():
            raise OutputError(
                f"can't write {self._target}: it is not a regular file", fix="choose another path"
            )
        self._part = part_of(self._target)
        self._journal = journal_of(self._target)
        self._width = width
        self._dtype = np.dtype(dtype)
        kind = {} if dtype == _FLOAT32 else {"dtype": dtype}
        self._key = sha256_of_json({**made_of, "width": width, **kind})
        self.rows = 0
        with as_output(self._target):
            self._target.parent.mkdir(parents=True, exist_ok=True)
            # Locked until closed, so that no other process writes to it.
            self._stream = os.fdopen(lock_file(self._part, target=self._target), "r+b")
            try:
                self.rows = self._rows_on_disk()
                end = self._end(self.rows)
                self._stream.truncate(end if self.rows else 0)
                self._write_header()
                self._stream.seek(end)
            except BaseException:
                # Existing data stays: its extent may not have been read yet.
                with suppress(OSError):
                    self._stream.close()
                raise

    def append(self, rows: NDArray[Any]) -> None:
        """Append rows, shape [any, width], and sync them to disk.

        Raises:
            OutputError: the disk is full.
        """
        with as_output(self._target):
            self._stream.write(np.ascontiguousarray(rows, dtype=self._dtype).data)
            self._sync()
        self.rows += len(rows)
        write_json(self._journal, {"key": self._key, "rows": self.rows})

    def cut(self, rows: int) -> None:
        """Remove the last rows, so that at most the first ``rows`` stay.

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
        """Rename the file to its final name.

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
        """Stop; the next writer resumes from here, if there are any rows."""
        if self._stream.closed:
            return
        with suppress(OSError):
            if not self.rows:
                self._part.unlink(missing_ok=True)
                self._journal.unlink(missing_ok=True)
            self._stream.close()  # tries to write data that a full disk rejected

    def _end(self, rows: int) -> int:
        return len(self._header()) + self._dtype.itemsize * self._width * rows

    def _header(self) -> bytes:
        from io import BytesIO

        described = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.rows, self._width)}
        stream = BytesIO()
        # NumPy reserves space for more digits, so the header has this length for any number of rows.
        np.lib.format.write_array_header_1_0(stream, described)
        return stream.getvalue()

    def _write_header(self) -> None:
        self._stream.seek(0)
        self._stream.write(self._header())

    def _sync(self) -> None:
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _rows_on_disk(self) -> int:
        """The number of rows that a crashed process left for the same ``made_of``, by its journal."""
        try:
            journal = json.loads(self._journal.read_text(encoding="utf-8"))
            rows = int(journal["rows"])
            enough = self._part.stat().st_size >= self._end(rows)
            return rows if journal["key"] == self._key and enough else 0
        except (OSError, ValueError, KeyError, TypeError):
            return 0


def part_of(path: Path) -> Path:
    """The path of the incomplete file."""
    return path.with_name(f".{path.name}.part")


def journal_of(path: Path) -> Path:
    """The path of the journal, which after a crash may be all that is left."""
    part = part_of(path)
    return part.with_name(f"{part.name}.json")
