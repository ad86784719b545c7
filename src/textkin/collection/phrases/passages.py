"""The passages of a phrase index, in SQLite, so that few of them are in memory at a time."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from textkin.base.errors import DataError, OutputError

_TABLE = """
CREATE TABLE IF NOT EXISTS passages
    (number INTEGER PRIMARY KEY, id TEXT NOT NULL, text TEXT NOT NULL, first INTEGER NOT NULL,
     rows INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_first ON passages (first) WHERE rows > 0;
"""
_FIND = "SELECT id, text, first, rows FROM passages WHERE first <= ? AND rows > 0 ORDER BY first DESC LIMIT 1"
_AGAIN = "build the index again"


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage, the number of its first row, and its number of rows: phrases, or tokens."""

    passage_id: str
    text: str
    first: int
    rows: int


class PassageWriter:
    """Adds passages to a file.

    Args:
        path: the file, created if missing.
        keep: the number of existing passages to keep.
    """

    def __init__(self, path: Path, *, keep: int) -> None:
        self._path, self._number = path, keep
        with _writing(path):
            self._database = sqlite3.connect(path, isolation_level=None)
            self._database.executescript(_TABLE)
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute("DELETE FROM passages WHERE number >= ?", (keep,))

    def add(self, passages: Iterable[StoredPassage]) -> None:
        """Write passages to disk, all or none."""
        rows = [
            (self._number + place, each.passage_id, each.text, each.first, each.rows)
            for place, each in enumerate(passages)
        ]
        with _writing(self._path):
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?)", rows)
            self._database.execute("COMMIT")
        self._number += len(rows)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def compact(path: Path) -> None:
    """Rewrite a file without the traces of changes: equal passages give equal bytes.

    Raises:
        OutputError: the disk is full.
    """
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    try:
        with _writing(path), closing(sqlite3.connect(fresh, isolation_level=None)) as database:
            database.executescript(_TABLE)
            database.execute("ATTACH ? AS old", (str(path),))
            database.execute("INSERT INTO passages SELECT * FROM old.passages ORDER BY number")
        fresh.replace(path)
    finally:
        for left in (fresh, fresh.with_name(f"{fresh.name}-journal")):
            left.unlink(missing_ok=True)


class PassageReader:
    """Finds the passage of a row.

    Args:
        path: the file, which is never written to.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)

    def of_row(self, number: int) -> StoredPassage:
        """The passage of a row, by the row's number from 0.

        Raises:
            DataError: the file is broken.
        """
        with _blaming(self._path):
            row = self._database.execute(_FIND, (number,)).fetchone()
        kinds = (str, str, int, int)
        if row is None or not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
            raise DataError(f"has no passage of row {number:,}", path=self._path, fix=_AGAIN)
        return StoredPassage(*row)

    def all(self, start: int = 0) -> Iterator[StoredPassage]:
        """Yield the passages in order, from a number on.

        Raises:
            DataError: the file is broken.
        """
        with _blaming(self._path):
            rows = self._database.execute(
                "SELECT id, text, first, rows FROM passages WHERE number >= ? ORDER BY number", (start,)
            )
            yield from (StoredPassage(*row) for row in rows)

    def count(self) -> int:
        """The number of passages.

        Raises:
            DataError: the file is broken.
        """
        with _blaming(self._path), closing(self._database.execute("SELECT COUNT(*) FROM passages")) as found:
            return int(found.fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OutputError(f"can't write {path}: {error}", fix="check free space and permissions") from error


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DataError(f"can't be read: {error}", path=path, fix=_AGAIN) from error
