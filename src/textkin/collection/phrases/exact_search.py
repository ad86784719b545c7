"""Exact search for the best phrases, with the engine of ``vectors.join`` or sparse products.

Euclidean distance is a product, too: the phrase c with the largest ``c.q - |c|^2 / 2`` is the nearest to q.
So phrases get that value as further coordinates, in two single-precision numbers whose sum has nearly the
digits of a double, and questions get ones.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.arrays import Floats32, Ints
from textkin.base.growing_npy import RowFile
from textkin.base.progress import progress
from textkin.base.threads import cores, side_by_side
from textkin.collection.phrases.vector_files import mapped
from textkin.data.protocols import Features
from textkin.vectors.index.recall import PhraseSearch
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import Plan, make_plan
from textkin.vectors.join.nearest import Nearest, Searcher
from textkin.vectors.join.prepared_rows import Rows, by_product
from textkin.vectors.join.score_bounds import Rotation, Sketch

LEAST = 1 << 15
"""The minimum number of phrases for which short rows pay."""

_QUESTIONS = 512
_SAMPLE = 1 << 16
_AT_ONCE = 1 << 14
_BEST = 10
SHORT_FILES = _SHORT, _BOUNDS, _ROTATION = "short.npy", "bounds.npy", "rotation.npy"


@dataclass(frozen=True, slots=True)
class ShortRecord:
    """The parameters of short rows.

    Attributes:
        width: numbers of a row.
        bf16: True if these are in bfloat16.
        drift: of the rotation; None without one.
    """

    width: int
    bf16: bool
    drift: float | None


def write_short_rows(folder: Path, rows: Floats32, questions: Floats32) -> ShortRecord:
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
    return ShortRecord(plan.width, plan.bf16, drift)


class ShortRows:
    """The short rows of stored vectors, memory-mapped.

    Args:
        folder: the folder of the rows.
        record: the result of :func:`write_short_rows`.
        rows: the number of rows.
        dim: width of the whole rows.

    Raises:
        DataError: a file has other contents.
    """

    def __init__(self, folder: Path, record: ShortRecord, *, rows: int, dim: int) -> None:
        bf16, width, drift = record.bf16, record.width, record.drift
        rotation = None
        if drift is not None:
            matrix = mapped(folder / _ROTATION, dtype="<f4", shape=(dim, dim))
            rotation = Rotation(matrix.copy(), drift)
        # Without torch, the same numbers are multiplied in float32.
        self._widen = bf16 and not bfloat16.load()
        self._plan = Plan(width, bf16 and not self._widen, rotation)
        bits = mapped(folder / _SHORT, dtype="<i2" if bf16 else "<f4", shape=(rows, width))
        self._bits: NDArray[Any] = bits
        self._bounds = mapped(folder / _BOUNDS, dtype="<f8", shape=(rows, 3))

    def searcher(self, rows: Floats32, part: slice) -> Searcher:
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


def _tenth_best(rows: Floats32, questions: Floats32) -> Floats32:
    """An estimate of the score of the tenth best phrase. Shape [questions]."""
    best = np.full((len(questions), _BEST), -np.inf, dtype=np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        scores = questions @ rows[start : start + _AT_ONCE].T
        best = np.partition(np.concatenate((best, scores), axis=1), -_BEST, axis=1)[:, -_BEST:]
    return best.min(axis=1)


Metric = Literal["ip", "l2"]

_QUESTIONS_AT_ONCE = 8
_SPARE = 8


class DenseSearch(PhraseSearch):
    """Exact search among dense vectors.

    Args:
        rows: the result of :func:`searchable_rows`, possibly memory-mapped. Shape [phrases, dim], or
            [phrases, dim + 2] for distances.
        metric: "ip" for inner products, "l2" for Euclidean distance.
        short: short rows of the same vectors; None for few phrases.
    """

    def __init__(self, rows: Floats32, *, metric: Metric, short: ShortRows | None) -> None:
        self._rows, self._metric = rows, metric
        pieces = cores() if short is not None else 1
        step = max(-(-len(rows) // pieces), 1)
        self._starts = range(0, len(rows), step)
        self._parts = [
            Searcher(rows[start : start + step])
            if short is None
            else short.searcher(rows, slice(start, start + step))
            for start in self._starts
        ]

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The nearest phrases. Ties go to the first; distances are compared to seven digits."""
        asked = np.asarray(questions)
        wanted = depth if self._metric == "ip" else depth + _SPARE
        sought = as_questions(asked, self._metric)
        workers = 1 if len(self._parts) > 1 else None
        search = partial(_search, questions=sought, depth=wanted, workers=workers)
        found = list(side_by_side(search, self._parts, workers=len(self._parts)))
        numbers = [
            np.where(each.documents < 0, -1, each.documents + start)
            for each, start in zip(found, self._starts, strict=True)
        ]
        if not numbers:
            return nothing_found(len(asked), depth)
        together = np.concatenate(numbers, axis=1)
        return best_of(self._rows, together, asked, depth, metric=self._metric)


class SparseSearch(PhraseSearch):
    """Exact search among sparse vectors by inner products; products of 0 are never found."""

    def __init__(self, rows: csr_array) -> None:
        self._rows = rows

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The nearest phrases. Ties go to the first; products are summed in single precision."""
        asked = csr_array(questions)
        found = nothing_found(asked.shape[0], depth)
        for start in range(0, asked.shape[0], _QUESTIONS_AT_ONCE):
            part = asked[start : start + _QUESTIONS_AT_ONCE]
            scores = self._rows @ part.toarray().T
            for place in range(part.shape[0]):
                best = _best(scores[:, place], depth)
                found.documents[start + place, : len(best)] = best
                found.scores[start + place, : len(best)] = scores[best, place]
        return found


def searchable_rows(vectors: Features, metric: Metric) -> Features:
    """Vectors in their stored, searchable form, with two more coordinates for distances."""
    if metric == "ip" or not isinstance(vectors, np.ndarray):
        return vectors
    exact = vectors.astype(np.float64)
    halves = -np.vecdot(exact, exact) / 2
    first = halves.astype(np.float32)
    return np.column_stack((vectors, first, (halves - first).astype(np.float32)))


def as_questions(questions: Floats32, metric: Metric) -> Floats32:
    """Questions with the width of :func:`searchable_rows`."""
    if metric == "ip":
        return questions
    return np.column_stack((questions, np.ones((len(questions), 2), dtype=np.float32)))


def best_of(
    rows: Floats32,
    numbers: Ints,
    questions: Floats32,
    depth: int,
    *,
    metric: Metric,
) -> Nearest:
    """The best candidates by score, in double precision and rounded once; ties go to the first.

    Args:
        rows: the stored rows.
        numbers: the candidates of each question, -1 for none. Shape [questions, candidates].
        questions: shape [questions, dim].
        depth: the number wanted.
        metric: products, or distances, whose score is negative.
    """
    found = nothing_found(len(questions), depth)
    for place, (question, each) in enumerate(zip(questions.astype(np.float64), numbers, strict=True)):
        there = np.unique(each[each >= 0])
        with np.errstate(invalid="ignore", over="ignore"):  # callers check the scores
            values = rows[there, : questions.shape[1]].astype(np.float64)
            exact = values @ question if metric == "ip" else -np.linalg.norm(values - question, axis=1)
            scores = exact.astype(np.float32)
        order = np.lexsort((there, -scores))[:depth]
        found.documents[place, : len(order)] = there[order]
        found.scores[place, : len(order)] = scores[order]
    return found


def _search(part: Searcher, *, questions: NDArray[Any], depth: int, workers: int | None) -> Nearest:
    return part.nearest(questions, depth, workers=workers)


def nothing_found(questions: int, depth: int) -> Nearest:
    """No phrase for any question."""
    return Nearest(np.full((questions, depth), -1), np.full((questions, depth), -np.inf, dtype=np.float32))


def _best(scores: Floats32, depth: int) -> Ints:
    """The numbers of the best nonzero scores, best first; ties go to the first."""
    there = np.flatnonzero(scores)
    if len(there) > depth:
        there = there[scores[there] >= np.partition(scores[there], -depth)[-depth]]
    return there[np.lexsort((there, -scores[there]))[:depth]]
