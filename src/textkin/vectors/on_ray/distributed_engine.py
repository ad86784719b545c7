"""The engine that runs on workers, on one machine or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar, final

from numpy.typing import NDArray

from textkin.base.errors import UsageError, conflict
from textkin.data.protocols import Encoder
from textkin.vectors.join.all_pairs import JoinedPairs
from textkin.vectors.on_ray.blocks import Crew
from textkin.vectors.on_ray.encoding import RemoteEncoder
from textkin.vectors.on_ray.greedy_filter import survivors
from textkin.vectors.on_ray.nearest import nearest
from textkin.vectors.on_ray.pairs import pairs_above
from textkin.vectors.on_ray.workers import Kept, in_order

_Given = TypeVar("_Given")
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


@final
class SeveralMachines:
    """A ``WorkEngine`` that splits work into pieces for workers, with the same results as one machine.

    Args:
        crew: the workers.

    Attributes:
        pairs_above: the pieces are pairs of blocks.
        survivors: each round processes one block of rows.
        nearest: the pieces are blocks of queries and documents.
    """

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.pairs_above = partial(pairs_above, crew)
        self.survivors = partial(survivors, crew)
        self.nearest = partial(nearest, crew)

    def encoder(self, encoder: Encoder) -> Encoder:
        """The same encoder, running on workers."""
        return RemoteEncoder(self._crew.workers, encoder)

    def pairs_by_cells(self, vectors: NDArray[Any], threshold: float, *, recall: float) -> JoinedPairs:
        """Raise, since approximate search runs on one machine only.

        Raises:
            UsageError: always.
        """
        raise without_cells(recall)

    def each(
        self, work: Callable[[_Given, _Piece], _Result], given: _Given, pieces: Iterable[_Piece]
    ) -> Iterator[_Result]:
        """Yield the results of pieces run by workers, which get the shared input once."""
        workers = self._crew.workers
        kept = workers.keep(given)
        return in_order(workers, _with_kept, ((work, kept, piece) for piece in pieces))


def _with_kept(work: Callable[[Any, Any], Any], kept: Kept, piece: Any) -> Any:
    return work(kept.value(), piece)


def without_cells(recall: float) -> UsageError:
    """Error for a recall below 1 on several machines."""
    return conflict(
        "recall",
        "on",
        why=f"several machines find all pairs, not {recall:g} of them",
        fix="leave one of them out",
    )
