"""Short rows of stored vectors on disk, for bounds on scores; see ``score_bounds.py``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.growing_npy import RowFile
from textkin.base.progress import progress
from textkin.collection.phrases.vector_files import mapped
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import Plan, make_plan
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.join.prepared_rows import Rows, by_product
from textkin.vectors.join.score_bounds import Rotation, Sketch

LEAST = 1 << 15
"""The minimum number of phrases for which short rows pay."""

_QUESTIONS = 512
_SAMPLE = 1 << 16
_AT_ONCE = 1 << 14
_BEST = 10
_SHORT, _BOUNDS, _ROTATION = "short.npy", "bounds.npy", "rotation.npy"


def write_short_rows(
    folder: Path, rows: NDArray[np.float32], questions: NDArray[np.float32]
) -> dict[str, Any]:
    """Write short rows of vectors, with the width that is fastest on sample questions.

    Args:
        folder: the output folder.
        rows: shape [phrases, dim], mapped from the disk or not; at least :data:`LEAST`.
        questions: a sample, shape [questions, dim].

    Returns:
        The parameters of :class:`ShortRows`.
    """
    asked = by_product(questions[:_QUESTIONS])
    limits = _tenth_best(rows, asked.values)
    places = np.linspace(0, len(rows), min(len(rows), _SAMPLE), endpoint=False).astype(np.int64)
    plan = make_plan(asked, by_product(rows[places]), lambda some, others: limits[: len(some)])
    if plan.rotation is not None:
        with (folder / _ROTATION).open("wb") as stream:
            np.save(stream, plan.rotation.matrix)
    kind = "<i2" if plan.bf16 else "<f4"
    made_of = {"plan": str(plan)}
    with (
        RowFile(folder / _SHORT, width=plan.width, made_of=made_of, dtype=kind) as short,
        RowFile(folder / _BOUNDS, width=3, made_of=made_of, dtype="<f8") as bounds,
        progress("short rows", total=len(rows)) as shown,
    ):
        short.cut(0)
        bounds.cut(0)
        for start in range(0, len(rows), _AT_ONCE):
            sketch = plan.sketch(by_product(rows[start : start + _AT_ONCE]))
            short.append(sketch.table)
            bounds.append(np.column_stack((sketch.errors, sketch.lengths, sketch.sizes)))
            shown.advance(len(sketch.sizes))
        short.finish()
        bounds.finish()
    drift = None if plan.rotation is None else plan.rotation.drift
    return {"width": plan.width, "bf16": plan.bf16, "drift": drift}


@final
class ShortRows:
    """The short rows of stored vectors, memory-mapped.

    Args:
        folder: the folder of the rows.
        about: the result of :func:`write_short_rows`.
        rows: the number of rows.
        dim: width of the whole rows.

    Raises:
        DataError: a file has other contents.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any], *, rows: int, dim: int) -> None:
        bf16, width, drift = bool(about["bf16"]), int(about["width"]), about["drift"]
        rotation = None
        if drift is not None:
            matrix = mapped(folder / _ROTATION, dtype="<f4", shape=(dim, dim))
            rotation = Rotation(matrix.copy(), float(drift))
        # Without torch, the same numbers are multiplied in float32.
        self._widen = bf16 and not bfloat16.load()
        self._plan = Plan(width, bf16 and not self._widen, rotation)
        bits = mapped(folder / _SHORT, dtype="<i2" if bf16 else "<f4", shape=(rows, width))
        self._bits: NDArray[Any] = bits
        self._bounds = mapped(folder / _BOUNDS, dtype="<f8", shape=(rows, 3))

    def searcher(self, rows: NDArray[np.float32], part: slice) -> Searcher:
        """Exact search in a subset of the whole rows."""
        values = rows[part]
        values.flags.writeable = False
        ones = np.ones(len(values))
        errors, lengths, sizes = (np.ascontiguousarray(each) for each in self._bounds[part].T)
        # Nothing writes to it. The copy has the size of a short row and stays in memory, as each search uses
        # it.
        table = self._bits[part].copy()
        if self._widen:
            table = bfloat16.widened(table)
        rotation = self._plan.rotation
        sketch = Sketch(table, errors, lengths, sizes, 0.0 if rotation is None else rotation.drift)
        whole = Rows(values, ones, ones.astype(np.float32), sizes)
        return Searcher(whole, ready=(self._plan, sketch))


def _tenth_best(rows: NDArray[np.float32], questions: NDArray[np.float32]) -> NDArray[np.float32]:
    """An estimate of the score of the tenth best phrase. Shape [questions]."""
    best = np.full((len(questions), _BEST), -np.inf, dtype=np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        scores = questions @ rows[start : start + _AT_ONCE].T
        best = np.partition(np.concatenate((best, scores), axis=1), -_BEST, axis=1)[:, -_BEST:]
    tenth: NDArray[np.float32] = best.min(axis=1)
    return tenth
