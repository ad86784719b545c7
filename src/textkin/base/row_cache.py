"""A file cache of rows that models computed for texts."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import OutputError
from textkin.base.files import as_output, sha256_of_json
from textkin.base.progress import remark

_Asked = tuple[str, ...]

_APPLICATION = 0x746B7263  # "tkrc", the application id of these files
_PATIENCE = 60.0  # seconds to wait for other processes that write to the same file
_AT_ONCE = 500  # keys per SQLite query, which allows 999 on old systems
_PART = 1024  # rows computed between writes: the most that a crash can lose


class RowCache:
    """The cached rows of one model in a file, which other models may share.

    Each batch of rows is on the disk before the next one is computed, so a stopped call resumes there.
    Several processes may use a file at the same time. Only hashes of the texts are stored.

    Args:
        path: the file; created if missing.
        made_by: everything the rows depend on besides the texts, as JSON-compatible values.
        name: name of the model, for notes.

    Raises:
        OutputError: the file can't be written, or has another format.
    """

    def __init__(self, path: Path | str, *, made_by: Mapping[str, Any], name: str) -> None:
        self._path, self._name = Path(path), name
        self._told = False  # that rows are taken: they are asked for in many blocks
        self._maker = bytes.fromhex(sha256_of_json(made_by))[:16]
        with as_output(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._opened():
            pass

    def rows(
        self, asked: Sequence[_Asked], make: Callable[[Sequence[_Asked]], Floats32], *, width: int
    ) -> Floats32:
        """The row of each input, cached or computed. Shape [asked, width].

        Args:
            asked: texts, or pairs of texts, all distinct.
            make: function that computes independent rows of some inputs, shape [some, width].
            width: number of columns.

        Raises:
            OutputError: the file can't be written.
        """
        keys = [self._maker + _key(one) for one in asked]
        found = np.empty((len(keys), width), dtype=np.float32)
        with self._opened() as connection:
            missing = _taken(connection, keys, found)
            if 0 < len(missing) < len(keys) and not self._told:
                remark(f"{self._name}: rows that were computed before are taken from {self._path}")
                self._told = True
            for start in range(0, len(missing), _PART):
                part = missing[start : start + _PART]
                found[part] = make([asked[place] for place in part])
                _put(connection, [(keys[place], found[place]) for place in part])
        return found

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file for the block, converting SQLite's errors to textkin's."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)) as connection:
                ((kind,),) = connection.execute("PRAGMA application_id")
                ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
                if kind != _APPLICATION:
                    if tables:
                        raise self._foreign()
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute("CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, row BLOB)")
                yield connection
        except sqlite3.DatabaseError as error:
            code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise self._foreign() from error
            raise OutputError(
                f"can't use the cache {self._path}: {error}",
                fix="check space and permissions, or leave it out",
            ) from error

    def _foreign(self) -> OutputError:
        return OutputError(
            f"{self._path} is not a cache of textkin's, or is damaged",
            fix="name a new file, or delete this one if it was a cache",
        )


def _taken(connection: sqlite3.Connection, keys: Sequence[bytes], into: Floats32) -> list[int]:
    """Fill in the cached rows; return the positions of the others."""
    places = {key: place for place, key in enumerate(keys)}
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(part))
        for key, row in connection.execute(f"SELECT key, row FROM rows WHERE key IN ({marks})", tuple(part)):
            if len(row) == into.itemsize * into.shape[1]:
                into[places.pop(key)] = np.frombuffer(row, dtype="<f4")
    return sorted(places.values())


def _put(connection: sqlite3.Connection, rows: Sequence[tuple[bytes, Floats32]]) -> None:
    told = [(key, row.astype("<f4").tobytes()) for key, row in rows]
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", told)


def _key(asked: _Asked) -> bytes:
    """A hash that distinguishes the boundary between texts."""
    parts = [text.encode("utf-8", "surrogatepass") for text in asked]
    lengths = b"".join(len(one).to_bytes(8, "little") for one in parts)
    return blake2b(lengths + b"".join(parts), digest_size=16).digest()
