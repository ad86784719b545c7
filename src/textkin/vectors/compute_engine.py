"""The seam between what is computed and what computes it: this machine, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from textkin.data.protocols import Encoder
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.cells import pairs_by_cells
from textkin.vectors.join.greedy_filter import Survivors, survivors
from textkin.vectors.join.nearest import Nearest, Searcher
from textkin.vectors.join.pair_list import Wanted

_Given = TypeVar("_Given")
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


class WorkEngine(Protocol):
    """What does the work that grows with the texts. Every engine gives the same results."""

    def encoder(self, encoder: Encoder) -> Encoder:
        """The same encoder, whose texts are encoded there."""
        ...

    def pairs_above(
        self,
        vectors: NDArray[Any],
        threshold: float,
        *,
        against: NDArray[Any] | None = None,
        limit: int | None = None,
        wanted: Wanted | None = None,
        journal: Path | None = None,
        quiet: bool = False,
    ) -> JoinedPairs:
        """:func:`textkin.vectors.join.all_pairs.pairs_above`."""
        ...

    def pairs_by_cells(self, vectors: NDArray[Any], threshold: float, *, recall: float) -> JoinedPairs:
        """:func:`textkin.vectors.join.cells.pairs_by_cells`."""
        ...

    def survivors(
        self,
        vectors: NDArray[Any],
        threshold: float,
        order: NDArray[np.int64],
        *,
        wanted: Wanted | None = None,
    ) -> Survivors:
        """:func:`textkin.vectors.join.greedy_filter.survivors`."""
        ...

    def nearest(
        self,
        queries: NDArray[Any],
        documents: NDArray[Any],
        depth: int,
        *,
        floor: NDArray[np.float32],
        apart: bool,
    ) -> Nearest:
        """The nearest documents of queries by cosine: :class:`textkin.vectors.join.nearest.Searcher`."""
        ...

    def each(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """What a function of a module makes of each piece and what all are given, in the pieces' order."""
        ...


@final
class ThisMachine:
    """All of it in this process."""

    def encoder(self, encoder: Encoder) -> Encoder:
        """The encoder itself."""
        return encoder

    pairs_above = staticmethod(pairs_above)
    pairs_by_cells = staticmethod(pairs_by_cells)
    survivors = staticmethod(survivors)

    def nearest(
        self,
        queries: NDArray[Any],
        documents: NDArray[Any],
        depth: int,
        *,
        floor: NDArray[np.float32],
        apart: bool,
    ) -> Nearest:
        """By one searcher."""
        return Searcher(documents, cosine=True).nearest(queries, depth, floor=floor, apart=apart, quiet=False)

    def each(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """One after another."""
        return (work(given, piece) for piece in pieces)


THIS_MACHINE = ThisMachine()
