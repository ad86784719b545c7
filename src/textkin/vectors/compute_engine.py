"""The interface between vector operations and the machines that run them."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from textkin.base.arrays import Floats32, Ints
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
    """An engine for work that grows with the number of texts. All engines give the same results."""

    def encoder(self, encoder: Encoder) -> Encoder:
        """The same encoder, running on the engine."""

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

    def pairs_by_cells(self, vectors: NDArray[Any], threshold: float, *, recall: float) -> JoinedPairs:
        """:func:`textkin.vectors.join.cells.pairs_by_cells`."""

    def survivors(
        self,
        vectors: NDArray[Any],
        threshold: float,
        order: Ints,
        *,
        wanted: Wanted | None = None,
    ) -> Survivors:
        """:func:`textkin.vectors.join.greedy_filter.survivors`."""

    def nearest(
        self,
        queries: NDArray[Any],
        documents: NDArray[Any],
        depth: int,
        *,
        floor: Floats32,
        apart: bool,
    ) -> Nearest:
        """The nearest documents of queries by cosine, as :class:`textkin.vectors.join.nearest.Searcher`."""

    def each(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """Yield the results of a module-level function for each piece with the shared input, in order."""


class ThisMachine:
    """The engine that runs everything in this process."""

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
        floor: Floats32,
        apart: bool,
    ) -> Nearest:
        """The nearest documents, from one searcher."""
        return Searcher(documents, cosine=True).nearest(queries, depth, floor=floor, apart=apart, quiet=False)

    def each(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """Yield the results one by one."""
        return (work(given, piece) for piece in pieces)


THIS_MACHINE = ThisMachine()
