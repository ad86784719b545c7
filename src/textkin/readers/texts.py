"""Single texts, without labels: plain text with one a line, or one column of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

from textkin.errors import DataError
from textkin.readers.columns import find_column, find_id_column, find_text_column
from textkin.readers.pairs import EMPTY_TEXT
from textkin.readers.report import Loaded, SkipCounter
from textkin.readers.source import lines
from textkin.readers.table import Table, open_table

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


@final
class TextFile:
    """A file of texts, which is gone through anew each time, so that it may be of any size.

    Args:
        path: a table (.csv, .tsv, .jsonl, or any file when ``column`` is given), or plain text with one text
            a line.
        column: name or 1-based number of the column of texts; found by itself where there is only one
            candidate.
        quoting: see ``table.open_table``.

    Attributes:
        path: the file.
        format: "txt", or the table's.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        column: str | None = None,
        quoting: Literal["auto", "csv", "none"] = "auto",
    ) -> None:
        self.path = Path(path)
        suffixes = {suffix.lower() for suffix in self.path.suffixes}
        self._table: Table | None = None
        self._text, self._ids = 0, None
        self.format = "txt"
        if column is not None or suffixes & _TABLES:
            table = self._table = open_table(path, quoting=quoting)
            self.format = table.format
            self._text = (
                find_text_column(table.header, table.sample(), path)
                if column is None
                else find_column(table.header, table.width, column)
            )
            ids = find_id_column(table.header)
            self._ids = None if ids == self._text else ids

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """Each text after its id; empty texts are counted skips.

        Raises:
            DataError: the file can't be read, or an id comes twice.
        """
        if self._table is None:
            yield from self._lines(counter)
            return
        seen: set[str] = set()
        for row in self._table.rows(counter):
            text = row.fields[self._text]
            if not text.strip():
                counter.skip(row.line, EMPTY_TEXT)
                continue
            if self._ids is None:
                yield str(row.row + 1), text
                continue
            key = row.fields[self._ids].strip()
            if key in seen:
                raise DataError(
                    f"id {key!r} comes twice", path=self.path, line=row.line, fix="make the ids unique"
                )
            seen.add(key)
            yield key, text

    def _lines(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        for number, line in enumerate(lines(self.path), 1):
            counter.rows += 1
            if line.strip():
                yield str(number), line
            else:
                counter.skip(number, EMPTY_TEXT)


def read_texts(
    path: Path | str,
    *,
    column: str | None = None,
    quoting: Literal["auto", "csv", "none"] = "auto",
) -> Loaded[Texts]:
    """Read all texts of a file; arguments and errors are those of :class:`TextFile`."""
    source, counter = TextFile(path, column=column, quoting=quoting), SkipCounter(path)
    found = dict(source.rows(counter))
    return Loaded(
        Texts(tuple(found), tuple(found.values()), source.path.name), counter.report(), source.format
    )
