"""Which files the cache should have, and how it comes by them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from textkin.base.files import as_output, remove_temporaries
from textkin.collection.store.database import Database, forget, state_of, transaction
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import KnownSegment, UnusableSegment, open_segment, write_segment

FOLDER = "cache"
WORTH_A_FILE = 4096
"""So many vectors are searched in memory, beside the files."""

_GROWTH = 2  # a file is merged with newer rows until it is larger than so many times these
_MOST_REMOVED = 0.25


def refresh_caches(source: RowSource, folder: Path, *, whole: bool = False) -> bool:
    """Bring the cache up to date, if it is worth it; the collection's lock must be held.

    Files are made of the database alone. They count from the moment at which the database names them; those
    that it no longer names go then.

    Args:
        source: not in a transaction.
        folder: of the cache.
        whole: make one file of all rows.

    Returns:
        Whether anything was written.

    Raises:
        OutputError: the disk is full.
        DataError: a row isn't what was written.
    """
    database = source.database
    known = _usable(source, folder)
    low = 0 if whole else _begin(source, known)
    if low is None or not source.dim:
        _tidy(database, folder)
        return False
    with as_output(folder):
        folder.mkdir(exist_ok=True)
    high = state_of(database).counter
    with transaction(database, writes=False):
        made = write_segment(folder, source, low, high)
    with transaction(database):
        database.execute("DELETE FROM segments WHERE high > ?", (low,))
        database.execute(
            "INSERT INTO segments (high, low, rows, file, checksum) VALUES (?, ?, ?, ?, ?)",
            (made.high, made.low, made.rows, made.file, made.checksum),
        )
        kept = [one.high for one in known if one.high <= low]
        forget(database, min([*kept, high]))
    _tidy(database, folder)
    return True


def known_segments(database: Database) -> list[KnownSegment]:
    """The files that the database names, by their rows."""
    rows = database.execute("SELECT high, low, rows, file, checksum FROM segments ORDER BY high")
    return [KnownSegment(*row) for row in rows]


def _usable(source: RowSource, folder: Path) -> list[KnownSegment]:
    """The files that can be used, from the first row on."""
    found: list[KnownSegment] = []
    for one in known_segments(source.database):
        try:
            if one.low != (found[-1].high if found else 0):
                break
            open_segment(folder, one, source.dim)
        except UnusableSegment:
            break
        found.append(one)
    return found


def _begin(source: RowSource, known: Sequence[KnownSegment]) -> int | None:
    """The number above which rows go into a new file; None if that isn't worth it.

    So that all rows are written a few times only, a file is merged with newer rows when it isn't much larger.
    """
    database, low = source.database, known[-1].high if known else 0
    newer = _count(database, low)
    removed = [one.rows - _count(database, one.low, one.high) for one in known]
    stale = [one.low for one, gone in zip(known, removed, strict=True) if gone > _MOST_REMOVED * one.rows]
    few = _vectors(source, newer, low) < WORTH_A_FILE
    if few and not any(gone > WORTH_A_FILE // 4 for gone in removed if stale):
        return None
    for one in reversed(known):
        if one.rows > _GROWTH * newer and not (stale and one.high > stale[0]):
            break
        low, newer = one.low, newer + one.rows
    return low


def _count(database: Database, low: int, high: int | None = None) -> int:
    """How many rows have numbers in a range."""
    end = state_of(database).counter if high is None else high
    statement = "SELECT count(*) FROM texts WHERE number > ? AND number <= ?"
    return int(database.execute(statement, (low, end)).fetchone()[0])


def _vectors(source: RowSource, newer: int, low: int) -> int:
    """How many vectors the newer rows have, which are those above a number."""
    if not source.windowed:
        return newer
    statement = "SELECT coalesce(sum(length(vector)), 0) FROM vectors WHERE number > ?"
    return int(source.database.execute(statement, (low,)).fetchone()[0]) // (4 * source.dim or 1)


def _tidy(database: Database, folder: Path) -> None:
    """Remove the files that the database doesn't name."""
    if folder.is_dir():
        named = {one.file for one in known_segments(database)}
        remove_temporaries(folder)
        for path in folder.glob("*.segment"):
            if path.name not in named:
                with suppress(OSError):
                    path.unlink()
