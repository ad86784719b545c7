"""Integrity check of a collection: the database, each row, and each cache file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.errors import DataError
from textkin.base.results import ResultRow, Summary
from textkin.collection.store.cells_file import KnownCells, UnusableCells, read_cells
from textkin.collection.store.database import Database, fact, state_of
from textkin.collection.store.entry_windows import stored_windows, windows_in_sql
from textkin.collection.store.rows import TEXT_COLUMNS, stored_text, text_key
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import KnownSegment, UnusableSegment, known_segments, open_segment
from textkin.collection.store.view import removed_since

_MOST = 20  # problems reported per kind


@dataclass(frozen=True, slots=True, repr=False)
class CollectionHealth(Summary):
    """The problems of a collection.

    Attributes:
        count: rows that are there.
        database: what is wrong with the database, which a repair salvages.
        cache: what is wrong with files of the cache, which are made again.
    """

    count: int
    database: tuple[str, ...] = ()
    cache: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """8 if anything is damaged."""
        return 8 if self.database or self.cache else 0

    def _rows(self) -> Iterator[ResultRow]:
        yield {
            "entries": self.count,
            "database": "; ".join(self.database) or "intact",
            "cache": "; ".join(self.cache) or "intact",
        }


def check(database: Database, source: RowSource | None, folder: Path | None) -> CollectionHealth:
    """Check everything.

    Args:
        database: the database, in a transaction.
        source: the source of segments; None if there have never been rows.
        folder: the cache folder; None without.
    """
    problems: list[str] = []
    rows = 0
    try:
        with database.errors():
            problems += database.problems()
            if database.is_created():
                state = state_of(database)
                problems += _of_facts(database)
                rows, wrong = _of_rows(database, source)
                problems += wrong
                if rows != state.live:
                    problems.append(f"{rows:,} rows are there, {state.live:,} were written")
            else:
                problems.append("it has no tables")
    except DataError as error:
        problems.append(error.message)
    cache: list[str] = []
    if source is not None and folder is not None and not problems:
        cache = [what for known in known_segments(database) for what in _of_segment(source, known, folder)]
        try:
            cache += _of_cells(source, folder)
        except DataError as error:
            problems.append(error.message)
    return CollectionHealth(rows, tuple(dict.fromkeys(problems)), tuple(cache))


def _of_rows(database: Database, source: RowSource | None) -> tuple[int, list[str]]:
    """The number of rows, and their problems."""
    wrong: list[str] = []
    count = 0
    for row in database.streamed(f"SELECT {TEXT_COLUMNS}, text_key FROM texts ORDER BY number"):
        count += 1
        try:
            found = stored_text(database.place, row[:-1])
            if text_key(found.text) != row[-1] or not isinstance(json.loads(found.metadata), dict):
                wrong.append(f"row {found.number} is not what was written")
        except DataError as error:
            wrong.append(error.message)
    windowed = source is not None and source.windowed
    wrong += _of_vectors(database, 0 if source is None else source.dim, windowed=windowed)
    apart = "SELECT count(*) FROM {} WHERE number NOT IN (SELECT number FROM {})"
    more_tables = (("windows", "vectors"),) if windowed else ()
    for one, other in (("texts", "vectors"), ("vectors", "texts"), *more_tables):
        if missing := database.execute(apart.format(one, other)).fetchone()[0]:
            wrong.append(f"{missing:,} rows of {one} are not in {other}")
    more = [f"and {len(wrong) - _MOST:,} more rows"] if len(wrong) > _MOST else []
    return count, [*wrong[:_MOST], *more]


def _of_vectors(database: Database, dim: int, *, windowed: bool) -> Iterator[str]:
    """Problems of vectors and window positions."""
    columns, joined = windows_in_sql(windowed=windowed)
    for row in database.streamed(f"SELECT {columns} FROM vectors {joined} ORDER BY number"):
        try:
            stored_windows(database.place, row, dim, windowed=windowed)
        except DataError as error:
            yield error.message


def _of_segment(source: RowSource, known: KnownSegment, folder: Path) -> Iterator[str]:
    try:
        segment = open_segment(folder, known, source.dim)
    except UnusableSegment as error:
        yield str(error)
        return
    if segment.doubt is not None and not segment.doubt():
        yield f"{segment.file}: vectors are not what was written"
    segment.remove(removed_since(source, known.high, known.high))
    alive = segment.numbers if segment.alive is None else segment.numbers[segment.alive]
    there = source.ordered(known.low, known.high).numbers
    if not np.array_equal(np.sort(alive), np.sort(there)):
        yield f"{segment.file}: its rows are not those of the database"


def _of_cells(source: RowSource, folder: Path) -> Iterator[str]:
    if (known := KnownCells.of(source.database)) is not None:
        try:
            read_cells(folder, known, source.dim)
        except UnusableCells as error:
            yield str(error)


def facts_of(database: Database) -> dict[str, Any]:
    """All facts that can be read."""
    try:
        names = [row[0] for row in database.execute("SELECT name FROM facts")]
    except (sqlite3.Error, ValueError):
        return {}
    found = {}
    for name in names:
        with suppress(sqlite3.Error, ValueError, DataError):
            found[name] = fact(database, name)
    return found


def _of_facts(database: Database) -> Iterator[str]:
    for (name,) in database.execute("SELECT name FROM facts ORDER BY name").fetchall():
        try:
            fact(database, name)
        except DataError as error:
            yield error.message
