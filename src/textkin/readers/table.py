r"""Tables of text: CSV, TSV and JSONL, streamed row by row, and written out again unchanged.

A lone ``\r`` or a line break inside quotes belongs to the text. Blank lines are no rows. How delimiter and
quoting are found is told in ``dialect.py``. In files with commas, an apostrophe before what a spreadsheet
would take for a formula is no text, see ``spreadsheet.py``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, final

from textkin.errors import DataError
from textkin.paths import is_file, is_folder
from textkin.readers.columns import is_header, is_named
from textkin.readers.dialect import Quoting, SpanningRecord, cut, guess_delimiter, guess_quoting
from textkin.readers.filled_parts import filled_files_of
from textkin.readers.reading import QuotingOption
from textkin.readers.report import SkipCounter
from textkin.readers.source import lines, raw_lines
from textkin.spreadsheet import from_text

Format = Literal["csv", "tsv", "jsonl"]

_SAMPLE = 200
_MOST_LINES_IN_QUOTES = 50
_FEW_BAD_ROWS = 10
_WRONG_WIDTH = "wrong number of columns"
_JSON = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_NO_OBJECT = "no readable JSON object"


class Row(NamedTuple):
    """One data row.

    Attributes:
        row: 0-based number among all data rows, also those that a reader skips.
        line: 1-based line on which it starts.
        fields: its cells.
        source: the row as it stands in the file, without the line end.
    """

    row: int
    line: int
    fields: tuple[str, ...]
    source: str


class _Sink(Protocol):
    def write(self, text: str, /) -> object: ...


class _Record(NamedTuple):
    line: int
    fields: tuple[str, ...] | None
    source: str


@final
@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows; obtained from :func:`open_table`.

    Attributes:
        path: the file.
        format: csv, tsv or jsonl.
        delimiter: between fields; "" for jsonl.
        quoting: whether double quotes quote ("csv") or are text ("none").
        header: names of the columns, or None.
        width: number of columns.
        head: the header line as it stands in the file, or None.
        ragged: yield rows of any width.
        patient: let quoted fields span any number of lines.
        parts: the tables of a folder, which are read as one.
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

    def rows(self, counter: SkipCounter | None = None) -> Iterator[Row]:
        """Stream the data rows; each call starts at the top.

        Rows of the wrong width and lines that are no JSON object are counted skips.

        Args:
            counter: counts rows and skips.

        Raises:
            DataError: broken quotes, or more than ten rows and a tenth of all are of the wrong width.
        """
        counter = SkipCounter(self.path) if counter is None else counter
        before = counter.rows
        if not self.parts:
            yield from self._own_rows(counter)
        for part in self.parts:
            start = counter.rows - before
            for row in part._own_rows(counter):
                yield row._replace(row=start + row.row)
        if counter.rows == before:
            raise DataError("the file holds no data rows", path=self.path, fix="give at least one row")

    def _own_rows(self, counter: SkipCounter) -> Iterator[Row]:
        bad = total = first = 0
        reason = _NO_OBJECT if self.format == "jsonl" else _WRONG_WIDTH
        for total, record in enumerate(self._data(), 1):
            counter.rows += 1
            fields = record.fields
            if fields is None or (len(fields) != self.width and not self.ragged):
                counter.skip(record.line, reason)
                bad, first = bad + 1, first or record.line
            else:
                yield Row(total - 1, record.line, fields, record.source)
        if bad > _FEW_BAD_ROWS and bad * 10 > total:
            raise DataError(
                f"{bad:,} of {total:,} rows: {reason}"
                + (f", expected {self.width} separated by {self.delimiter!r}" if self.delimiter else ""),
                path=self.path,
                line=first,
                fix="check delimiter and quotes; --quoting none takes double quotes as text",
            )

    def sample(self) -> list[tuple[str, ...]]:
        """The cells of the first rows."""
        return [row.fields for row in islice(self.rows(), _SAMPLE)]

    def writer(self, stream: _Sink) -> Callable[[Row], None]:
        """Write the header to ``stream`` now, and give back what writes one row of this table, unchanged."""
        if self.head is not None:
            stream.write(self.head + "\n")

        def write(row: Row) -> None:
            stream.write(row.source + "\n")

        return write

    def _data(self) -> Iterator[_Record]:
        if self.format == "jsonl":
            return _objects(self.path, self.header or ())
        records = _records(self.path, self.delimiter, self.quoting, patient=self.patient)
        return islice(records, 0 if self.head is None else 1, None)


def open_table(
    path: Path | str,
    *,
    quoting: QuotingOption = "auto",
    ragged: bool = False,
    named: Iterable[str] = (),
) -> Table:
    """Find out the format, dialect and header of a table.

    Args:
        path: a CSV, TSV or JSONL file, plain or gzip, or a folder of such files called ``part-*`` with the
            same columns.
        quoting: "csv": double quotes quote, and a quoted field may span any number of lines; "none": they are
            text; "auto": by the rule in ``dialect.py``.
        ragged: rows may differ in width.
        named: columns as the user gives them, by name or number: a first row that has all these names is the
            header, whatever else it says.

    Raises:
        DataError: the file can't be read as text, or holds no row, or the files of a folder differ.
    """
    first, *others = filled_files_of(path)
    table = _opened(first, quoting, ragged, named)
    if not is_folder(path):
        return table
    further = (_opened(other, quoting, ragged, table.header or named) for other in others)
    return _joined(Path(path), [table, *further])


def line_of(
    path: Path | str, row: int, *, quoting: QuotingOption = "auto", named: Iterable[str] = ()
) -> int | None:
    """The line on which a data row of one file starts, counted from 0 among all; None where there is none.

    The arguments are those of :func:`open_table`.
    """
    if row < 0 or is_folder(path) or not is_file(path):
        return None
    table = open_table(path, quoting=quoting, named=named)
    return next((found.line for found in table.rows() if found.row == row), None)


def _joined(path: Path, parts: list[Table]) -> Table:
    """The tables of a folder as one."""
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


def _opened(place: Path, quoting: QuotingOption, ragged: bool, named: Iterable[str]) -> Table:
    """The table of one file."""
    first_lines = [line for line in islice(lines(place), _SAMPLE) if line]
    if not first_lines:
        raise DataError(f"the first {_SAMPLE} lines are blank", path=place, fix="remove the blank lines")
    if first_lines[0].lstrip()[:1] in {"{", "["} and _looks_like_json(place, first_lines[0]):
        return Table(place, "jsonl", "", "none", _keys(place), len(_keys(place)), None)
    named_csv = ".csv" in (suffix.lower() for suffix in place.suffixes)
    delimiter = guess_delimiter(first_lines) or ("," if named_csv else "\t")
    style = guess_quoting(lines(place), delimiter) if quoting == "auto" else quoting
    patient = quoting == "csv"
    records = list(islice(_records(place, delimiter, style, patient=patient), _SAMPLE))
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
    )


def _records(path: Path, delimiter: str, quoting: Quoting, *, patient: bool) -> Iterator[_Record]:
    if quoting == "none":
        for number, line in enumerate(raw_lines(path), 1):
            bare = line.rstrip("\r")
            if bare:
                yield _Record(number, tuple(bare.split(delimiter)), bare)
        return
    numbered = enumerate(raw_lines(path), 1)
    for number, line in numbered:
        record = line.removesuffix("\r")
        if not record:
            continue
        reading = cut(record, delimiter)
        fields, opened, is_stray = reading.fields, number, reading.stray_at is not None
        if reading.open_at is not None:
            limit = sys.maxsize if patient else _MOST_LINES_IN_QUOTES
            spanning = SpanningRecord(delimiter)
            record = _spanned(spanning, line, numbered, limit, path, number)
            fields, opened, is_stray = tuple(spanning.fields), number + spanning.begun, spanning.is_stray
        if is_stray:
            raise DataError(
                "text follows the closing quote of a field",
                path=path,
                line=opened,
                fix="double the quotes inside the field, or take quotes as text: --quoting none",
            )
        if delimiter == "," and "'" in record:
            fields = tuple(map(from_text, fields))
        yield _Record(number, fields, record)


def _spanned(
    record: SpanningRecord,
    line: str,
    following: Iterator[tuple[int, str]],
    limit: int,
    path: Path,
    number: int,
) -> str:
    """Add lines to a record until it is whole; what stands in the file.

    Raises:
        DataError: file or limit end first.
    """
    pending = [line]
    record.add(line)
    while record.is_open:
        _, more = next(following, (0, None)) if len(pending) < limit else (0, None)
        if more is None:
            raise _unbalanced(path, number + record.begun, len(pending) if len(pending) >= limit else None)
        pending.append(more)
        record.add(more)
    return "\n".join(pending).removesuffix("\r")


def _unbalanced(path: Path, line: int, spanned: int | None) -> DataError:
    how_far = "is never closed" if spanned is None else f"is still open {spanned} lines later"
    return DataError(
        f"a double quote opens a field here and {how_far}",
        path=path,
        line=line,
        fix="take quotes as text: --quoting none; if the field really is that long: --quoting csv",
    )


def _looks_like_json(path: Path, line: str) -> bool:
    if parse_object(line) is not None:
        return True
    if "json" in "".join(path.suffixes).lower():
        raise DataError(
            "the first line is not a JSON object",
            path=path,
            line=1,
            fix='write one object a line, such as {"a": "...", "b": "...", "label": 1}',
        )
    return False


def _keys(path: Path) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for line in islice(lines(path), _SAMPLE):
        found.update(dict.fromkeys(parse_object(line) or ()))
    return tuple(found)


def _objects(path: Path, header: tuple[str, ...]) -> Iterator[_Record]:
    for number, line in enumerate(lines(path), 1):
        if line:
            values = parse_object(line)
            fields = None if values is None else tuple(_cell(values.get(key)) for key in header)
            yield _Record(number, fields, line)


def parse_object(line: str) -> dict[str, Any] | None:
    """The JSON object on a line, numbers as the strings they are written as; None when there is no clean one.

    Clean means that the text could stand in a UTF-8 file: no half surrogate pairs, no NUL.
    """
    try:
        value = _JSON.decode(line)
        if not isinstance(value, dict):
            return None
        if "\\u" in line:
            cells = [_cell(cell) for cell in (*value, *value.values())]
            "".join(cells).encode()
            return None if any("\0" in cell for cell in cells) else value
    except (ValueError, RecursionError):
        return None
    return value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
