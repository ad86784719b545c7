"""Blocks of vectors, and their similar pairs: work of one worker in bounded memory."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.base.threads import one_thread_each
from textkin.vectors.join import bfloat16
from textkin.vectors.join.all_pairs import JoinedPairs, PairSearch
from textkin.vectors.join.bound_plan import Plan, sound_in_bf16
from textkin.vectors.join.pair_list import Journal, Pairs, SortedRuns, Wanted, best_first, gathered, joined
from textkin.vectors.join.prepared_rows import Rows, by_cosine, with_squares
from textkin.vectors.join.score_bounds import Sketch, sketch
from textkin.vectors.join.tile_join import Bar, Joiner
from textkin.vectors.on_ray.workers import Handle, Workers, as_done

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


def pairs_above(
    crew: Crew,
    vectors: NDArray[Any],
    threshold: float,
    *,
    against: NDArray[Any] | None = None,
    limit: int | None = None,
    wanted: Wanted | None = None,
    journal: Path | None = None,
    quiet: bool = False,
) -> JoinedPairs:
    """Run :func:`textkin.vectors.join.all_pairs.pairs_above` on workers that hold two blocks each.

    This process sends the blocks, merges the results of workers, and calls ``wanted`` itself. So a worker
    needs no more than two blocks and the pairs that it has found.

    Args:
        crew: the workers.
        vectors: as in that function, like all others.
        threshold: see there.
        against: see there.
        limit: see there.
        wanted: see there.
        journal: folder that stores the pairs of two blocks as they arrive.
        quiet: see there.

    Raises:
        TextkinError: the errors of that function, or workers crash repeatedly.
    """
    search = PairSearch.of(vectors, threshold, against=against, limit=limit, wanted=wanted, quiet=quiet)
    notes = (
        None
        if journal is None
        else Journal(journal / "blocks", search.decides(block=crew.size(len(search.left))))
    )
    plan = search.plan()
    work = _Triangle(crew, search, plan, limit=None if wanted else limit)
    runs = SortedRuns()
    with progress("pairs", total=search.compared, quiet=quiet) as shown:
        for number in range(len(work)):
            noted = None if notes is None else notes.pairs_of(number)
            if noted is None:
                work.add(number)
            else:
                runs.add(search.bar.take(noted))
                shown.advance(work.compared(number))
        for number, found in work.done():
            runs.add(gathered(found) if notes is None else notes.write(number, found))
            shown.advance(work.compared(number))
    return search.joined(runs, f"exact ({plan}), {len(work):,} pairs of blocks on {crew.workers.slots} cores")


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows of the left block of a pair."""

    number: int
    rows: tuple[int, int]


class _Triangle:
    """The pairs of blocks: all of two sides, or the upper triangle of one, row by row."""

    def __init__(self, crew: Crew, search: PairSearch, plan: Plan, *, limit: int | None) -> None:
        self._workers, self._search, self._limit = crew.workers, search, limit
        self._left = SharedBlocks(crew, search.left, plan)
        right = self._left if search.right is None else SharedBlocks(crew, search.right, plan)
        self._right, self._same = right, search.right is None
        self._places = [
            (row, column)
            for row in range(len(self._left))
            for column in range(row if self._same else 0, len(right))
        ]
        self._waiting: deque[_Part] = deque()
        self._open: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, number: int) -> None:
        """Start the search for the pairs of two blocks."""
        self._add(_Part(number, (0, self._left.rows(self._places[number][0]))))

    def compared(self, number: int) -> int:
        """The number of row pairs of two blocks."""
        row, column = self._places[number]
        rows, columns = self._left.rows(row), self._right.rows(column)
        return rows * (rows - 1) // 2 if self._same and row == column else rows * columns

    def done(self) -> Iterator[tuple[int, Iterator[Pairs]]]:
        """Yield the number of two blocks, and their pairs in sorted pieces, as they arrive."""
        found: dict[int, SortedRuns] = defaultdict(SortedRuns)
        for part, pairs in as_done(self._workers, self._waiting, self._begin):
            number, (first, last) = part.number, part.rows
            self._open[number] -= 1
            if pairs is None:
                middle = (first + last) // 2
                self._add(_Part(number, (first, middle)))
                self._add(_Part(number, (middle, last)))
                continue
            self._search.bar.look_at((last - first) * self._right.rows(self._places[number][1]))
            found[number].add(self._search.bar.take(pairs))
            if not self._open[number]:
                yield number, found.pop(number).merged()

    def _add(self, part: _Part) -> None:
        self._waiting.append(part)
        self._open[part.number] += 1

    def _begin(self, part: _Part) -> Handle:
        row, column = self._places[part.number]
        if self._search.bar.excludes(row * self._left.size + part.rows[0]):
            return self._workers.submit(no_pairs)
        other = None if self._same and row == column else self._right[column]
        asked = PairsAsked(part.rows, float(self._search.bar.threshold), self._limit)
        return self._workers.submit(similar_pairs, self._left[row], other, asked)
