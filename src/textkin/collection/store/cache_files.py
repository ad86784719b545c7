"""The files that the cache should have, and their creation."""

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
"""The number of vectors searched in memory, besides the files."""

_GROWTH = 2  # a file is merged with newer rows until it is this many times larger
_MOST_REMOVED = 0.25


def refresh_caches(source: RowSource, folder: Path, *, whole: bool = False) -> bool:
    """Update the cache if it pays; the collection's lock must be held.

    Files are derived from the database alone. They become valid when the database names them; files that it
    no longer names are then removed.

    Args:
        source: the rows, not in a transaction.
        folder: the cache folder.
        whole: write one file of all rows.

    Returns:
        True if anything was written.

    Raises:
        OutputError: the disk is full.
        DataError: a row is corrupt.
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
    """The files named by the database, by their rows."""
    rows = database.execute("SELECT high, low, rows, file, checksum FROM segments ORDER BY high")
    return [KnownSegment(*row) for row in rows]


def _usable(source: RowSource, folder: Path) -> list[KnownSegment]:
    """The usable files, starting with the first row."""
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
    """The number above which rows go into a new file; None if that doesn't pay.

    To write each row only a few times, a file is merged with newer rows unless it is much larger.
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
    """The number of rows in a range of row numbers."""
    end = state_of(database).counter if high is None else high
    statement = "SELECT count(*) FROM texts WHERE number > ? AND number <= ?"
    return int(database.execute(statement, (low, end)).fetchone()[0])


def _vectors(source: RowSource, newer: int, low: int) -> int:
    """The number of vectors of the rows above a row number."""
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
