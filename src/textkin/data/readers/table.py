r"""Tables of text: CSV, TSV and JSONL, streamed row by row, and written back unchanged.

A lone ``\r`` or a line break inside quotes belongs to the text. Blank lines are not rows. The detection of
delimiter and quoting is described in ``dialect.py``. In comma-separated files, an apostrophe that protects a
text from being a spreadsheet formula is not part of the text, see ``csv_formulas.py``.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, Self

from textkin.base.csv_formulas import as_text, from_text
from textkin.base.errors import DataError, either, is_column_file, is_workbook
from textkin.base.paths import is_folder
from textkin.base.workbook_files import SEPARATOR
from textkin.data.readers import json_lines
from textkin.data.readers.columns import (
    LABEL_KEY,
    find_label_column,
    find_text_column,
    is_header,
    is_named,
    is_text_name,
)
from textkin.data.readers.dialect import Quoting, SpanningRecord, cut, guess_delimiter, guess_quoting
from textkin.data.readers.encodings import check_encoding
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.text_files import filled_files_of, lines, raw_lines

Format = Literal["csv", "tsv", "jsonl"]

SAMPLE = 200
_MOST_LINES_IN_QUOTES = 50


def as_pairs_of(*ways: str) -> str:
    """The fix for a file that is not of its format, beside other ways."""
    return either(*ways, "read it with `format=pairs`") or "correct its first row"


_FEW_BAD_ROWS = 10
_WRONG_WIDTH = "wrong number of columns"
EMPTY_TEXT = "empty text"
NESTED_TEXT = "list or object in the place of a text"


class TableRow(NamedTuple):
    r"""A data row.

    Attributes:
        row: 0-based number among all data rows, including those that a reader skips.
        line: 1-based first line of the row.
        fields: cells; none for an unreadable row.
        source: the row as written in the file, without the ``\n``.
        nested: positions of cells that contain a JSON list or object, which is not text.
    """

    row: int
    line: int
    fields: tuple[str, ...]
    source: str
    nested: frozenset[int] = frozenset()

    def text(self, places: Iterable[int]) -> str:
        """The texts of some columns joined by spaces, without blank ones."""
        cells = [self.fields[place] for place in places]
        return cells[0] if len(cells) == 1 else " ".join(cell for cell in cells if cell.strip())

    def objection(self, places: Iterable[int]) -> str:
        """The reason why these columns contain no text, or ""."""
        if self.nested and not self.nested.isdisjoint(places):
            return NESTED_TEXT
        return "" if any(self.fields[place].strip() for place in places) else EMPTY_TEXT


class _Sink(Protocol):
    def write(self, text: str, /) -> object: ...


class _Record(NamedTuple):
    line: int
    fields: tuple[str, ...] | None
    source: str
    nested: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Table:
    r"""A file of rows; obtained from :func:`open_table`.

    Attributes:
        path: the file.
        format: csv, tsv or jsonl.
        delimiter: delimiter between fields; "" for jsonl.
        quoting: "csv" if double quotes quote, "none" if they are text.
        header: names of the columns, or None.
        width: number of columns.
        head: the header line as written in the file, without the ``\n``, or None.
        ragged: True to yield rows of any width.
        patient: True to let quoted fields span any number of lines.
        parts: tables of a folder, read as one.
        encoding: name given by the user; None for UTF-8, or UTF-16 with a byte order mark.
    """

    path: Path
    format: Format
    delimiter: str
    quoting: Quoting
    header: tuple[str, ...] | None
    width: int
    head: str | None
    ragged: bool = False
    patient: bool = False
    parts: tuple[Table, ...] = ()
    encoding: str | None = None

    def rows(self, counter: SkipCounter | None = None, *, every: bool = False) -> Iterator[TableRow]:
        """Yield the data rows; each call starts at the top.

        Rows of the wrong width and lines that are not JSON objects are skipped and counted.

        Args:
            counter: counter of rows and skips.
            every: True to yield unreadable rows too, without cells.

        Raises:
            DataError: quotes are invalid, or more than ten rows and a tenth of all have the wrong width.
        """
        counter = SkipCounter(self.path) if counter is None else counter
        before = counter.rows
        if not self.parts:
            yield from self._own_rows(counter, every=every)
        for part in self.parts:
            start = counter.rows - before
            for row in part._own_rows(counter, every=every):
                yield row._replace(row=start + row.row)
        if counter.rows == before:
            raise DataError("the file holds no data rows", path=self.path, fix="give at least one row")

    def _own_rows(self, counter: SkipCounter, *, every: bool) -> Iterator[TableRow]:
        bad = total = first = 0
        reason = ""
        for total, record in enumerate(self._data(), 1):
            counter.rows += 1
            fields = record.fields
            if fields is None or (len(fields) != self.width and not self.ragged):
                why = _WRONG_WIDTH if fields is not None else json_lines.objection_to(record.source)
                counter.skip(record.line, why)
                bad, first, reason = bad + 1, first or record.line, reason or why
                if every:
                    yield TableRow(total - 1, record.line, (), record.source)
            else:
                yield TableRow(total - 1, record.line, fields, record.source, record.nested)
        if bad > _FEW_BAD_ROWS and bad * 10 > total:
            raise DataError(
                f"{bad:,} of {total:,} rows: {reason}"
                + (f", expected {self.width} separated by {self.delimiter!r}" if self.delimiter else ""),
                path=self.path,
                line=first,
                fix=either("check delimiter and quotes", "take double quotes as text: `quoting=none`"),
            )

    def with_all_keys(self) -> Self:
        """The same JSON lines with the keys of all of them as columns."""
        keys = dict.fromkeys(self.header or ())
        for line in lines(self.path, self.encoding):
            keys |= dict.fromkeys(json_lines.keys_of([line]))
        return replace(self, header=tuple(keys), width=len(keys))

    def sample(self) -> list[tuple[str, ...]]:
        """The cells of the first rows; lists and objects, which are neither texts nor labels, are blank."""
        return [
            tuple("" if place in row.nested else cell for place, cell in enumerate(row.fields))
            if row.nested
            else row.fields
            for row in islice(self.rows(), SAMPLE)
        ]

    def text_column(self) -> int:
        """The column of single texts, by a known name or as the only one without labels or numbers.

        Raises:
            DataError: there is no such column, or more than one, or the file is one JSON object with a list.
        """
        place = find_text_column(self.header, self.sample(), self.path)
        self.refuse_document(of_texts=self.header is not None and not is_text_name(self.header[place]))
        return place

    def refuse_document(self, *, of_texts: bool = False) -> None:
        """Check that a lone JSON object is a row: that it holds no list of objects, which are the rows.

        Args:
            of_texts: True if it must hold no list of texts either.

        Raises:
            DataError: it does, and its other texts, such as the name of the data, are no rows.
        """
        begins = ("[{", '["') if of_texts else ("[{",)
        if self.format != "jsonl" or self.header is None or is_column_file(self.path):
            return
        first, *others = islice(self.rows(), 2)
        for place in () if others else sorted(first.nested):
            if first.fields[place].startswith(begins):
                raise DataError(
                    f"is one JSON object with a list in {self.header[place]!r}, expected an object a line",
                    path=self.path,
                    line=first.line,
                    fix="write the list alone to a file, or name the columns",
                )

    def writer(self, stream: _Sink) -> Callable[[TableRow], None]:
        """Write the header to ``stream``, and return a function that writes rows of this table unchanged.

        Rows of a spreadsheet are written as CSV.
        """
        if is_workbook(self.path):
            table = csv.writer(stream, lineterminator="\n")
            if self.header is not None:
                table.writerow(map(as_text, self.header))
            return lambda row: table.writerow(map(as_text, row.fields))
        if self.head is not None:
            stream.write(self.head + "\n")

        def write(row: TableRow) -> None:
            stream.write(row.source + "\n")

        return write

    def _data(self) -> Iterator[_Record]:
        encoding = self.encoding
        if self.format == "jsonl":
            return _objects(self.path, self.header or (), encoding)
        records = _records(self.path, self.delimiter, self.quoting, patient=self.patient, encoding=encoding)
        return islice(records, 0 if self.head is None else 1, None)


def open_table(
    path: Path | str,
    *,
    quoting: QuotingOption = "auto",
    ragged: bool = False,
    named: Iterable[str] = (),
    encoding: str | None = None,
    all_keys: bool = False,
) -> Table:
    """Detect the format, dialect and header of a table.

    Args:
        path: a CSV, TSV or JSONL file, plain or gzip, a column file, a spreadsheet, or a folder of such files
            named ``part-*`` with the same columns.
        quoting: "csv": double quotes quote, and a quoted field may span any number of lines; "none": they are
            text; "auto": detected by the rule in ``dialect.py``.
        ragged: True if rows may differ in width.
        named: columns given by the user, by name or number: a first row with one of these names is the
            header, whatever else it contains. In JSON lines, names may be dotted paths into objects.
        encoding: text encoding; by default UTF-8, or UTF-16 with a byte order mark.
        all_keys: True for the columns of all JSON lines, which are read twice then, and not of the first
            ones; for data of any number of columns, such as negatives.

    Raises:
        DataError: the file can't be read as text, or contains no row, or the files of a folder differ.
    """
    check_encoding(encoding)
    named = tuple(named)
    first, *others = filled_files_of(path)
    table = _opened(first, quoting, ragged, named, encoding)
    parts = [table]
    if is_folder(path):
        parts += (_opened(other, quoting, ragged, table.header or named, encoding) for other in others)
    if all_keys and table.format == "jsonl":
        parts = [one.with_all_keys() for one in parts]
    return _joined(Path(path), parts) if is_folder(path) else parts[0]


def _joined(path: Path, parts: list[Table]) -> Table:
    """Combine the tables of a folder."""
    if parts[0].format == "jsonl":
        keys = tuple(dict.fromkeys(key for part in parts for key in part.header or ()))
        parts = [replace(part, header=keys, width=len(keys)) for part in parts]
    first = parts[0]
    for part in parts:
        if (part.delimiter, part.header, part.width) != (first.delimiter, first.header, first.width):
            raise DataError(
                f"has other columns than {first.path.name}", path=part.path, fix="give all the same header"
            )
    quoting: Quoting = "csv" if any(part.quoting == "csv" for part in parts) else "none"
    parts = [replace(part, quoting=quoting) for part in parts]
    return replace(first, path=path, quoting=quoting, parts=tuple(parts))


def _opened(
    place: Path, quoting: QuotingOption, ragged: bool, named: Sequence[str], encoding: str | None
) -> Table:
    """The table of one file."""
    first_lines = [line for line in islice(lines(place, encoding), SAMPLE) if line]
    if not first_lines:
        raise DataError(f"the first {SAMPLE} lines are blank", path=place, fix="remove the blank lines")
    bracketed = first_lines[0].lstrip()[:1] in {"{", "["} and not is_workbook(place)
    if bracketed and json_lines.looks_like_json(first_lines, place):
        keys = json_lines.keys_of(first_lines, named)
        keys += json_lines.keys_among(lines(place, encoding), [one for one in named if one not in keys])
        if find_label_column(keys) is None:
            keys += _keys_with_label(lines(place, encoding), keys)
        return Table(place, "jsonl", "", "none", keys, len(keys), None, encoding=encoding)
    delimiter, style = _dialect(place, first_lines, quoting, encoding)
    patient = quoting == "csv"
    records = list(islice(_records(place, delimiter, style, patient=patient, encoding=encoding), SAMPLE))
    cells = [record.fields for record in records if record.fields is not None]
    if not cells:
        raise DataError("the file holds only blank lines", path=place, fix="give at least one row")
    with_header = is_header(cells[0], cells[1:]) or is_named(cells[0], named)
    widths = Counter(len(fields) for fields in cells)
    return Table(
        path=place,
        format="tsv" if delimiter == "\t" else "csv",
        delimiter=delimiter,
        quoting=style,
        header=cells[0] if with_header else None,
        width=len(cells[0]) if with_header else widths.most_common(1)[0][0],
        head=records[0].source if with_header else None,
        ragged=ragged,
        patient=patient,
        encoding=encoding,
    )


def _keys_with_label(every: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """The further keys of the first line with a label, as first lines may be unlabelled."""
    for line in filter(LABEL_KEY.search, every):
        further = tuple(key for key in json_lines.keys_of([line]) if key not in known)
        if find_label_column(further) is not None:
            return further
    return ()


def _dialect(
    place: Path, first_lines: Sequence[str], quoting: QuotingOption, encoding: str | None
) -> tuple[str, Quoting]:
    """The delimiter and the quoting of a file that isn't JSON."""
    if is_workbook(place):
        return SEPARATOR, "none"
    named_csv = ".csv" in (suffix.lower() for suffix in place.suffixes)
    delimiter = guess_delimiter(first_lines) or ("," if named_csv else "\t")
    return delimiter, guess_quoting(lines(place, encoding), delimiter) if quoting == "auto" else quoting


def _records(
    path: Path, delimiter: str, quoting: Quoting, *, patient: bool, encoding: str | None
) -> Iterator[_Record]:
    if quoting == "none":
        for number, line in enumerate(raw_lines(path, encoding), 1):
            bare = line.rstrip("\r")
            if bare:
                yield _Record(number, tuple(bare.split(delimiter)), line)
        return
    numbered = enumerate(raw_lines(path, encoding), 1)
    for number, line in numbered:
        record = line.removesuffix("\r")
        if not record:
            continue
        source, reading = line, cut(record, delimiter)
        fields, opened, is_stray = reading.fields, number, reading.stray_at is not None
        if reading.open_at is not None:
            limit = sys.maxsize if patient else _MOST_LINES_IN_QUOTES
            spanning = SpanningRecord(delimiter)
            source = _spanned(spanning, line, numbered, limit, path, number)
            fields, opened, is_stray = tuple(spanning.fields), number + spanning.begun, spanning.is_stray
        if is_stray:
            raise DataError(
                "text follows the closing quote of a field",
                path=path,
                line=opened,
                fix=either("double the quotes inside the field", "take quotes as text: `quoting=none`"),
            )
        if delimiter == "," and any("'" in field for field in fields):
            fields = tuple(map(from_text, fields))
        yield _Record(number, fields, source)


def _spanned(
    record: SpanningRecord,
    line: str,
    following: Iterator[tuple[int, str]],
    limit: int,
    path: Path,
    number: int,
) -> str:
    """Add lines to a record until it is complete; return it as written in the file.

    Raises:
        DataError: the file or the limit ends first.
    """
    pending = [line]
    record.add(line)
    while record.is_open:
        _, more = next(following, (0, None)) if len(pending) < limit else (0, None)
        if more is None:
            raise _unbalanced(path, number + record.begun, len(pending) if len(pending) >= limit else None)
        pending.append(more)
        record.add(more)
    return "\n".join(pending)


def _unbalanced(path: Path, line: int, spanned: int | None) -> DataError:
    how_far = "is never closed" if spanned is None else f"is still open {spanned} lines later"
    return DataError(
        f"a double quote opens a field here and {how_far}",
        path=path,
        line=line,
        fix=either("take quotes as text: `quoting=none`; if the field really is that long: `quoting=csv`")
        or "close the quote",
    )


def _objects(path: Path, header: tuple[str, ...], encoding: str | None) -> Iterator[_Record]:
    for number, line in enumerate(raw_lines(path, encoding), 1):
        if line.removesuffix("\r"):
            values = json_lines.parse_object(line)
            if values is None:
                yield _Record(number, None, line)
                continue
            cells = [json_lines.value_at(values, key) for key in header]
            nested = frozenset(place for place, cell in enumerate(cells) if isinstance(cell, list | dict))
            yield _Record(number, tuple(map(json_lines.cell_of, cells)), line, nested)
