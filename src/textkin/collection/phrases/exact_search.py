"""Exact search for the best phrases, with the engine of ``vectors.join`` or sparse products.

Euclidean distance is a product, too: the phrase c with the largest ``c.q - |c|^2 / 2`` is the nearest to q.
So phrases get that value as further coordinates, in two single-precision numbers whose sum has nearly the
digits of a double, and questions get ones.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.threads import cores, side_by_side
from textkin.collection.phrases.bound_rows import ShortRows
from textkin.data.protocols import Features
from textkin.vectors.index.recall import PhraseSearch
from textkin.vectors.join.nearest import Nearest, Searcher

Metric = Literal["ip", "l2"]

_QUESTIONS_AT_ONCE = 8
_SPARE = 8


@final
class DenseSearch(PhraseSearch):
    """Exact search among dense vectors.

    Args:
        rows: the result of :func:`searchable_rows`, possibly memory-mapped. Shape [phrases, dim], or
            [phrases, dim + 2] for distances.
        metric: "ip" for inner products, "l2" for Euclidean distance.
        short: short rows of the same vectors; None for few phrases.
    """

    def __init__(self, rows: NDArray[np.float32], *, metric: Metric, short: ShortRows | None) -> None:
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
            return _nothing(len(asked), depth)
        together = np.concatenate(numbers, axis=1)
        return best_of(self._rows, together, asked, depth, metric=self._metric)


@final
class SparseSearch(PhraseSearch):
    """Exact search among sparse vectors by inner products; products of 0 are never found."""

    def __init__(self, rows: csr_array) -> None:
        self._rows = rows

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The nearest phrases. Ties go to the first; products are summed in single precision."""
        asked = csr_array(questions)
        found = _nothing(asked.shape[0], depth)
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


def as_questions(questions: NDArray[np.float32], metric: Metric) -> NDArray[np.float32]:
    """Questions with the width of :func:`searchable_rows`."""
    if metric == "ip":
        return questions
    return np.column_stack((questions, np.ones((len(questions), 2), dtype=np.float32)))


def best_of(
    rows: NDArray[np.float32],
    numbers: NDArray[np.int64],
    questions: NDArray[np.float32],
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
    found = _nothing(len(questions), depth)
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


def _nothing(questions: int, depth: int) -> Nearest:
    return Nearest(np.full((questions, depth), -1), np.full((questions, depth), -np.inf, dtype=np.float32))


def _best(scores: NDArray[np.float32], depth: int) -> NDArray[np.int64]:
    """The numbers of the best nonzero scores, best first; ties go to the first."""
    there = np.flatnonzero(scores)
    if len(there) > depth:
        there = there[scores[there] >= np.partition(scores[there], -depth)[-depth]]
    return there[np.lexsort((there, -scores[there]))[:depth]]
