"""The cells of a collection's rows, as a file of the cache that the database names by its checksum."""

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
"""The fact under which a collection notes how many cells it has, and in which file they are."""

DEPTH = 10


@final
class UnusableCells(Exception):
    """The file isn't what was written; cells are made again."""


@final
@dataclass(frozen=True, slots=True)
class KnownCells:
    """What the database knows of the cells.

    Attributes:
        cells: how many.
        seed: that made them.
        high: the change at which they were made: newer rows are in none.
        file: its name.
        checksum: of all its bytes.
    """

    cells: int
    seed: int
    high: int
    file: str
    checksum: int

    @classmethod
    def of(cls, database: Database) -> Self | None:
        """What is noted; None where a collection has no cells.

        Raises:
            DataError: it is not what was written.
        """
        values = fact(database, FACT)
        try:
            return None if values is None else cls(**values)
        except TypeError:
            raise unreadable(database, FACT) from None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@final
@dataclass(frozen=True, slots=True, eq=False)
class StoredCells:
    """The cells of a collection's rows, and what was measured of them.

    Attributes:
        centres: of the cells. Shape [cells, dim].
        numbers: of the rows, rising; a row of several vectors comes once for each. Shape [vectors].
        cells: of these vectors. Shape [vectors].
        ranks: of the entries nearest to some stored texts, how many cells are nearer to the text than theirs;
            -1 where there is no such entry. Shape [texts, 10].
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
        """How many of the nearest entries lie in so many of the nearest cells; None if none was measured.

        What lies in a cell that is looked at is scored as by an exact search, so it is found.
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
        UnusableCells: they are missing, or not what was written.
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
