"""The cells of a collection's rows in a cache file, and the vectors they are made of."""

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.errors import said
from textkin.base.files import as_output, atomic_path
from textkin.base.progress import progress
from textkin.collection.store.back_end import BackEnd
from textkin.collection.store.facts import fact, unreadable
from textkin.collection.store.segment import RowSource, Segment
from textkin.collection.store.view import Found, Numbers, View
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.index.recall import MeasuredRecall
from textkin.vectors.index.vector_cells import assigned

FACT = "cells"
"""The fact that names the number of a collection's cells, and their file."""

DEPTH = 10


class UnusableCells(Exception):
    """The file is corrupt; cells are rebuilt."""


@dataclass(frozen=True, slots=True)
class KnownCells:
    """The cells as noted in the collection.

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
    def of(cls, back_end: BackEnd) -> Self | None:
        """The noted cells; None if a collection has none.

        Raises:
            DataError: it is corrupt.
        """
        values = fact(back_end, FACT)
        try:
            return None if values is None else cls(**values)
        except TypeError:
            raise unreadable(back_end.place, FACT) from None

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        return asdict(self)


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

    centres: Floats32
    numbers: Ints
    cells: Ints32
    ranks: Ints32

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
    except FileNotFoundError as error:
        raise UnusableCells(f"{path} is missing") from error
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise UnusableCells(f"{path}: {said(error)}") from error
    if cells.centres.shape != (known.cells, dim):
        raise UnusableCells(f"{path} is of other vectors")
    return cells


_DRAWN = 200  # vectors whose neighbours measure the recall


class Members:
    """The vectors of all existing rows, in parts."""

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._rows = [rows_of_vectors(one) for one in segments]
        self._places = [
            np.arange(len(rows)) if one.alive is None else np.flatnonzero(one.alive[rows])
            for one, rows in zip(segments, self._rows, strict=True)
        ]

    def __iter__(self) -> Iterator[tuple[Numbers, Floats32]]:
        """The row numbers and vectors, in parts; a row appears once per vector."""
        for segment, rows, places in zip(self._segments, self._rows, self._places, strict=True):
            yield segment.numbers[rows[places]], segment.vectors.values[places]

    def drawn(self, count: int, draws: np.random.Generator) -> Floats32:
        """Vectors drawn at random. Shape [at most count, dim]."""
        return self.drawn_with_numbers(count, draws)[0]

    def drawn_with_numbers(self, count: int, draws: np.random.Generator) -> tuple[Floats32, Numbers]:
        """Vectors drawn at random, and the numbers of their rows."""
        ends = np.cumsum([len(one) for one in self._places])
        chosen = np.sort(draws.permutation(int(ends[-1]))[:count])
        vectors, numbers = [], []
        parts = zip(self._segments, self._rows, self._places, ends.tolist(), strict=True)
        for segment, rows, places, end in parts:
            some = places[chosen[(chosen >= end - len(places)) & (chosen < end)] - (end - len(places))]
            vectors.append(segment.vectors.values[some])
            numbers.append(segment.numbers[rows[some]])
        return np.concatenate(vectors), np.concatenate(numbers)

    def assigned(self, centres: Floats32) -> tuple[Numbers, Ints32]:
        """The row numbers of all vectors, ascending, and the vectors' cells."""
        numbers, cells = [], []
        with progress("rows into cells", total=len(self._segments)) as shown:
            for segment, rows, places in zip(self._segments, self._rows, self._places, strict=True):
                numbers.append(segment.numbers[rows[places]])
                cells.append(assigned(segment.vectors.values, centres)[places])
                shown.advance()
        joined = np.concatenate(numbers)
        order = np.argsort(joined, kind="stable")
        return joined[order], np.concatenate(cells)[order]


def rows_of_vectors(segment: Segment) -> Ints:
    """The row of each vector. Shape [vectors]."""
    rows = np.arange(len(segment))
    return rows if segment.starts is None else np.repeat(rows, np.diff(segment.starts))


def drawn_neighbours(
    members: Members, view: View, source: RowSource, draws: np.random.Generator
) -> tuple[Floats32, list[Numbers]]:
    """Some vectors, and the rows nearest to each, which approximate searches should find.

    Args:
        members: the collection's vectors.
        view: finds the nearest rows.
        source: the rows, in a transaction.
        draws: choose the vectors.

    Returns:
        The vectors, shape [at most 200, dim], and for each the numbers of the nearest rows except its own,
        best first.
    """
    asked, own = members.drawn_with_numbers(_DRAWN, draws)
    found = view.nearest(source, asked, DEPTH + 1, None)
    return asked, [_others(one, itself) for one, itself in zip(found, own.tolist(), strict=True)]


def _others(found: Found, own: int) -> Numbers:
    """The best rows except one."""
    numbers = found.numbers[np.argsort(-found.scores, kind="stable")]
    return numbers[numbers != own][:DEPTH]
