"""The nearest of some vectors to each of others, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import ROWS, Plan, Tile, make_plan, worth_a_trial
from textkin.vectors.join.prepared_rows import Rows, by_cosine, by_product
from textkin.vectors.join.score_bounds import Sketch, near_slack
from textkin.vectors.join.score_loop_arguments import Best

_UPWARD = 1 + 2.0**-20
_WIDEST = 1 << 15  # columns at a time


@final
@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The best documents of each query, best first; of equals the first one.

    Attributes:
        documents: their numbers, -1 where there are no more. Shape [queries, depth].
        scores: minus infinity where there are no more. Shape [queries, depth].
    """

    documents: NDArray[np.int64]
    scores: NDArray[np.float32]


@final
class Searcher:
    """Documents that are searched exactly, time and again.

    They are looked at by short rows whose products bound their scores (``score_bounds.py``); scores are
    computed as ``prepared_rows.py`` says. A few tiles of products are held at a time.

    Args:
        documents: floating-point numbers, or rows that are ready. Shape [documents, dim].
        cosine: score by cosines; else by inner products.
        ready: how to look at the documents, and their short rows; tried out at the first search if None.

    Raises:
        DataError: they are no matrix of finite numbers.
    """

    def __init__(
        self,
        documents: NDArray[Any] | Rows,
        *,
        cosine: bool = False,
        ready: tuple[Plan, Sketch] | None = None,
    ) -> None:
        self._rows_of = by_cosine if cosine else by_product
        self._documents = documents if isinstance(documents, Rows) else self._rows_of(documents)
        self._ready = ready
        self._tried = ready is not None

    def nearest(
        self,
        queries: NDArray[Any],
        depth: int,
        *,
        floor: NDArray[np.float32] | None = None,
        apart: bool = False,
        workers: int | None = None,
        quiet: bool = True,
    ) -> Nearest:
        """The ``depth`` best documents of each query.

        Args:
            queries: floating-point numbers. Shape [queries, dim].
            depth: at least 1.
            floor: only documents that score more are found. Shape [queries].
            apart: query n and document n are one text, which is not found for itself.
            workers: threads; the cores of the machine if None.
            quiet: show no progress.

        Raises:
            DataError: the queries are no such matrix.
        """
        rows = self._rows_of(queries)
        if rows.dim != self._documents.dim:
            raise DataError(
                f"vectors of {rows.dim} and of {self._documents.dim} dimensions",
                fix="give those of one model",
            )
        found = Nearest(
            np.full((len(rows), depth), -1, dtype=np.int64),
            np.full((len(rows), depth), -np.inf, dtype=np.float32),
        )
        least = np.full(len(rows), -np.inf, dtype=np.float32) if floor is None else floor.astype(np.float32)
        workers = workers or cores()
        height = min(ROWS, max(-(-len(rows) // workers), 1))
        strips = [slice(top, top + height) for top in range(0, len(rows), height)]
        ready = self._prepared(rows, depth)
        with one_thread_each(), progress("queries", total=len(rows), quiet=quiet) as shown:
            work = partial(self._strip, ready, rows, least, found, apart)
            for size in side_by_side(work, strips, workers=workers):
                shown.advance(size)
        return found

    def _prepared(self, queries: Rows, depth: int) -> tuple[Plan, Sketch]:
        """How to look at the documents, and their short rows: tried out once, when there is enough to do."""
        worth = worth_a_trial(queries, self._documents)
        if self._ready is None or (worth and not self._tried):
            plan = plan_for(queries, self._documents, depth)
            self._ready, self._tried = (plan, plan.sketch(self._documents)), worth
        if self._ready[0].bf16:
            bfloat16.load()  # before it is held to one thread
        return self._ready

    def _strip(
        self,
        ready: tuple[Plan, Sketch],
        queries: Rows,
        floor: NDArray[np.float32],
        found: Nearest,
        apart: bool,
        rows: slice,
    ) -> int:
        """Find the best documents of some queries; return how many queries these are."""
        from textkin.vectors.join.score_loops import keep_best

        plan, short = ready
        part = queries[rows]
        sketch = plan.sketch(part)
        slack = np.stack((sketch.slack(short), near_slack(part, self._documents))) * _UPWARD
        best = Best(found.scores[rows], found.documents[rows], floor[rows])
        tile = Tile(bf16=plan.bf16)
        step = min(_WIDEST, plan.columns * max(ROWS // max(len(part), 1), 1))  # few calls for few queries
        for begin in range(0, len(self._documents), step):
            columns = slice(begin, begin + step)
            keep_best(
                tile.product(sketch.table, short.table[columns]),
                part.arrays,
                self._documents[columns].arrays,
                slack.astype(np.float32),
                best,
                begin,
                rows.start - begin if apart else -ROWS - 1,
            )
        return len(part)


def plan_for(queries: Rows, documents: Rows, depth: int) -> Plan:
    """The fastest way here to find the best documents of queries."""
    share = depth / max(len(documents), 1)
    return make_plan(queries, documents, partial(_expected, share=share))


def _expected(some: Rows, others: Rows, *, share: float) -> NDArray[np.float32]:
    """The score that a share of the documents will reach for each query, judged by a sample."""
    scores = (some.values * some.scales[:, None]) @ (others.values * others.scales[:, None]).T
    place = min(max(int(share * scores.shape[1]), 1), scores.shape[1])
    expected: NDArray[np.float32] = np.partition(scores, -place, axis=1)[:, -place]
    return expected
