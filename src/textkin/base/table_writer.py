"""Rows written as TSV, CSV, JSON lines, Parquet or Arrow, by the file name's ending.

Standard output is TSV.

CSV files may be opened in spreadsheets, so formulas in them are escaped, see ``csv_formulas.py``.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from textkin.base.csv_formulas import as_text
from textkin.base.errors import COLUMN_FILES, invalid
from textkin.base.files import atomic_path, atomic_text
from textkin.base.parquet_files import Cell, column_writer, require_columns
from textkin.base.paths import is_standard

DELIMITERS = {".tsv": "\t", ".csv": ",", ".jsonl": ""}


def check_ending(path: Path, *, also: Sequence[str] = (), param: str = "out") -> None:
    """Refuse a file that could not be written.

    Args:
        path: the file.
        also: endings that the caller writes itself, which an error names too.
        param: the option that names the file.

    Raises:
        UsageError: the name has another ending.
        MissingExtraError: the format is Parquet or Arrow, and pyarrow isn't installed.
    """
    if ending_of(path) not in (*DELIMITERS, *COLUMN_FILES):
        endings = ", ".join((*also, *DELIMITERS, *COLUMN_FILES))
        raise invalid(param, path, expected=f"a name that ends in one of {endings}")
    require_columns(path)


def ending_of(path: Path) -> str:
    """The ending that determines the format; that of TSV for standard output."""
    return ".tsv" if is_standard(path) else path.suffix


def keeps_types(path: Path) -> bool:
    """True if numbers, and yes and no, are more than words in a file of this name."""
    return ending_of(path) == ".jsonl" or ending_of(path) in COLUMN_FILES


def check_name(path: Path | str) -> None:
    """Raise if a path has no file name, such as ".".

    Raises:
        UsageError: there is no file name.
    """
    if not Path(path).name:
        raise invalid("out", path, expected="the name of a file to write")


class Rounded(float):
    """A number of single precision, which TSV and CSV show with seven digits."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self:.7g}"


class TakesRows(Protocol):
    """A writer of a table's rows."""

    def write(self, rows: Iterable[Sequence[Cell]], /) -> None:
        """Write rows, each as wide as the columns; None is a missing value."""


@contextmanager
def written_table(path: Path, columns: Sequence[str]) -> Iterator[TakesRows]:
    """Yield a writer for a table, written atomically in the format given by its name.

    Args:
        path: path of the file, checked by :func:`check_ending`.
        columns: names of the columns.

    Raises:
        OutputError: it can't be written.
    """
    if path.suffix in COLUMN_FILES:
        with atomic_path(path) as temporary, column_writer(temporary, path.suffix, columns) as by_columns:
            yield by_columns
        return
    with atomic_text(path) as stream:
        yield RowWriter(stream, path, columns)


class RowWriter:
    """A writer of a header and rows, or of JSON objects, to a stream.

    Args:
        stream: the output stream.
        path: final path of the file, checked by :func:`check_ending`.
        columns: names of the columns.
    """

    def __init__(self, stream: IO[str], path: Path, columns: Sequence[str]) -> None:
        self._stream, self._columns = stream, columns
        ending = ending_of(path)
        delimiter = DELIMITERS[ending]
        self._for_spreadsheets = ending == ".csv"
        self._table = csv.writer(_LineFeeds(stream), delimiter=delimiter) if delimiter else None
        if self._table is not None:
            self._table.writerow(columns)

    def write(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Write rows, each as wide as the columns."""
        if self._table is not None:
            self._table.writerows(map(_as_texts, rows) if self._for_spreadsheets else rows)
            return
        for row in rows:
            cells = dict(zip(self._columns, row, strict=True))
            self._stream.write(json.dumps(cells, ensure_ascii=False) + "\n")


class _LineFeeds:
    """A stream that converts CR LF at row ends to LF: with CR LF, csv also quotes cells that contain a CR."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, row: str) -> int:
        return self._stream.write(row.removesuffix("\r\n") + "\n")


def _as_texts(row: Sequence[Cell]) -> list[Cell]:
    return [as_text(cell) if isinstance(cell, str) else cell for cell in row]
