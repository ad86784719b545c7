"""Entries for a collection: texts with ids and metadata, from a table, plain text or a BEIR folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any
from uuid import UUID

from textkin.base.argument_checks import check_fields
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.frames import require_order
from textkin.base.json_records import json_object
from textkin.base.python_inputs import MISSING_TEXTS, in_order
from textkin.base.python_values import date_text, has_time, id_of, ids_of, is_missing, plain, shortest, shown
from textkin.base.sharded_files import parts_of
from textkin.data.entry_records import Entry
from textkin.data.readers import columns
from textkin.data.readers.column_report import LOOKED_AT, lines_taken, texts_taken
from textkin.data.readers.datasets.beir import is_beir, read_beir_entries
from textkin.data.readers.encodings import check_encoding
from textkin.data.readers.json_lines import JsonNumber
from textkin.data.readers.plain_folder import plain_files, read_plain_files
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, Table, TableRow, open_table
from textkin.data.readers.text_files import filled_files_of, lines
from textkin.data.readers.texts import is_table_name

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_EXPORTED = frozenset(("id", "text", "metadata"))  # what `collection export` writes of an entry
_AS_TEXT = (date, time, timedelta, Decimal, UUID)  # files hold them so, and JSON has no others
_SAMPLE = 100  # rows
_HASH = 20  # hexadecimal digits: among a billion texts, the probability of a collision is one in a million


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryReading:
    """Options for reading a file of entries.

    Attributes:
        text: name or 1-based number of a table's text column; None to detect it. Several columns separated by
            commas, such as "subject,body", are joined into one text. In JSON lines, names may be paths, such
            as "data.text".
        id: column of the ids; None to detect it by name. Without ids, a hash of the text is used.
        metadata: columns to store with the text.
        quoting: interpretation of double quotes in a table, see ``table.open_table``.
        encoding: text encoding, such as "cp1252"; by default UTF-8, or UTF-16 with a byte order mark.

    Example:
        >>> import textkin as tk
        >>> tk.EntryReading(id="key", metadata=("lang", "year")).quoting
        'auto'
    """

    text: str | None = None
    id: str | None = None
    metadata: tuple[str, ...] = ()
    quoting: QuotingOption = "auto"
    encoding: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class EntryFile:
    """A file of entries, read anew in each pass, so that it can have any size.

    Args:
        path: a table (.csv, .tsv, .jsonl, or any file if a column is given), plain text with one text per
            line, a folder of such files named ``part-*``, a folder of plain files, each of which is an entry
            named by its path in the folder, or a BEIR folder, whose corpus is read with its metadata.
        reading: options for reading a table.

    Raises:
        UsageError: a column is missing.
        DataError: the file can't be read.
    """

    def __init__(self, path: Path | str, *, reading: EntryReading | None = None) -> None:
        self.path = Path(path)
        asked = reading or EntryReading()
        check_encoding(asked.encoding)
        others = tuple(one for one in (asked.id, *asked.metadata) if one is not None)
        named = (*columns.named_columns(asked.text), *others)
        self._table: Table | None = None
        self._text: tuple[int, ...] = (0,)
        self._ids: int | None = None
        self._encoding, self._given = asked.encoding, asked.text is not None
        self._metadata: dict[str, int] = {}
        self._about: int | None = None  # the column of all metadata, in a file of `collection export`
        self._is_beir = self.path.is_dir() and is_beir(self.path)
        self._is_plain = not self._is_beir and not parts_of(self.path) and bool(plain_files(self.path))
        self._files = [] if self._is_beir or self._is_plain else filled_files_of(path)
        is_table = bool(self._files) and (bool(named) or is_table_name(self._files[0]))
        if named and not is_table:
            param = "text" if asked.text else "id" if asked.id else "metadata"
            raise invalid(param, named[0], expected=f"none: {path} isn't a table", fix="leave it out")
        if is_table:
            table = self._table = open_table(
                path, quoting=asked.quoting, named=named, encoding=asked.encoding
            )
            header, width = table.header, table.width

            def place(column: str) -> int:
                return columns.find_column(header, width, column, param="metadata")

            self._text = (
                (_text_column(table),)
                if asked.text is None
                else columns.find_text_columns(header, width, asked.text)
            )
            ids = columns.find_id_column(header, width, asked.id)
            self._ids = None if ids in self._text and asked.id is None else ids
            self._metadata = {self._called(one, place(one)): place(one) for one in asked.metadata}
            if not named and (exported := _exported(table, asked)):
                self._table, self._given = exported, True
                self._text, self._ids, self._about = (
                    (columns.find_column(exported.header, exported.width, "text", param="text"),),
                    columns.find_column(exported.header, exported.width, "id", param="id"),
                    columns.find_column(exported.header, exported.width, "metadata", param="metadata"),
                )

    @property
    def has_ids(self) -> bool:
        """True if ids are in the file, False if they are hashes of the texts."""
        return self._is_beir or self._is_plain or self._ids is not None

    def require_begin(self) -> None:
        """Check that the first entry can be read.

        Raises:
            DataError: it can't be read.
        """
        next(self.entries(SkipCounter(self.path)), None)

    def entries(self, counter: SkipCounter) -> Iterator[Entry]:
        """Yield each entry; empty texts are skipped and counted.

        Raises:
            DataError: the file can't be read, or an id is empty or repeated.
        """
        if self._is_beir:
            yield from read_beir_entries(self.path, counter)
        elif self._is_plain:
            named = read_plain_files(self.path, counter, encoding=self._encoding)
            yield from (Entry(name, text) for name, text in named)
        elif self._table is None:
            every = chain.from_iterable(lines(file, self._encoding) for file in self._files)
            counter.columns = lines_taken(list(islice(lines(self._files[0], self._encoding), LOOKED_AT)))
            for number, line in enumerate(every, 1):
                counter.rows += 1
                if line.strip():
                    yield Entry(hashed_id(line), line)
                else:
                    counter.skip(number, EMPTY_TEXT)
        else:
            yield from self._rows(self._table, counter)

    def _rows(self, table: Table, counter: SkipCounter) -> Iterator[Entry]:
        seen: set[str] = set()
        counter.columns = texts_taken(table.header, table.sample(), self._text, given=self._given)
        for row in table.rows(counter):
            if reason := row.objection(self._text):
                counter.skip(row.line, reason)
                continue
            text = row.text(self._text)
            key = hashed_id(text) if self._ids is None else row.fields[self._ids]
            if self._about is None:
                key = key.strip()
            if self._ids is not None and (key in seen or not key):
                told = f"id {key!r} comes twice" if key else "an empty id"
                raise DataError(told, path=self.path, line=row.line, fix="make the ids unique")
            if self._ids is not None:
                seen.add(key)
            yield Entry(key, text, self._metadata_of(row))

    def _metadata_of(self, row: TableRow) -> Mapping[str, Any]:
        if self._about is None:
            cells = ((name, place, row.fields[place]) for name, place in self._metadata.items())
            return {
                name: json.loads(cell) if place in row.nested else _value(cell)
                for name, place, cell in cells
                if cell
            }
        found = json_object(row.fields[self._about])
        if found is None:
            raise DataError(
                "the metadata are no JSON object, as those of the first rows",
                path=self.path,
                line=row.line,
                fix="write all as `collection export` does, or name columns: `text=text`",
            )
        return found

    def _called(self, column: str, place: int) -> str:
        header = None if self._table is None else self._table.header
        return column if header is None else header[place]


def _exported(table: Table, asked: EntryReading) -> Table | None:
    """The table of a file that ``collection export`` wrote, with its metadata whole; None for others."""
    if {name.partition(".")[0] for name in table.header or ()} != _EXPORTED:
        return None
    whole = open_table(table.path, quoting=asked.quoting, named=_EXPORTED, encoding=asked.encoding)
    header = whole.header or ()
    if not _EXPORTED.issubset(header):
        return None
    about = header.index("metadata")
    sample = islice(whole.rows(), _SAMPLE)
    return whole if all(json_object(row.fields[about]) is not None for row in sample) else None


def hashed_id(text: str) -> str:
    """The id of a text without one."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:_HASH]


def distinct(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries of which no two have one id, as the later would replace the earlier unseen.

    A text may come again under its own hash.

    Raises:
        UsageError: an id comes twice.
    """
    seen: set[str] = set()
    for one in entries:
        if one.entry_id in seen and one.entry_id != hashed_id(one.text):
            raise UsageError(f"the id {shown(one.entry_id)} comes twice", fix="make the ids unique")
        seen.add(one.entry_id)
        yield one


def entry_ids_of(ids: Iterable[Any]) -> list[str]:
    """Ids of entries, strings or integers, without the blanks around them, as files have them.

    Raises:
        UsageError: one has another type, or contains characters that ids can't have.
    """
    return [id_of(one, f"ids[{place}]").strip() for place, one in enumerate(ids)]


def as_entries(values: Any, ids: Any = None, metadata: Any = None) -> Iterator[Entry]:
    """Yield entries from texts or from entries.

    Args:
        values: texts, or :class:`Entry` objects: any iterable, read lazily, or a column.
        ids: ids of the texts, as strings or integers; hashes of the texts if None.
        metadata: mappings, one per text.

    Raises:
        UsageError: the lengths differ, a value is neither, an id comes twice, or a column has the rows of the
            texts in another order.
    """
    for name, column in (("ids", ids), ("metadata", metadata)):
        require_order(values, column, name)
    values = in_order(values, "texts")
    ids, metadata = (
        None if given is None else list(in_order(given, name))
        for name, given in (("ids", ids), ("metadata", metadata))
    )
    if ids is not None or metadata is not None:
        values = list(values)
    for what, given in (("ids", ids), ("metadata", metadata)):
        if given is not None and len(given) != len(values):
            raise invalid(what, f"{len(given)} values", expected=f"{len(values)}, one per text")
    if ids is not None:
        ids = ids_of(entry_ids_of(ids), "ids")
    have_times = _with_times(metadata or ())
    for place, value in enumerate(values):
        if isinstance(value, Entry):
            has_blanks = isinstance(value.entry_id, str) and value.entry_id != value.entry_id.strip()
            yield replace(value, entry_id=value.entry_id.strip()) if has_blanks else value
        elif isinstance(value, str):
            about: Mapping[str, Any] = {} if metadata is None else _plain(metadata[place], have_times)
            yield Entry(hashed_id(value) if ids is None else ids[place], value, about)
        else:
            fix = MISSING_TEXTS if is_missing(value) else None
            raise invalid(f"texts[{place}]", value, expected="a text, or tk.Entry", fix=fix)


def _with_times(metadata: Iterable[Any]) -> frozenset[str]:
    """The names under which some entry has a point in time that is no midnight."""
    rows = (row for row in metadata if isinstance(row, Mapping))
    values = (item for row in rows for item in row.items() if isinstance(item[1], datetime))
    return frozenset(name for name, value in values if has_time(str(value)))


def _plain(metadata: Any, have_times: frozenset[str]) -> Any:
    """Metadata with Python's numbers, dates and the like as texts; other types are rejected when stored."""
    if not isinstance(metadata, Mapping):
        return metadata
    found = {name: plain(shortest(value)) for name, value in metadata.items()}
    return {
        name: date_text(str(value), has_times=name in have_times) if isinstance(value, _AS_TEXT) else value
        for name, value in found.items()
    }


def _text_column(table: Table) -> int:
    try:
        return table.text_column()
    except DataError as error:
        raise DataError(error.message, fix="name it: `text=NAME` (a name or a number from 1)") from error


def _value(cell: str) -> str | int | float:
    """The cell as a number if that is written back unchanged, or equal in JSON, else as text.

    So "19.90" and "007" stay texts; filters recognise the numeric ones.
    """
    if _WHOLE.fullmatch(cell) and cell != "-0":
        return int(cell)
    try:
        number = float(cell)
    except ValueError:
        return cell
    if not abs(number) < float("inf"):
        return str(cell)
    same = Decimal(cell) == Decimal(repr(number)) if isinstance(cell, JsonNumber) else repr(number) == cell
    return number if same else str(cell)
