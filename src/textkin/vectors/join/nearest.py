"""Exact nearest neighbours of vectors among others."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import ROWS, Plan, Tile, make_plan, worth_a_trial
from textkin.vectors.join.prepared_rows import UPWARD, Rows, by_cosine, by_product
from textkin.vectors.join.score_bounds import Sketch, near_slack
from textkin.vectors.join.score_loop_arguments import Best

_WIDEST = 1 << 15  # maximum number of columns per tile


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The best documents of each query, best first; ties by position.

    Attributes:
        documents: numbers of the documents, -1 after the last one. Shape [queries, depth].
        scores: minus infinity after the last one. Shape [queries, depth].
    """

    documents: NDArray[np.int64]
    scores: NDArray[np.float32]


class Searcher:
    """Documents prepared for repeated exact search.

    Documents are filtered by short rows whose products bound their scores (``score_bounds.py``). Scores are
    computed as defined in ``prepared_rows.py``. Only a few tiles of products are in memory at a time.

    Args:
        documents: floating-point vectors, or prepared rows. Shape [documents, dim].
        cosine: True for cosines, False for inner products.
        ready: plan with the short rows of the documents; None to choose one at the first search.

    Raises:
        DataError: the documents are not a matrix of finite numbers.
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
            queries: floating-point vectors. Shape [queries, dim].
            depth: at least 1.
            floor: only documents with a higher score are found. Shape [queries].
            apart: True if query n and document n are one text, to exclude it from its own results.
            workers: number of threads; None for all cores.
            quiet: True to show no progress.

        Raises:
            DataError: the queries are not a matrix of finite numbers.
        """
        rows = self._rows_of(queries)
        rows.require_width_of(self._documents)
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
        """The plan and the short rows of the documents, chosen once if there is enough work."""
        worth = worth_a_trial(queries, self._documents)
        if self._ready is None or (worth and not self._tried):
            plan = plan_for(queries, self._documents, depth)
            self._ready, self._tried = (plan, plan.sketch(self._documents)), worth
        if self._ready[0].bf16:
            bfloat16.load()  # before it is limited to one thread
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
        """Find the best documents of some queries; return the number of these queries."""
        from textkin.vectors.join.score_loops import keep_best

        plan, short = ready
        part = queries[rows]
        sketch = plan.sketch(part)
        slack = np.stack((sketch.slack(short), near_slack(part, self._documents))) * UPWARD
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
    """The fastest plan on this machine for finding the best documents of queries."""
    share = depth / max(len(documents), 1)
    return make_plan(queries, documents, partial(_expected, share=share))


def _expected(some: Rows, others: Rows, *, share: float) -> NDArray[np.float32]:
    """The score that a fraction of the documents reaches for each query, estimated from a sample."""
    scores = (some.values * some.scales[:, None]) @ (others.values * others.scales[:, None]).T
    place = min(max(int(share * scores.shape[1]), 1), scores.shape[1])
    return np.partition(scores, -place, axis=1)[:, -place]
