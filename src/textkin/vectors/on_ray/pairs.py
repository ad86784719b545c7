"""Distributed search for all pairs above a threshold: the pieces are pairs of blocks."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.vectors.join.all_pairs import JoinedPairs, PairSearch
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.pair_list import Journal, Pairs, SortedRuns, Wanted, gathered
from textkin.vectors.on_ray.blocks import Crew, PairsAsked, SharedBlocks, no_pairs, similar_pairs
from textkin.vectors.on_ray.workers import Handle, as_done


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


@final
@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows of the left block of a pair."""

    number: int
    rows: tuple[int, int]


@final
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
