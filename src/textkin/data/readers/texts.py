"""Single texts, without labels: plain text with one a line, or one column of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, final

import numpy as np

from textkin.base.errors import COLUMN_FILES, WORKBOOKS, DataError, invalid, is_column_file, is_workbook
from textkin.base.parquet_files import copy_rows
from textkin.base.paths import is_folder, name_of
from textkin.base.results import Result, ResultRow
from textkin.data.readers.column_report import texts_taken
from textkin.data.readers.columns import (
    find_column,
    find_id_column,
    find_text_column,
    find_text_columns,
    named_columns,
)
from textkin.data.readers.datasets.squad import is_squad
from textkin.data.readers.encodings import check_encoding
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import Row, Table, open_table
from textkin.data.readers.text_files import filled_files_of, raw_lines
from textkin.data.readers.text_layout import shape_of

_TABLES = frozenset({".csv", ".tsv", ".jsonl", ".json", ".ndjson", *COLUMN_FILES, *WORKBOOKS})


@final
@dataclass(frozen=True, slots=True, repr=False)
class Texts(Result):
    """Texts with their ids, unique.

    Attributes:
        ids: the ids of the source, or the line numbers of a plain file, or the row numbers of a table, from
            1.
        texts: as many texts.
        name: where they come from.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    name: str = ""

    def _rows(self) -> Iterator[ResultRow]:
        for name, text in zip(self.ids, self.texts, strict=True):
            yield {"id": name, "text": text}

    def _count(self) -> int:
        return len(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def is_table_name(path: Path | str) -> bool:
    """Whether a file is called as tables are; others hold one text a line."""
    return bool({suffix.lower() for suffix in Path(path).suffixes} & _TABLES)


@final
class TextFile:
    """A file of texts, which is gone through anew each time, so that it may be of any size.

    Args:
        path: a table (.csv, .tsv, .jsonl, or any file when a column is named), or plain text with one text a
            line.
        reading: of a table; its column is found by itself where there is only one candidate.

    Attributes:
        path: the file.
        format: "txt", or the table's.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read.
    """

    def __init__(self, path: Path | str, *, reading: TextReading | None = None) -> None:
        reading = reading or TextReading()
        column, ids = reading.column, reading.ids
        check_encoding(reading.encoding)
        self.path = Path(path)
        self._table: Table | None = None
        self._text: tuple[int, ...] = (0,)
        self._ids: int | None = None
        self._encoding, self._given = reading.encoding, column is not None
        self.format = "txt"
        if column is not None or ids is not None or is_table_name(path):
            if reading.encoding is None and is_squad(self.path):
                raise DataError(
                    "holds SQuAD's passages and questions in one document, expected single texts",
                    path=path,
                    fix="write its texts to a file, one a line, or convert it with `convert()`",
                )
            named = (*named_columns(column), *(() if ids is None else (ids,)))
            table = self._table = open_table(
                path, quoting=reading.quoting, named=named, encoding=reading.encoding
            )
            self.format = table.format
            self._text = (
                (find_text_column(table.header, table.sample(), path),)
                if column is None
                else find_text_columns(table.header, table.width, column)
            )
            found = find_id_column(table.header, table.width, ids)
            self._ids = None if found in self._text and ids is None else found

    @property
    def files(self) -> list[Path]:
        """The file alone."""
        return [self.path]

    @property
    def copied_name(self) -> str:
        """How a copy of it is called: as it is, but for spreadsheets, of which copies are CSV files."""
        return self.path.with_suffix(".csv").name if is_workbook(self.path) else self.path.name

    @property
    def has_ids(self) -> bool:
        """Whether texts have ids of their own, or are numbered."""
        return self._ids is not None

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """Each text after its id; empty texts are counted skips.

        Raises:
            DataError: the file can't be read, or an id comes twice.
        """
        if self._table is not None:
            counter.columns = texts_taken(
                self._table.header, self._table.sample(), self._text, given=self._given
            )
        for key, row in self._rows(counter):
            if key is not None:
                yield key, row.text(self._text)

    def cells(self, column: str) -> Iterator[str]:
        """What another column holds, for each text.

        Raises:
            UsageError: there is no such column.
            DataError: as :meth:`rows`.
        """
        if self._table is None:
            raise invalid(
                "column", column, expected=f"none: {self.path} holds one text a line", fix="give a table"
            )
        place = find_column(self._table.header, self._table.width, column)
        for key, row in self._rows(SkipCounter(self.path)):
            if key is not None:
                yield row.fields[place]

    def copy(self, target: Path, *, without: Container[str]) -> int:
        """Write the file again, its rows unchanged, but for those of some ids.

        Rows without a text, and rows that can't be read, stay.

        A target called ``.gz`` is packed. Encoding, byte order mark and line ends are those of the file; of a
        spreadsheet the target is a CSV file.

        Returns:
            How many rows were written.

        Raises:
            DataError: as :meth:`rows`.
        """
        rows = ((key is None or key not in without, row) for key, row in self._rows(SkipCounter(self.path)))
        if is_column_file(self.path):
            keep = np.fromiter((stays for stays, _ in rows), dtype=np.bool_)
            copy_rows(self.path, target, keep)
            return int(keep.sum())
        count = 0
        shape = shape_of(self.path, self._encoding) if self._table is None else self._table.shape
        with shape.writing(target) as stream:
            write = _write_line(stream) if self._table is None else self._table.writer(stream)
            for stays, row in rows:
                if stays:
                    write(row)
                    count += 1
        return count

    def _rows(self, counter: SkipCounter) -> Iterator[tuple[str | None, Row]]:
        """Each row with the id of its text; with None, and counted, where that is empty."""
        seen: set[str] = set()
        for row in self._lines(counter) if self._table is None else self._table.rows(counter, every=True):
            if reason := row.objection(self._text) if row.fields else "":
                counter.skip(row.line, reason)
            if reason or not row.fields:
                yield None, row
                continue
            if self._ids is None:
                yield str(row.row + 1), row
                continue
            key = row.fields[self._ids].strip()
            if key in seen:
                raise DataError(
                    f"id {key!r} comes twice", path=self.path, line=row.line, fix="make the ids unique"
                )
            seen.add(key)
            yield key, row

    def _lines(self, counter: SkipCounter) -> Iterator[Row]:
        """Each line as a row of one cell, blank ones too."""
        for number, line in enumerate(raw_lines(self.path, self._encoding), 1):
            counter.rows += 1
            yield Row(number - 1, number, (line.removesuffix("\r"),), line)


@final
class TextParts:
    """The files of a folder that are called ``part-*``, in the order of their names, read as one.

    A text without an id of its own has the name of its file before its number, such as ``part-0:12``.

    Args:
        path: the folder.
        reading: of each.

    Attributes:
        path: the folder.
        parts: the files.
        format: of the last one.

    Raises:
        UsageError: as :class:`TextFile`.
        DataError: likewise.
    """

    def __init__(self, path: Path | str, *, reading: TextReading | None = None) -> None:
        self.path = Path(path)
        self.parts = [TextFile(part, reading=reading) for part in filled_files_of(path)]
        self.format = self.parts[-1].format

    @property
    def files(self) -> list[Path]:
        """All of them."""
        return [part.path for part in self.parts]

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """As :meth:`TextFile.rows`, of one file after another."""
        seen: set[str] = set()
        for part in self.parts:
            before = _before_ids(part)
            for key, text in part.rows(counter):
                name = before + key
                if name in seen:
                    raise DataError(f"id {name!r} comes twice", path=part.path, fix="make the ids unique")
                seen.add(name)
                yield name, text

    def cells(self, column: str) -> Iterator[str]:
        """As :meth:`TextFile.cells`."""
        for part in self.parts:
            yield from part.cells(column)

    def copy(self, target: Path, *, without: Collection[str]) -> int:
        """As :meth:`TextFile.copy`, each file to the folder ``target``, called and packed as it is."""
        count = 0
        for part in self.parts:
            before = _before_ids(part)
            own = {name.removeprefix(before) for name in without if name.startswith(before)}
            count += part.copy(target / part.copied_name, without=own)
        return count


def open_texts(path: Path | str, *, reading: TextReading | None = None) -> TextFile | TextParts:
    """A file of texts, or the files of a folder that are called ``part-*``."""
    return (TextParts if is_folder(path) else TextFile)(path, reading=reading)


def read_texts(path: Path | str, *, reading: TextReading | None = None) -> Loaded[Texts]:
    """Read all texts of a file, or of the files of a folder that are called ``part-*``.

    Arguments and errors are those of :class:`TextFile` and :class:`TextParts`.
    """
    counter = SkipCounter(path)
    source = open_texts(path, reading=reading)
    found = dict(source.rows(counter))
    texts = Texts(tuple(found), tuple(found.values()), name_of(Path(path)))
    return Loaded(texts, counter.report(), source.format)


def _before_ids(part: TextFile) -> str:
    return "" if part.has_ids else f"{part.path.name.split('.')[0]}:"


def _write_line(stream: IO[str]) -> Callable[[Row], None]:
    def write(row: Row) -> None:
        stream.write(row.source + "\n")

    return write
