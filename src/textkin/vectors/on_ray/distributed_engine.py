"""The engine that runs on workers, on one machine or several."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from socket import gethostname
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, UsageError, conflict
from textkin.base.progress import progress
from textkin.data.protocols import Encoder, Side
from textkin.vectors.join.all_pairs import JoinedPairs
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.nearest import Nearest, Searcher, plan_for
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.on_ray.blocks import Block, Crew, SharedBlocks, multiplied, pairs_above
from textkin.vectors.on_ray.greedy_filter import survivors
from textkin.vectors.on_ray.workers import Handle, Kept, Workers, as_done, in_order


def nearest(
    crew: Crew,
    queries: NDArray[Any],
    documents: NDArray[Any],
    depth: int,
    *,
    floor: Floats32,
    apart: bool = False,
) -> Nearest:
    """Run :class:`textkin.vectors.join.nearest.Searcher` with cosines on workers.

    Args:
        crew: the workers.
        queries: as in that class, like all others.
        documents: see there.
        depth: see there.
        floor: see there.
        apart: see there.

    Raises:
        TextkinError: the errors of that class, or workers crash repeatedly.
    """
    left, right = by_cosine(queries), by_cosine(documents)
    left.require_width_of(right)
    plan = plan_for(left, right, depth)
    asked, searched = SharedBlocks(crew, left, plan), SharedBlocks(crew, right, plan)
    found = Nearest(
        np.full((len(left), depth), -1, dtype=np.int64),
        np.full((len(left), depth), -np.inf, dtype=np.float32),
    )
    shared = crew.workers.share(plan)
    waiting = deque((row, column) for row in range(len(asked)) for column in range(len(searched)))

    def begin(place: tuple[int, int]) -> Handle:
        row, column = place
        part = floor[row * asked.size : row * asked.size + asked.rows(row)]
        same = apart and row == column
        return crew.workers.submit(nearest_pairs, shared, asked[row], searched[column], depth, part, same)

    with progress("pairs", total=len(left) * len(right)) as shown:
        for (row, column), some in as_done(crew.workers, waiting, begin):
            _merge(found, some, slice(row * asked.size, row * asked.size + asked.rows(row)))
            shown.advance(asked.rows(row) * searched.rows(column))
    return found


def nearest_pairs(
    plan: Plan, queries: Block, documents: Block, depth: int, floor: Floats32, apart: bool
) -> Nearest:
    """The best documents of a block for each query of another one, by the numbers of all rows."""
    rows = documents.whole()
    bf16, (short,) = multiplied([documents.short(rows)])
    searcher = Searcher(rows, cosine=True, ready=(replace(plan, bf16=bf16), short))
    found = searcher.nearest(queries.values, min(depth, len(rows)), floor=floor, apart=apart, workers=1)
    missing = found.documents < 0
    return Nearest(np.where(missing, -1, found.documents + documents.start), found.scores)


def _merge(found: Nearest, some: Nearest, rows: slice) -> None:
    """Merge the results of a block into those of some queries, ties by order."""
    documents = np.concatenate((found.documents[rows], some.documents), axis=1)
    scores = np.concatenate((found.scores[rows], some.scores), axis=1)
    depth = found.documents.shape[1]
    order = np.lexsort((np.where(documents < 0, np.iinfo(np.int64).max, documents), -scores), axis=1)
    best = order[:, :depth]
    found.documents[rows] = np.take_along_axis(documents, best, axis=1)
    found.scores[rows] = np.take_along_axis(scores, best, axis=1)


PIECE = 2_048
"""Number of texts per piece of work."""

_LEAST = 64
_CANARIES = ("When do you open?", "Where can I park, and what does it cost?", "Reset my password, please.")
_APART = 1e-3  # for unit vectors; rounding differs between machines, other models differ more


class RemoteEncoder:
    """An ``Encoder`` with the same vectors as another one, up to 1e-6.

    Args:
        workers: workers that encode. They open the model from the same folder, and reject any other model.
        encoder: the other encoder.
        piece: number of texts per piece of work.

    Raises:
        UsageError: the encoder exists only in memory, so it can't be sent.
    """

    def __init__(self, workers: Workers, encoder: Encoder, *, piece: int = PIECE) -> None:
        self._workers, self._encoder, self._piece = workers, encoder, piece
        self._kept = workers.keep(encoder)
        self._known = encoder.encode(list(_CANARIES))

    @property
    def name(self) -> str:
        """The name of the other encoder."""
        return self._encoder.name

    @property
    def dim(self) -> int:
        """The dimension of the vectors."""
        return self._encoder.dim

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The scores of the other encoder, computed in this process. Shape [pairs]."""
        return self._encoder.score(pairs)

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """One vector per text, shape [texts, dim]."""
        each = -(-len(texts) // (2 * self._workers.slots))
        found = list(self._pieces(texts, side, size=min(max(each, _LEAST), self._piece)))
        return np.concatenate(found) if found else self._encoder.encode(texts, side=side)

    def stream(self, windows: Iterable[Sequence[str]], *, side: Side = Side.TEXT) -> Iterator[Floats32]:
        """Yield the vectors of all texts in order, batch by batch."""
        return self._pieces((text for window in windows for text in window), side, size=self._piece)

    def _pieces(self, texts: Iterable[str], side: Side, *, size: int) -> Iterator[Floats32]:
        remaining = iter(texts)
        pieces = iter(lambda: list(islice(remaining, size)), [])
        given = ((self._kept, self._known, piece, side) for piece in pieces)
        return in_order(self._workers, encoded, given)


def encoded(kept: Kept, known: Floats32, texts: Sequence[str], side: Side) -> Floats32:
    """The vectors of some texts from a worker, which first checks that its model is the same.

    Raises:
        ModelError: the model differs, or is missing.
    """
    encoder: Encoder = kept.value()
    own = encoder.encode(list(_CANARIES))
    lengths = np.linalg.norm(known, axis=1, keepdims=True)
    if own.shape != known.shape or np.abs(own - known).max() > _APART * max(float(lengths.max()), 1e-12):
        raise ModelError(
            f"{encoder.name} on {gethostname()} gives other vectors than here",
            fix="have the same files in the same folder on all machines",
        )
    return encoder.encode(texts, side=side)


_Given = TypeVar("_Given")
_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


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
