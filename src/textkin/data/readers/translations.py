"""Translation files: a source text and its translations in each row."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textkin.base.errors import DataError, invalid
from textkin.base.python_inputs import path_of
from textkin.data.readers.labels import is_label
from textkin.data.readers.language_codes import is_language_code
from textkin.data.readers.read_report import Loaded, ReadReport, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, NESTED_TEXT, Table, TableRow, open_table

_NO_TRANSLATION = "no translation"


class Translation(NamedTuple):
    """A text and one translation of it.

    Attributes:
        source: the text.
        translation: its translation.
        language: the name of the translation's column; "" without a header.
    """

    source: str
    translation: str
    language: str = ""


def read_translations(path: Path | str) -> Loaded[tuple[Translation, ...]]:
    """Read a table (.tsv, .csv, .jsonl): the first column is the source, all others are translations.

    A row may lack some of its translations. In JSON lines a translation may be a list of several. Without a
    header that names columns, a first row of language codes is one.

    Raises:
        DataError: there is one column only, a column holds labels or numbers, or nothing can be read.
    """
    table = open_table(path, ragged=True, all_keys=True)
    counter = SkipCounter(path)
    rows = list(table.rows(counter))
    names = _names(table, rows)
    if names is not table.header:
        rows, counter.rows = rows[1:], counter.rows - 1
    width = max((len(row.fields) for row in rows), default=0)
    if width < 2:
        raise DataError(
            "holds one column, expected a source and its translations in each row",
            path=path,
            fix="separate them by tabs, or give JSON lines",
        )
    _refuse_labels(path, rows, width)
    found = tuple(one for row in rows for one in _of_row(row, names, counter))
    return Loaded(found, counter.report(), table.format).some()


def translations_of(data: Any, name: str = "parallel") -> Loaded[tuple[Translation, ...]]:
    """Translations from a file, rows of texts, or a mapping from sources to one translation or several.

    Args:
        data: the path or the rows.
        name: the argument, for errors.

    Raises:
        UsageError: a row isn't a source with translations.
        DataError: the file can't be read.
    """
    if (path := path_of(data)) is not None:
        return read_translations(path)
    rows = data.items() if isinstance(data, Mapping) else data
    found: list[Translation] = []
    count = 0
    for count, row in enumerate(rows, 1):
        source, *rest = row if isinstance(row, Sequence) and not isinstance(row, str) else (row,)
        texts = [one for part in rest for one in (part if isinstance(part, list | tuple) else [part])]
        if not texts or not all(isinstance(text, str) and text.strip() for text in (source, *texts)):
            raise invalid(f"{name}[{count - 1}]", row, expected="a source and its translations, not blank")
        found += (Translation(source, text) for text in texts)
    report = ReadReport(path=name, rows=count, kept=count, skipped={}, examples=(), unit="row", columns="")
    return Loaded(tuple(found), report, "python")


def _names(table: Table, rows: Sequence[TableRow]) -> tuple[str, ...] | None:
    """The names of the columns; a first row of language codes counts as a header."""
    first = rows[0].fields if rows else ()
    if table.header is None and len(first) == len(set(first)) > 1 and all(map(is_language_code, first)):
        return first
    return table.header


def _refuse_labels(path: Path | str, rows: Sequence[TableRow], width: int) -> None:
    for place in range(1, width):
        cells = [row.fields[place] for row in rows if len(row.fields) > place and row.fields[place].strip()]
        if cells and all(map(is_label, cells)):
            raise DataError(
                f"column {place + 1} holds labels such as {cells[0]!r}, expected translations: this file has "
                "labelled pairs",
                path=path,
                fix="leave the column out, or give labelled pairs to `train()`",
            )


def _of_row(row: TableRow, names: Sequence[str] | None, counter: SkipCounter) -> Iterator[Translation]:
    """The translations in a row; a row without any is skipped and counted."""
    source = row.fields[0] if row.fields else ""
    if not source.strip() or 0 in row.nested:
        counter.skip(row.line, NESTED_TEXT if 0 in row.nested else EMPTY_TEXT)
        return
    found = [
        Translation(source, text, names[place] if names and place < len(names) else "")
        for place, cell in enumerate(row.fields[1:], 1)
        for text in _texts(cell, nested=place in row.nested)
    ]
    if not found:
        counter.skip(row.line, _NO_TRANSLATION)
    yield from found


def _texts(cell: str, *, nested: bool) -> Iterable[str]:
    values = json.loads(cell) if nested else [cell]
    listed = values if isinstance(values, list) else ()
    return [value for value in listed if isinstance(value, str) and value.strip()]
