"""All vectors of a collection in parts, with their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.collection.store.cells_file import DEPTH
from textkin.collection.store.segment import RowSource, Segment
from textkin.collection.store.view import Found, Numbers, View
from textkin.vectors.index.vector_cells import assigned

_DRAWN = 200  # vectors whose neighbours measure the recall


@final
class Members:
    """The vectors of all existing rows, in parts."""

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._rows = [rows_of_vectors(one) for one in segments]
        self._places = [
            np.arange(len(rows)) if one.alive is None else np.flatnonzero(one.alive[rows])
            for one, rows in zip(segments, self._rows, strict=True)
        ]

    def __iter__(self) -> Iterator[tuple[Numbers, NDArray[np.float32]]]:
        """The row numbers and vectors, in parts; a row appears once per vector."""
        for segment, rows, places in zip(self._segments, self._rows, self._places, strict=True):
            yield segment.numbers[rows[places]], segment.vectors.values[places]

    def drawn(self, count: int, draws: np.random.Generator) -> NDArray[np.float32]:
        """Vectors drawn at random. Shape [at most count, dim]."""
        return self.drawn_with_numbers(count, draws)[0]

    def drawn_with_numbers(
        self, count: int, draws: np.random.Generator
    ) -> tuple[NDArray[np.float32], Numbers]:
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

    def assigned(self, centres: NDArray[np.float32]) -> tuple[Numbers, NDArray[np.int32]]:
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


def rows_of_vectors(segment: Segment) -> NDArray[np.int64]:
    """The row of each vector. Shape [vectors]."""
    rows = np.arange(len(segment))
    return rows if segment.starts is None else np.repeat(rows, np.diff(segment.starts))


def drawn_neighbours(
    members: Members, view: View, source: RowSource, draws: np.random.Generator
) -> tuple[NDArray[np.float32], list[Numbers]]:
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
    others: Numbers = numbers[numbers != own][:DEPTH]
    return others
