"""Recover a damaged database row by row, skipping unreadable parts."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.errors import DataError
from textkin.base.results import ResultRow, Summary
from textkin.collection.store import rows as stored
from textkin.collection.store.facts import WINDOWS, read_fact
from textkin.collection.store.replaced_folder import acknowledged, beside
from textkin.collection.store.sqlite import CACHE, DATABASE
from textkin.collection.store.writing import VectorsOf
from textkin.data.entry_records import Entry, Window, WindowsOf

_SHOWN = 20  # ids of lost rows in a message
_FARTHEST = 1000  # multiple of the known counters; a greater one is damaged itself
_LOGS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True, repr=False)
class Repaired(Summary):
    """The result of a repair.

    Attributes:
        count: the number of rows after the repair.
        lost: the number of lost rows of the last change, as far as known.
        lost_ids: the ids of some lost rows, if an index still has them.
        encoded: the number of texts whose lost vectors were recomputed.
        unread_changes: acknowledged changes that can't be read at all, since the log is damaged.
        kept_as: the damaged database, which is kept; None if it wasn't damaged.
    """

    count: int
    lost: int = 0
    lost_ids: tuple[str, ...] = ()
    encoded: int = 0
    unread_changes: int = 0
    kept_as: Path | None = None

    def _rows(self) -> Iterator[ResultRow]:
        yield self._fields("count", "lost", "encoded", "unread_changes") | {
            "lost ids": ", ".join(self.lost_ids),
            "damaged database": "" if self.kept_as is None else str(self.kept_as),
        }

    def text(self) -> str:
        """The number of entries, what was lost, and where the damaged database is."""
        lines = [f"{count(self.count, 'entry')}; {f'{self.lost:,} lost' if self.lost else 'none lost'}"]
        if self.lost_ids:
            lines.append(f"ids of lost entries: {', '.join(self.lost_ids)}")
        if self.unread_changes:
            lines.append(f"{self.unread_changes:,} changes can't be read, since the log is damaged")
        if self.encoded:
            lines.append(f"{count(self.encoded, 'text')} encoded again")
        if self.kept_as is not None:
            lines.append(f"the damaged database is kept: {self.kept_as}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class Salvaged:
    """The recovered data.

    Attributes:
        facts: the facts.
        texts: the rows in order.
        vectors: the vectors by row number; those of windows one after another.
        spans: the window positions of a row, by its number.
        live: the former number of rows; None if unreadable.
        ids: the ids in an index.
        unread_changes: as in :class:`Repaired`.
    """

    facts: dict[str, Any]
    texts: list[stored.StoredText]
    vectors: dict[int, bytes]
    spans: dict[int, tuple[Window, ...]]
    live: int | None
    ids: frozenset[str]
    unread_changes: int

    @property
    def windowed(self) -> bool:
        """True if texts may have several vectors."""
        return bool(self.facts.get(WINDOWS))

    def size_of(self, vectors: bytes) -> int:
        """The bytes of one vector, by the noted dimension, or by all vectors without one."""
        dim = self.facts.get("dim")
        return 4 * dim if isinstance(dim, int) else len(vectors)

    def entries(self) -> Iterator[Entry]:
        """The rows as entries."""
        return (one.entry() for one in self.texts)

    def account(self, encoded: int, kept_as: Path) -> Repaired:
        """The result of the repair."""
        there = {one.entry_id for one in self.texts}
        lost = sorted(self.ids - there)
        count = max(len(lost), 0 if self.live is None else self.live - len(there))
        return Repaired(len(there), count, tuple(lost[:_SHOWN]), encoded, self.unread_changes, kept_as)


class KnownVectors:
    """Recovered vectors, with lost ones recomputed by an encoder.

    Args:
        found: the recovered data.
        encode: encodes other texts, or their windows; None if unavailable.
        windows_of: splits other texts into windows.

    Attributes:
        lost: the number of texts that have lost their vectors.

    Raises:
        DataError: vectors are lost, and there is no encoder.
    """

    def __init__(self, found: Salvaged, encode: VectorsOf | None, windows_of: WindowsOf | None) -> None:
        self._encode, self._parted = encode, windows_of
        self._spans: dict[str, tuple[Window, ...]] = {}
        self._pieces: dict[str, bytes] = {}
        for one in found.texts:
            spans, vectors = found.spans.get(one.number, ()), found.vectors.get(one.number, b"")
            if vectors and len(vectors) == (len(spans) or 1) * found.size_of(vectors):
                self._spans[one.text] = spans or ((0, len(one.text)),)
                for place, (start, end) in enumerate(self._spans[one.text]):
                    size = found.size_of(vectors)
                    self._pieces[one.text[start:end]] = vectors[place * size : (place + 1) * size]
        self.lost = len({one.text for one in found.texts} - self._spans.keys())
        if self.lost and encode is None:
            raise DataError(
                f"{self.lost:,} texts have lost their vectors",
                fix="give the collection's model as `model`",
                value=self.lost,
            )

    def windows_of(self, texts: Sequence[str]) -> list[Sequence[Window]]:
        """The window positions of texts."""
        missing = [text for text in texts if text not in self._spans]
        parted = self._parted(missing) if self._parted is not None and missing else ()
        made = dict(zip(missing, parted, strict=True)) if parted else {}
        return [self._spans.get(text) or made.get(text) or ((0, len(text)),) for text in texts]

    def vectors_of(self, pieces: Sequence[str]) -> Floats32:
        """The vectors of texts, or of their windows. Shape [pieces, dim]."""
        missing = [piece for piece in dict.fromkeys(pieces) if piece not in self._pieces]
        if missing and self._encode is not None:
            found = np.ascontiguousarray(self._encode(missing), dtype="<f4")
            self._pieces |= {piece: row.tobytes() for piece, row in zip(missing, found, strict=True)}
        joined = b"".join(self._pieces[piece] for piece in pieces)
        return np.frombuffer(joined, dtype="<f4").reshape(len(pieces), -1)


def salvage(path: Path) -> Salvaged:
    """Read the readable part of a database into memory.

    Raises:
        DataError: nothing can be read.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA query_only = ON")
        facts = readable_facts(connection, path)
        state = _one(connection, "SELECT counter, live FROM state")
        known = max(acknowledged(path), _greatest(connection))
        last = max(known, state[0] if state and state[0] < _FARTHEST * (known + 1) else 0)
        if not last:
            raise DataError("nothing in it can be read", path=path, fix="take a copy of it, if there is one")
        dim = facts.get("dim") if isinstance(facts.get("dim"), int) else None
        rows = partial(_sound, connection, last)
        texts = rows(
            "SELECT number, id, metadata, text, checksum FROM texts",
            lambda *row: stored.stored_text(path, row),
        )
        vectors = rows(
            "SELECT number, vector, checksum FROM vectors",
            lambda number, vector, checksum: (
                number,
                stored.stored_vector(path, number, vector, checksum, dim or len(vector) // 4, windowed=True),
            ),
        )
        spans = rows(
            "SELECT number, spans, checksum FROM windows",
            lambda number, *row: (number, stored.stored_spans(path, number, *row)),
        )
        ids = frozenset(str(row[0]) for row in _readable(connection, "SELECT id FROM texts ORDER BY id"))
        counter = state[0] if state else last
        live = int(state[1]) if state else None
        unread = max(0, acknowledged(path) - counter)
        return Salvaged(facts, texts, dict(vectors), dict(spans), live, ids, unread)


def readable_facts(connection: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """The facts that can be read."""
    found = {}
    for (name,) in list(_readable(connection, "SELECT name FROM facts")):
        with suppress(sqlite3.Error, ValueError, DataError):
            statement = "SELECT value FROM facts WHERE name = ?"
            found[name] = read_fact(path, name, *connection.execute(statement, (name,)).fetchone())
    return found


def swap(folder: Path, fresh: Path) -> Path:
    """Replace a damaged database with a new one; return the path of the old one."""
    path, made = folder / DATABASE, fresh / DATABASE
    number = 1
    while (kept := folder / f"damaged-{number}.sqlite").exists():
        number += 1
    for ending in _LOGS:
        old = Path(f"{path}{ending}")
        if old.exists():
            shutil.copyfile(old, f"{kept}{ending}")
    for ending in _LOGS[1:]:
        Path(f"{path}{ending}").unlink(missing_ok=True)
    made.replace(path)
    beside(made).replace(beside(path))  # until then the old one stays, and rejects a partial state
    shutil.rmtree(folder / CACHE, ignore_errors=True)
    if (fresh / CACHE).is_dir():
        (fresh / CACHE).rename(folder / CACHE)
    shutil.rmtree(fresh)
    return kept


def _rows(connection: sqlite3.Connection, select: str, low: int, high: int) -> Iterator[tuple[Any, ...]]:
    """The rows numbered above ``low`` up to ``high``, halving ranges around unreadable rows."""
    ranges = [(low, high)]
    while ranges:
        low, high = ranges.pop()
        if high - low > stored.AT_ONCE:
            ranges += [
                (start, min(start + stored.AT_ONCE, high)) for start in range(low, high, stored.AT_ONCE)
            ][::-1]
            continue
        try:
            statement = f"{select} WHERE number > ? AND number <= ? ORDER BY number"
            yield from connection.execute(statement, (low, high)).fetchall()
        except (sqlite3.Error, UnicodeDecodeError, OverflowError):
            if high - low > 1:
                middle = (low + high) // 2
                ranges += [(middle, high), (low, middle)]


def _readable(connection: sqlite3.Connection, statement: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement up to the first unreadable one."""
    try:
        yield from connection.execute(statement)
    except (sqlite3.Error, UnicodeDecodeError):
        return


def _one(connection: sqlite3.Connection, statement: str) -> tuple[Any, ...] | None:
    return next(_readable(connection, statement), None)


def _greatest(connection: sqlite3.Connection) -> int:
    found = _one(connection, "SELECT max(number) FROM texts")
    return int(found[0]) if found and isinstance(found[0], int) else 0


def _sound(connection: sqlite3.Connection, last: int, select: str, read: Callable[..., Any]) -> list[Any]:
    """The readable rows that are as they were written."""
    found = []
    for row in _rows(connection, select, 0, last):
        with suppress(DataError, TypeError, ValueError):
            found.append(read(*row))
    return found
