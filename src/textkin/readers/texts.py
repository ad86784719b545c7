"""Single texts, without labels: plain text with one a line, or one column of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

from textkin.errors import DataError
from textkin.readers.columns import find_column, find_id_column, find_text_column
from textkin.readers.pairs import EMPTY_TEXT
from textkin.readers.report import Loaded, SkipCounter
from textkin.readers.source import lines
from textkin.readers.table import open_table

_TABLES = frozenset({".csv", ".tsv", ".jsonl", ".json", ".ndjson"})


@final
@dataclass(frozen=True, slots=True)
class Texts:
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

    def __len__(self) -> int:
        return len(self.texts)


def read_texts(
    path: Path | str,
    *,
    column: str | None = None,
    quoting: Literal["auto", "csv", "none"] = "auto",
) -> Loaded[Texts]:
    """Read texts; empty ones are counted skips.

    Args:
        path: a table (.csv, .tsv, .jsonl, or any file when ``column`` is given), or plain text with one text
            a line.
        column: name or 1-based number of the column of texts; found by itself where there is only one
            candidate.
        quoting: see ``table.open_table``.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read, or an id comes twice.
    """
    place = Path(path)
    suffixes = {suffix.lower() for suffix in place.suffixes}
    if column is None and not suffixes & _TABLES:
        return _read_lines(place)
    table = open_table(path, quoting=quoting)
    if column is None:
        text = find_text_column(table.header, table.sample(), path)
    else:
        text = find_column(table.header, table.width, column)
    ids = find_id_column(table.header)
    counter = SkipCounter(path)
    found: dict[str, str] = {}
    for row in table.rows(counter):
        if not row.fields[text].strip():
            counter.skip(row.line, EMPTY_TEXT)
            continue
        key = str(row.row + 1) if ids in (None, text) else row.fields[ids or 0].strip()
        if key in found:
            raise DataError(f"id {key!r} comes twice", path=path, line=row.line, fix="make the ids unique")
        found[key] = row.fields[text]
    return Loaded(Texts(tuple(found), tuple(found.values()), place.name), counter.report(), table.format)


def _read_lines(path: Path) -> Loaded[Texts]:
    counter = SkipCounter(path)
    found: dict[str, str] = {}
    for number, line in enumerate(lines(path), 1):
        counter.rows += 1
        if line.strip():
            found[str(number)] = line
        else:
            counter.skip(number, EMPTY_TEXT)
    return Loaded(Texts(tuple(found), tuple(found.values()), path.name), counter.report(), "txt")
