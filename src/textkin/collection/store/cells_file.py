"""The cells of a collection's rows: a cache file, named with its checksum in the database."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import said
from textkin.base.files import as_output, atomic_path
from textkin.collection.store.database import Database, fact, unreadable
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.index.recall import MeasuredRecall

FACT = "cells"
"""The fact that names the number of a collection's cells, and their file."""

DEPTH = 10


@final
class UnusableCells(Exception):
    """The file is corrupt; cells are rebuilt."""


@final
@dataclass(frozen=True, slots=True)
class KnownCells:
    """The cells as noted in the database.

    Attributes:
        cells: the number of cells.
        seed: their seed.
        high: the change they were made at; newer rows are in none.
        file: the file name.
        checksum: the checksum of all its bytes.
    """

    cells: int
    seed: int
    high: int
    file: str
    checksum: int

    @classmethod
    def of(cls, database: Database) -> Self | None:
        """The noted cells; None if a collection has none.

        Raises:
            DataError: it is corrupt.
        """
        values = fact(database, FACT)
        try:
            return None if values is None else cls(**values)
        except TypeError:
            raise unreadable(database, FACT) from None

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        return asdict(self)


@final
@dataclass(frozen=True, slots=True, eq=False)
class StoredCells:
    """The cells of a collection's rows, and their measured recall.

    Attributes:
        centres: the centres of the cells. Shape [cells, dim].
        numbers: the row of each vector, ascending; a row with several vectors is repeated. Shape [vectors].
        cells: the cell of each vector. Shape [vectors].
        ranks: for the entries nearest to some stored texts, the number of cells nearer to the text than
            theirs; -1 if there is no such entry. Shape [texts, 10].
    """

    centres: NDArray[np.float32]
    numbers: NDArray[np.int64]
    cells: NDArray[np.int32]
    ranks: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.centres)

    def probes(self) -> list[int]:
        """The powers of 2 up to the number of cells."""
        return [2**power for power in range(len(self).bit_length()) if 2**power <= len(self)]

    def recall(self, probe: int, /) -> MeasuredRecall | None:
        """The recall of the nearest entries in this many nearest cells; None if not measured.

        Rows in a searched cell are scored as in an exact search, so they are found.
        """
        there = self.ranks >= 0
        text = np.broadcast_to(np.arange(len(self.ranks))[:, None], self.ranks.shape)
        share = clustered_share((self.ranks < probe)[there], text[there])
        return None if share is None else MeasuredRecall(DEPTH, share, "stored texts")


def write_cells(folder: Path, cells: StoredCells, *, seed: int, high: int) -> KnownCells:
    """Write cells, whole or not at all.

    Raises:
        OutputError: the disk is full.
    """
    stream = io.BytesIO()
    np.savez(stream, **asdict(cells))
    content = stream.getvalue()
    with as_output(folder):
        folder.mkdir(exist_ok=True)
    path = folder / f"{high:015d}-{len(cells)}-{seed}.cells"
    with atomic_path(path) as temporary, as_output(path):
        temporary.write_bytes(content)
    return KnownCells(len(cells), seed, high, path.name, zlib.crc32(content))


def read_cells(folder: Path, known: KnownCells, dim: int) -> StoredCells:
    """Read cells.

    Raises:
        UnusableCells: they are missing or corrupt.
    """
    path = folder / known.file
    try:
        content = path.read_bytes()
        if zlib.crc32(content) != known.checksum:
            raise UnusableCells(f"{path} is not what was written")
        found: Mapping[str, NDArray[Any]] = np.load(io.BytesIO(content), allow_pickle=False)
        cells = StoredCells(found["centres"], found["numbers"], found["cells"], found["ranks"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UnusableCells(f"{path}: {said(error)}") from error
    if cells.centres.shape != (known.cells, dim):
        raise UnusableCells(f"{path} is of other vectors")
    return cells
