"""All pairs of vectors whose cosine reaches a threshold, or the best of them."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import invalid
from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.measures.intervals.bootstrap import Interval
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join.bound_plan import ROWS, Plan, make_plan
from textkin.vectors.join.pair_list import Journal, Pairs, SortedRuns, Wanted, gathered, hash_of_rows
from textkin.vectors.join.prepared_rows import Rows, by_cosine
from textkin.vectors.join.tile_join import Bar, Joiner

BLOCK = 4 * ROWS
"""Number of rows per unit of work."""

LARGEST_LIMIT = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class JoinedPairs:
    """Pairs by score descending, then row, then column.

    Attributes:
        rows: number of one vector, from 0; within one set, the smaller number. Shape [pairs].
        columns: number of the other vector. Shape [pairs].
        scores: cosines in float32. Shape [pairs]. If there are many, all three arrays are in a temporary
            file.
        threshold: every pair with at least this score is included; if a limit was reached, every pair above
            it.
        compared: number of all pairs.
        recall: estimated fraction of the pairs at the threshold that is included; None if all are.
        method: description of the search method.
    """

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    scores: NDArray[np.float32]
    threshold: float
    compared: int
    recall: Interval | None
    method: str

    def __len__(self) -> int:
        return len(self.scores)


def pairs_above(
    vectors: NDArray[Any],
    threshold: float,
    *,
    against: NDArray[Any] | None = None,
    limit: int | None = None,
    wanted: Wanted | None = None,
    journal: Path | str | None = None,
    workers: int | None = None,
    quiet: bool = False,
) -> JoinedPairs:
    """All pairs of vectors whose cosine is at least ``threshold``, exactly.

    Pairs are filtered by short rows whose products bound their cosines (``score_bounds.py``). The cosines of
    the remaining candidates are computed as defined in ``prepared_rows.py``. Neither the number of workers
    nor the size of blocks changes the result. A zero vector has cosine 0 with all others.

    Args:
        vectors: floating-point vectors, not normalised. Shape [rows, dim].
        threshold: from -1 to 1, rounded to float32.
        against: second set to pair with; None to pair ``vectors`` with each other, each pair once.
        limit: maximum number of pairs, the best ones; None for all.
        wanted: filter of pairs; None for all.
        journal: folder for recording progress. The same call with the same folder resumes after a stop.
        workers: number of threads; None for all cores.
        quiet: True to show no progress.

    Raises:
        UsageError: an argument is out of range, or the journal belongs to another join.
        DataError: a vector is not finite, or there are too many pairs.
        OutputError: the journal can't be written.
    """
    search = PairSearch.of(vectors, threshold, against=against, limit=limit, wanted=wanted, quiet=quiet)
    notes = None if journal is None else Journal(journal, search.decides(block=BLOCK))
    runs, left, right, plan = SortedRuns(), search.left, search.right, search.plan()
    with one_thread_each(), progress("pairs", total=search.compared, quiet=quiet) as shown:
        short = left, plan.sketch(left)
        joiner = Joiner(plan, short, None if right is None else (right, plan.sketch(right)))
        blocks = [range(top, min(top + BLOCK, len(left))) for top in range(0, len(left), BLOCK)]
        found = side_by_side(partial(_block, joiner, search.bar, notes), blocks, workers=workers or cores())
        for rows, pairs in zip(blocks, found, strict=True):
            runs.add(pairs)
            behind = range(len(left) - rows.stop, len(left) - rows.start)
            shown.advance(sum(behind) if right is None else len(rows) * len(right))
    return search.joined(runs, f"exact ({plan})")


@dataclass(frozen=True, slots=True, eq=False)
class PairSearch:
    """A pair search, independent of the engine that runs it.

    Attributes:
        left: rows of one side.
        right: rows of the other side; None for pairs within ``left``.
        threshold: minimum score.
        limit: maximum number of pairs; None for all.
        compared: number of all pairs.
        bar: the condition for a pair, shared by threads.
    """

    left: Rows
    right: Rows | None
    threshold: float
    limit: int | None
    compared: int
    bar: Bar

    @classmethod
    def of(
        cls,
        vectors: NDArray[Any],
        threshold: float,
        *,
        against: NDArray[Any] | None = None,
        limit: int | None = None,
        wanted: Wanted | None = None,
        quiet: bool = False,
    ) -> Self:
        """The search for the arguments of :func:`pairs_above`, unless it would certainly find too many.

        Raises:
            UsageError: an argument is out of range.
            DataError: a vector is not finite, or there are too many pairs.
        """
        if not -1 <= threshold <= 1:
            raise invalid("threshold", threshold, expected="a cosine from -1 to 1")
        if limit is not None and not 1 <= limit <= LARGEST_LIMIT:
            raise invalid("limit", limit, expected=f"a number from 1 to {LARGEST_LIMIT:,}")
        left = by_cosine(vectors)
        right = None if against is None else by_cosine(against)
        if right is not None:
            left.require_width_of(right)
        compared = len(left) * (len(left) - 1) // 2 if right is None else len(left) * len(right)
        if limit is None and compared > abundance.MANY:
            there = abundance.abundance(left, right, np.float32(threshold), wanted=wanted)
            abundance.refuse_too_many(there, np.float32(threshold), quiet=quiet)
        bar = Bar(np.float32(threshold), limit, compared, wanted=wanted)
        return cls(left, right, threshold, limit, compared, bar)

    def plan(self) -> Plan:
        """The fastest plan for these pairs on this machine."""
        share = 1 if self.limit is None else self.limit / max(self.compared, 1)
        expected = partial(_expected, threshold=np.float32(self.threshold), share=share)
        return make_plan(self.left, self.left if self.right is None else self.right, expected)

    def decides(self, *, block: int) -> dict[str, Any]:
        """All parameters that determine the pairs of a block of ``block`` rows."""
        return {
            "format": 1,
            "vectors": hash_of_rows(self.left.values),
            "against": None if self.right is None else hash_of_rows(self.right.values),
            "threshold": self.threshold,
            "limit": self.limit,
            "block": block,
        }

    def joined(self, runs: SortedRuns, method: str) -> JoinedPairs:
        """The pairs found, in order."""
        pairs = gathered(runs.merged(), limit=self.limit)
        reached = self.limit is not None and len(pairs) == self.limit
        return JoinedPairs(
            rows=pairs["row"],
            columns=pairs["column"],
            scores=pairs["score"],
            threshold=float(pairs["score"][-1]) if reached else self.threshold,
            compared=self.compared,
            recall=None,
            method=method,
        )


def _block(joiner: Joiner, bar: Bar, notes: Journal | None, rows: range) -> Pairs:
    """The pairs of some rows, sorted; from the journal if it has them."""
    number = rows.start // BLOCK
    pairs = None if notes is None else notes.pairs_of(number)
    if pairs is not None:
        bar.take(pairs)
        return pairs
    runs = SortedRuns()
    for some in joiner.pairs(rows, bar):
        runs.add(some)
    return gathered(runs.merged()) if notes is None else notes.write(number, runs.merged())


def _expected(some: Rows, others: Rows, *, threshold: np.float32, share: float) -> NDArray[np.float32]:
    """The score that a fraction of all pairs reaches, estimated from a sample, for each row."""
    expected = threshold
    if share < 1:
        scores = (some.values * some.scales[:, None]) @ (others.values * others.scales[:, None]).T
        place = max(int(share * scores.size), 1)
        expected = max(threshold, np.partition(scores, -place, axis=None)[-place])
    return np.full(len(some), expected, dtype=np.float32)
