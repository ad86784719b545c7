"""Rows written as one table, or as a folder of files ``part-*`` if the input is one.

A folder contains parts of a million rows each, in row order, and ``manifest.json`` with their hashes. It is
written atomically.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

from textkin.base.errors import COLUMN_FILES, UsageError, invalid
from textkin.base.files import atomic_folder, sha256_of_file, write_json, written_text
from textkin.base.parquet_files import Cell, column_writer, require_columns
from textkin.base.paths import exists, is_folder, is_standard
from textkin.base.sharded_files import parts_of
from textkin.base.table_writer import DELIMITERS, RowWriter, TakesRows, check_ending, written_table

MANIFEST = "manifest.json"

_FORMAT = 1
_ROWS = 1_000_000  # per part
_AT_ONCE = 4096
_JSON = (".json", ".ndjson")


@dataclass(frozen=True, slots=True)
class RowTarget:
    """A target for rows; obtained from :meth:`of`.

    Attributes:
        path: path of the file or folder.
        ending: file name ending of each part, such as ``.jsonl.gz``; "" for a single file.
    """

    path: Path
    ending: str

    @classmethod
    def of(cls, path: Path | str, read: object) -> Self:
        """A file; or a folder, if the name looks like one and the input is a folder of parts.

        Args:
            path: path of the output.
            read: path of the input, if it is one. The parts get the ending of its first part.

        Raises:
            UsageError: the name has an unknown ending, or the folder contains foreign files.
            MissingExtraError: the format is Parquet or Arrow, and pyarrow isn't installed.
        """
        target = Path(path)
        parts = parts_of(read) if isinstance(read, str | Path) else []
        if not parts or target.suffix or is_standard(target):
            check_ending(target)
            return cls(target, "")
        ending = _ending_like(parts[0])
        require_columns(f"part{ending}")
        _require_own(target)
        return cls(target, ending)

    @contextmanager
    def writer(self, columns: Sequence[str]) -> Iterator[TakesRows]:
        """Yield a writer of rows; after the block either all rows are written, or none.

        Raises:
            OutputError: it can't be written.
        """
        if not self.ending:
            with written_table(self.path, columns) as one:
                yield one
            return
        with atomic_folder(self.path) as folder:
            with ExitStack() as stack:
                several = _Parts(folder, self.ending, columns, stack)
                yield several
            parts = {
                path.name: {"rows": rows, "sha256": sha256_of_file(path)} for path, rows in several.done()
            }
            about = {"format": _FORMAT, "columns": list(columns), "parts": parts}
            write_json(folder / MANIFEST, about)


class _Parts:
    """A writer that starts a new part after each million rows."""

    def __init__(self, folder: Path, ending: str, columns: Sequence[str], stack: ExitStack) -> None:
        self._folder, self._ending, self._columns = folder, ending, columns
        self._stack = stack
        self._paths: list[Path] = []
        self._last = 0  # rows of the last part
        self._writer = self._next()

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        left = iter(rows)
        while some := list(islice(left, min(_AT_ONCE, _ROWS - self._last or _ROWS))):
            if self._last == _ROWS:
                self._writer = self._next()
            self._writer.write(some)
            self._last += len(some)

    def done(self) -> Iterator[tuple[Path, int]]:
        """Yield the parts with their numbers of rows."""
        for path in self._paths[:-1]:
            yield path, _ROWS
        yield self._paths[-1], self._last

    def _next(self) -> TakesRows:
        self._stack.close()  # completes the previous part
        path = self._folder / f"part-{len(self._paths):05}{self._ending}"
        self._paths.append(path)
        self._last = 0
        if path.suffix in COLUMN_FILES:
            return self._stack.enter_context(column_writer(path, path.suffix, self._columns))
        stream = self._stack.enter_context(written_text(path))
        return RowWriter(stream, Path(path.name.removesuffix(".gz")), self._columns)


def _ending_like(part: Path) -> str:
    """The table ending for a part like a given file; plain text becomes TSV."""
    suffixes = [suffix.lower() for suffix in part.suffixes]
    packed = ".gz" if suffixes[-1:] == [".gz"] else ""
    for suffix in reversed(suffixes):
        if suffix in COLUMN_FILES:
            return suffix
        if suffix in DELIMITERS or suffix in _JSON:
            return (".jsonl" if suffix in _JSON else suffix) + packed
    return f".tsv{packed}"


def _require_own(folder: Path) -> None:
    """Check that a folder contains only parts, since it will be replaced.

    Raises:
        UsageError: it contains other files, or it is a file.
    """
    if not exists(folder):
        return
    if not is_folder(folder):
        raise invalid("out", folder, expected="a folder for the parts, not a file")
    try:
        noted = json.loads((folder / MANIFEST).read_text(encoding="utf-8-sig"))
        known = {MANIFEST, *noted["parts"]}
    except (OSError, ValueError, KeyError, TypeError):
        known = set()
    if others := sorted(item.name for item in folder.iterdir() if item.name not in known):
        raise UsageError(
            f"`out` {folder} holds {others[0]}, which textkin would have to replace",
            fix="choose another folder",
            params=("out",),
            value=folder,
        )
