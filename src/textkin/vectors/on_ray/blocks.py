"""Vectors in blocks, and the similar pairs of two blocks: what a worker does, in memory that blocks bound."""

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
"""So many rows are a block at least, and at most as long as there are few blocks; a worker holds two."""

FEW_BLOCKS, MOST_BLOCKS = 64, 1_000
"""Fewer have so few pairs that workers wait for the last one; of more, no account can be kept."""

MOST_FOUND = 1 << 22
"""No worker gives back more pairs at once; where there are more, it is asked again for fewer rows."""

_TRIED = 256


def block_size(rows: int) -> int:
    """How many of so many rows are a block."""
    return max(LEAST, min(-(-rows // FEW_BLOCKS), BLOCK), -(-rows // MOST_BLOCKS))


@final
@dataclass(frozen=True, slots=True)
class Crew:
    """Workers, and the size of the blocks that they get.

    Attributes:
        workers: do the work.
        block: so many rows are a block; None to go by their number.
    """

    workers: Workers
    block: int | None = None

    def size(self, rows: int) -> int:
        """How many of so many rows are a block."""
        return self.block or block_size(rows)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows as workers get them: what is cheap to compute is left out.

    Attributes:
        start: the number of the first one among all.
        values: shape [rows, dim].
        squares: as in ``vectors.join.prepared_rows.Rows``. Shape [rows].
        table: short rows. Shape [rows, width].
        errors: this and the others as in ``vectors.join.score_bounds.Sketch``. Shape [rows].
        lengths: shape [rows].
        drift: of the rotation.
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
        """The rows. What may be written to elsewhere can be here too, which machine code tells apart."""
        return with_squares(self.values, self.squares.copy())

    def short(self, rows: Rows) -> Sketch:
        """Their short rows."""
        return Sketch(self.table.copy(), self.errors, self.lengths, rows.sizes, self.drift)


@final
@dataclass(frozen=True, slots=True)
class PairsAsked:
    """Which pairs of two blocks are wanted.

    Attributes:
        rows: the first and the last row of the left block, the end excluded.
        least: the least score.
        limit: only the best so many of them; None for all.
    """

    rows: tuple[int, int]
    least: float
    limit: int | None = None


@final
class SharedBlocks:
    """Rows in blocks where workers can get them, each from its first use on.

    Args:
        crew: gets them.
        rows: all of them.
        plan: of their short rows.
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
        """How many rows a block has."""
        return min(self.size, len(self._rows) - number * self.size)


def no_pairs() -> Pairs:
    """What is found where nothing is looked for."""
    return joined([])


def similar_pairs(left: Block, right: Block | None, asked: PairsAsked) -> Pairs | None:
    """The similar pairs of two blocks, or of each two rows of one, by the numbers of all rows, sorted.

    Returns:
        None if there are more than ``MOST_FOUND``.
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
    """The similar pairs of two blocks, some at a time, in no order, by their places in both."""
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
    """Whether short rows are multiplied in bfloat16 here, and as what.

    Rounded rows are multiplied in single precision where this machine lacks torch, or multiplies worse than
    it must; that finds the same.
    """
    width = sides[0].table.shape[1]
    if sides[0].table.dtype != np.int16 or _multiplies_halves(width):
        return sides[0].table.dtype == np.int16, sides
    return False, [
        Sketch(bfloat16.widened(one.table), one.errors, one.lengths, one.sizes, one.drift) for one in sides
    ]


@cache
def _multiplies_halves(width: int) -> bool:
    """Whether this machine multiplies rows in bfloat16, and well enough; tried out once in each process."""
    if not bfloat16.load():
        return False
    rows = by_cosine(np.random.default_rng(0).standard_normal((_TRIED, width), dtype=np.float32))
    some = sketch(rows, width, None, bf16=True)
    return sound_in_bf16(some, some)
