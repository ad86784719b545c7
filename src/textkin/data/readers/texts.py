"""Single texts without labels: plain text with one text per line, or one column of a table."""

from array import array
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np

from textkin.base.errors import COLUMN_FILES, WORKBOOKS, DataError, invalid, is_column_file, is_workbook
from textkin.base.files import written_text
from textkin.base.parquet_files import copy_rows
from textkin.base.paths import is_folder, name_of
from textkin.base.results import Result, ResultRow
from textkin.base.sharded_files import parts_of
from textkin.data.readers import columns
from textkin.data.readers.column_report import LOOKED_AT, lines_taken, texts_taken
from textkin.data.readers.datasets.squad import is_squad
from textkin.data.readers.encodings import check_encoding
from textkin.data.readers.plain_folder import PlainFolder, plain_files
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.data.readers.text_files import copied_encoding, filled_files_of, raw_lines

_TABLES = frozenset({".csv", ".tsv", ".jsonl", ".json", ".ndjson", *COLUMN_FILES, *WORKBOOKS})


@dataclass(frozen=True, slots=True, repr=False)
class Texts(Result):
    """Texts with unique ids.

    Attributes:
        ids: ids of the source, or line numbers of a plain file, or row numbers of a table, from 1.
        texts: texts, as many as ids.
        name: source of the texts.
        numbered: True if the ids are numbers that the source doesn't have.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    name: str = ""
    numbered: bool = False

    def _rows(self) -> Iterator[ResultRow]:
        for name, text in zip(self.ids, self.texts, strict=True):
            yield {"id": name, "text": text}

    def _count(self) -> int:
        return len(self.texts)

    def __len__(self) -> int:
        return len(self.texts)


def is_table_name(path: Path | str) -> bool:
    """True if a file is named like a table; others contain one text per line."""
    return bool({suffix.lower() for suffix in Path(path).suffixes} & _TABLES)


class TextFile:
    """A file of texts, read anew in each pass, so that it can have any size.

    Args:
        path: a table (.csv, .tsv, .jsonl, or any file if a column is given), or plain text with one text per
            line.
        reading: options for reading a table; the column is detected if there is only one candidate.

    Attributes:
        path: path of the file.
        format: "txt", or the table's.

    Raises:
        UsageError: the column is missing.
        DataError: the file can't be read.
    """

    def __init__(self, path: Path | str, *, reading: TextReading | None = None) -> None:
        reading = reading or TextReading()
        column, ids = reading.text, reading.id
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
                    fix="write its texts to a file, one per line, or convert it with `convert()`",
                )
            named = (*columns.named_columns(column), *(() if ids is None else (ids,)))
            table = self._table = open_table(
                path, quoting=reading.quoting, named=named, encoding=reading.encoding
            )
            self.format = table.format
            self._text = (
                (table.text_column(),)
                if column is None
                else columns.find_text_columns(table.header, table.width, column)
            )
            found = columns.find_id_column(table.header, table.width, ids)
            self._ids = None if found in self._text and ids is None else found

    @property
    def files(self) -> list[Path]:
        """The file itself."""
        return [self.path]

    @property
    def copied_name(self) -> str:
        """The name of a copy: the file's own, but CSV for spreadsheets."""
        return self.path.with_suffix(".csv").name if is_workbook(self.path) else self.path.name

    @property
    def has_ids(self) -> bool:
        """True if texts have ids of their own, False if they are numbered."""
        return self._ids is not None

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """Yield each text after its id; empty texts are skipped and counted.

        Raises:
            DataError: the file can't be read, or an id is repeated.
        """
        if self._table is not None:
            counter.columns = texts_taken(
                self._table.header, self._table.sample(), self._text, given=self._given
            )
        else:
            counter.columns = lines_taken(list(islice(raw_lines(self.path, self._encoding), LOOKED_AT)))
        for key, row in self._rows(counter):
            if key is not None:
                yield key, row.text(self._text)

    def placed(self) -> Iterator[tuple[str, int, int]]:
        """Yield each text with its row, from 0, and its line, from 1.

        Raises:
            DataError: as :meth:`rows`.
        """
        for key, row in self._rows(SkipCounter(self.path)):
            if key is not None:
                yield row.text(self._text), row.row, row.line

    def cells(self, column: str, *, param: str) -> Iterator[str]:
        """The cells of a column that an option names, one for each text.

        Raises:
            UsageError: the column is missing.
            DataError: as :meth:`rows`.
        """
        if self._table is None:
            raise invalid(param, column, expected=f"no column, since {self.path} holds one text per line")
        place = columns.find_column(self._table.header, self._table.width, column, param=param)
        for key, row in self._rows(SkipCounter(self.path)):
            if key is not None:
                yield row.fields[place]

    def copy(self, target: Path, *, without: Container[str]) -> int:
        """Copy the file without the rows of some ids, leaving all others unchanged.

        Rows without a text, and unreadable rows, are kept.

        A target named ``.gz`` is compressed. Encoding, byte order mark and line ends are those of the file. A
        spreadsheet is copied to CSV.

        Returns:
            The number of written rows.

        Raises:
            DataError: as :meth:`rows`.
        """
        rows = ((key is None or key not in without, row) for key, row in self._rows(SkipCounter(self.path)))
        if is_column_file(self.path):
            keep = np.fromiter((stays for stays, _ in rows), dtype=np.bool_)
            copy_rows(self.path, target, keep)
            return int(keep.sum())
        count = 0
        with written_text(target, encoding=copied_encoding(self.path, self._encoding)) as stream:
            write = _write_line(stream) if self._table is None else self._table.writer(stream)
            for stays, row in rows:
                if stays:
                    write(row)
                    count += 1
        return count

    def _rows(self, counter: SkipCounter) -> Iterator[tuple[str | None, TableRow]]:
        """Yield each row with the id of its text; None for an empty text, which is counted."""
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

    def _lines(self, counter: SkipCounter) -> Iterator[TableRow]:
        """Yield each line as a row of one cell, including blank ones."""
        for number, line in enumerate(raw_lines(self.path, self._encoding), 1):
            counter.rows += 1
            yield TableRow(number - 1, number, (line.removesuffix("\r"),), line)


class TextParts:
    """The files of a folder named ``part-*``, in order of their names, read as one.

    A text without an id is identified by the name of its file and its number, such as ``part-0:12``.

    Args:
        path: path of the folder.
        reading: options for reading each file.

    Attributes:
        path: path of the folder.
        parts: the files.
        format: format of the last file.

    Raises:
        UsageError: as for :class:`TextFile`.
        DataError: as for :class:`TextFile`.
    """

    def __init__(self, path: Path | str, *, reading: TextReading | None = None) -> None:
        self.path = Path(path)
        self.parts = [TextFile(part, reading=reading) for part in filled_files_of(path)]
        self.format = self.parts[-1].format

    @property
    def files(self) -> list[Path]:
        """All files."""
        return [part.path for part in self.parts]

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """As :meth:`TextFile.rows`, file by file."""
        seen: set[str] = set()
        for part in self.parts:
            before = _before_ids(part)
            for key, text in part.rows(counter):
                name = before + key
                if name in seen:
                    raise DataError(f"id {name!r} comes twice", path=part.path, fix="make the ids unique")
                seen.add(name)
                yield name, text

    def cells(self, column: str, *, param: str) -> Iterator[str]:
        """As :meth:`TextFile.cells`."""
        for part in self.parts:
            yield from part.cells(column, param=param)

    def copy(self, target: Path, *, without: Collection[str]) -> int:
        """As :meth:`TextFile.copy`, each file to the folder ``target``, with its own name and compression."""
        count = 0
        for part in self.parts:
            before = _before_ids(part)
            own = {name.removeprefix(before) for name in without if name.startswith(before)}
            count += part.copy(target / part.copied_name, without=own)
        return count


TextSource = TextFile | TextParts | PlainFolder
"""Where texts are read from."""


def open_texts(path: Path | str, *, reading: TextReading | None = None) -> TextSource:
    """Open a file of texts, a folder's files named ``part-*``, or a folder of plain files, each a text."""
    if not is_folder(path):
        return TextFile(path, reading=reading)
    if parts_of(path) or not plain_files(Path(path)):
        return TextParts(path, reading=reading)
    return PlainFolder(path, reading=reading or TextReading())


def read_texts(path: Path | str, *, reading: TextReading | None = None) -> Loaded[Texts]:
    """Read all texts of what :func:`open_texts` opens.

    Arguments and errors are those of :class:`TextFile`, :class:`TextParts` and :class:`PlainFolder`.
    """
    source = open_texts(path, reading=reading)
    counter = SkipCounter(path)
    name = name_of(Path(path))
    if isinstance(source, TextFile) and not source.has_ids:
        texts = _numbered(source, counter, name)
    else:
        found = dict(source.rows(counter))
        texts = Texts(tuple(found), tuple(found.values()), name)
    return Loaded(texts, counter.report(), source.format)


def _numbered(source: TextFile, counter: SkipCounter, name: str) -> Texts:
    """The texts of a file without ids.

    Their numbers become strings after the texts, so that these leave no gaps in the memory once they go.
    """
    numbers, texts = array("q"), []
    for number, text in source.rows(counter):
        numbers.append(int(number))
        texts.append(text)
    return Texts(tuple(map(str, numbers)), tuple(texts), name, numbered=True)


def _before_ids(part: TextFile) -> str:
    return "" if part.has_ids else f"{part.path.name.split('.')[0]}:"


def _write_line(stream: IO[str]) -> Callable[[TableRow], None]:
    def write(row: TableRow) -> None:
        stream.write(row.source + "\n")

    return write
