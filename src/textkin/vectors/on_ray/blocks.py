"""Blocks of vectors, and the similar pairs of two blocks: the work of one worker, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.threads import one_thread_each
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import Plan, sound_in_bf16
from textkin.vectors.join.pair_list import Pairs, best_first, joined
from textkin.vectors.join.prepared_rows import Rows, by_cosine, with_squares
from textkin.vectors.join.score_bounds import Sketch, sketch
from textkin.vectors.join.tile_join import Bar, Joiner
from textkin.vectors.on_ray.workers import Handle, Workers

LEAST, BLOCK = 8_192, 16_384
"""Minimum number of rows in a block, and the maximum while there are few blocks. A worker holds two."""

FEW_BLOCKS, MOST_BLOCKS = 64, 1_000
"""With fewer blocks, workers wait for the last one; with more, bookkeeping gets too expensive."""

MOST_FOUND = 1 << 22
"""Maximum number of pairs in one result; if there are more, the worker is called with fewer rows."""

_TRIED = 256


def block_size(rows: int) -> int:
    """The block size for a number of rows."""
    return max(LEAST, min(-(-rows // FEW_BLOCKS), BLOCK), -(-rows // MOST_BLOCKS))


@final
@dataclass(frozen=True, slots=True)
class Crew:
    """Workers, with the size of their blocks.

    Attributes:
        workers: the workers.
        block: number of rows in a block; None to choose it by the number of rows.
    """

    workers: Workers
    block: int | None = None

    def size(self, rows: int) -> int:
        """The block size for a number of rows."""
        return self.block or block_size(rows)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Rows as sent to workers, without anything that is cheap to recompute.

    Attributes:
        start: number of the first row.
        values: shape [rows, dim].
        squares: as in ``vectors.join.prepared_rows.Rows``. Shape [rows].
        table: short rows. Shape [rows, width].
        errors: as in ``vectors.join.score_bounds.Sketch``, like the next two. Shape [rows].
        lengths: shape [rows].
        drift: drift of the rotation.
    """

    start: int
    values: NDArray[np.float32]
    squares: NDArray[np.float64]
    table: NDArray[Any]
    errors: NDArray[np.float64]
    lengths: NDArray[np.float64]
    drift: float

    @classmethod
    def of(cls, rows: Rows, plan: Plan, *, start: int) -> Block:
        """Rows with their short rows."""
        short = plan.sketch(rows)
        return cls(start, rows.values, rows.squares, short.table, short.errors, short.lengths, short.drift)

    def __len__(self) -> int:
        return len(self.values)

    def whole(self) -> Rows:
        """The rows, with writable squares: read-only arrays would be compiled for separately."""
        return with_squares(self.values, self.squares.copy())

    def short(self, rows: Rows) -> Sketch:
        """The short rows."""
        return Sketch(self.table.copy(), self.errors, self.lengths, rows.sizes, self.drift)


@final
@dataclass(frozen=True, slots=True)
class PairsAsked:
    """The requested pairs of two blocks.

    Attributes:
        rows: first row of the left block, and the end.
        least: minimum score.
        limit: maximum number of pairs; None for all.
    """

    rows: tuple[int, int]
    least: float
    limit: int | None = None


@final
class SharedBlocks:
    """Rows in blocks that workers can access, each shared at its first use.

    Args:
        crew: the workers.
        rows: all rows.
        plan: plan for their short rows.
    """

    def __init__(self, crew: Crew, rows: Rows, plan: Plan) -> None:
        self.size = crew.size(len(rows))
        self._workers, self._rows, self._plan = crew.workers, rows, plan
        self._shared: dict[int, Handle] = {}

    def __len__(self) -> int:
        return -(-len(self._rows) // self.size)

    def __getitem__(self, number: int) -> Handle:
        if number not in self._shared:
            start = number * self.size
            block = Block.of(self._rows[start : start + self.size], self._plan, start=start)
            self._shared[number] = self._workers.share(block)
        return self._shared[number]

    def rows(self, number: int) -> int:
        """The number of rows of a block."""
        return min(self.size, len(self._rows) - number * self.size)


def no_pairs() -> Pairs:
    """An empty list of pairs."""
    return joined([])


def similar_pairs(left: Block, right: Block | None, asked: PairsAsked) -> Pairs | None:
    """The similar pairs of two blocks, or within one, by the numbers of all rows, sorted.

    Returns:
        The pairs, or None if there are more than ``MOST_FOUND``.
    """
    held: list[Pairs] = []
    count, first, last = 0, *asked.rows
    most = MOST_FOUND if last - first > 1 else len(left if right is None else right)
    for pairs in pairs_of(left, right, asked):
        held.append(pairs)
        count += len(pairs)
        if count > 2 * most:
            held = [best_first(joined(held))[: asked.limit]]
            count = len(held[0])
            if count > most:
                return None
    found = best_first(joined(held))[: asked.limit]
    if len(found) > most:
        return None
    found["row"] += left.start
    found["column"] += left.start if right is None else right.start
    return found


def pairs_of(left: Block, right: Block | None, asked: PairsAsked) -> Iterator[Pairs]:
    """Yield the similar pairs of two blocks in batches, in no order, by positions in both."""
    rows, others = left.whole(), None if right is None else right.whole()
    sides = [left.short(rows)]
    if right is not None and others is not None:
        sides.append(right.short(others))
    bf16, sides = multiplied(sides)
    compared = len(rows) * len(rows if others is None else others)
    bar = Bar(np.float32(asked.least), asked.limit, compared)
    with one_thread_each():
        plan = Plan(sides[0].table.shape[1], bf16, None)
        joiner = Joiner(plan, (rows, sides[0]), None if others is None else (others, sides[1]))
        yield from joiner.pairs(range(*asked.rows), bar)


def multiplied(sides: list[Sketch]) -> tuple[bool, list[Sketch]]:
    """The short rows for this machine, and True if they are multiplied in bfloat16.

    If this machine lacks torch, or its bfloat16 products are too inaccurate, rounded rows are multiplied in
    single precision, with the same results.
    """
    width = sides[0].table.shape[1]
    if sides[0].table.dtype != np.int16 or _multiplies_halves(width):
        return sides[0].table.dtype == np.int16, sides
    return False, [
        Sketch(bfloat16.widened(one.table), one.errors, one.lengths, one.sizes, one.drift) for one in sides
    ]


@cache
def _multiplies_halves(width: int) -> bool:
    """True if this machine multiplies bfloat16 rows accurately enough; tested once per process."""
    if not bfloat16.load():
        return False
    rows = by_cosine(np.random.default_rng(0).standard_normal((_TRIED, width), dtype=np.float32))
    some = sketch(rows, width, None, bf16=True)
    return sound_in_bf16(some, some)
