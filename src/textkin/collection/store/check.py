"""Integrity check of a collection: the back end, each row, and each cache file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.errors import DataError
from textkin.base.results import ResultRow, Summary
from textkin.collection.store.back_end import TEXT, WINDOWED, BackEnd, Which
from textkin.collection.store.cells_file import KnownCells, UnusableCells, read_cells
from textkin.collection.store.entry_windows import stored_windows
from textkin.collection.store.facts import read_fact, state_of
from textkin.collection.store.rows import stored_text, text_key
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


def check(back_end: BackEnd, source: RowSource | None) -> CollectionHealth:
    """Check everything.

    Args:
        back_end: the back end, which reads one moment.
        source: the source of segments; None if there have never been rows.
    """
    problems: list[str] = []
    rows = 0
    try:
        with back_end.errors():
            problems += back_end.check()
            if back_end.is_created():
                state = state_of(back_end)
                problems += _of_facts(back_end)
                rows, wrong = _of_rows(back_end, source)
                problems += wrong
                if rows != state.live:
                    problems.append(f"{rows:,} rows are there, {state.live:,} were written")
            else:
                problems.append("it has no tables")
    except DataError as error:
        problems.append(error.message)
    cache: list[str] = []
    folder = back_end.cache
    if source is not None and folder is not None and not problems:
        cache = [what for known in known_segments(back_end) for what in _of_segment(source, known, folder)]
        try:
            cache += _of_cells(source, folder)
        except DataError as error:
            problems.append(error.message)
    return CollectionHealth(rows, tuple(dict.fromkeys(problems)), tuple(cache))


def _of_rows(back_end: BackEnd, source: RowSource | None) -> tuple[int, list[str]]:
    """The number of rows, and their problems."""
    wrong: list[str] = []
    count = 0
    for row in back_end.rows(Which(), (*TEXT, "text_key")):
        count += 1
        try:
            found = stored_text(back_end.place, row[:-1])
            if text_key(found.text) != row[-1] or not isinstance(json.loads(found.metadata), dict):
                wrong.append(f"row {found.number} is not what was written")
        except DataError as error:
            wrong.append(error.message)
    wrong += _of_vectors(back_end, source)
    more = [f"and {len(wrong) - _MOST:,} more rows"] if len(wrong) > _MOST else []
    return count, [*wrong[:_MOST], *more]


def _of_vectors(back_end: BackEnd, source: RowSource | None) -> Iterator[str]:
    """Problems of vectors and window positions."""
    dim, windowed = (0, False) if source is None else (source.dim, source.windowed)
    for row in back_end.rows(Which(), WINDOWED):
        try:
            stored_windows(back_end.place, row, dim, windowed=windowed)
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
    if (known := KnownCells.of(source.back_end)) is not None:
        try:
            read_cells(folder, known, source.dim)
        except UnusableCells as error:
            yield str(error)


def _of_facts(back_end: BackEnd) -> Iterator[str]:
    for name, text in back_end.facts().items():
        try:
            read_fact(back_end.place, name, text)
        except DataError as error:
            yield error.message
