"""Distributed nearest neighbours: the pieces are blocks of queries and documents."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.progress import progress
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.nearest import Nearest, Searcher, plan_for
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.on_ray.blocks import Block, Crew, SharedBlocks, multiplied
from textkin.vectors.on_ray.workers import Handle, as_done


def nearest(
    crew: Crew,
    queries: NDArray[Any],
    documents: NDArray[Any],
    depth: int,
    *,
    floor: NDArray[np.float32],
    apart: bool = False,
    quiet: bool = False,
) -> Nearest:
    """Run :class:`textkin.vectors.join.nearest.Searcher` with cosines on workers.

    Args:
        crew: the workers.
        queries: as in that class, like all others.
        documents: see there.
        depth: see there.
        floor: see there.
        apart: see there.
        quiet: see there.

    Raises:
        TextkinError: the errors of that class, or workers crash repeatedly.
    """
    left, right = by_cosine(queries), by_cosine(documents)
    if left.dim != right.dim:
        raise DataError(f"vectors of {left.dim} and of {right.dim} dimensions", fix="give those of one model")
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

    with progress("pairs", total=len(left) * len(right), quiet=quiet) as shown:
        for (row, column), some in as_done(crew.workers, waiting, begin):
            _merge(found, some, slice(row * asked.size, row * asked.size + asked.rows(row)))
            shown.advance(asked.rows(row) * searched.rows(column))
    return found


def nearest_pairs(
    plan: Plan, queries: Block, documents: Block, depth: int, floor: NDArray[np.float32], apart: bool
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
