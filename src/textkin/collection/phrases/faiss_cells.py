"""Phrases in faiss cells: fewer are searched, and the recall is measured.

Cells are those of k-means (an inverted file). The vectors in them are whole, or short codes (product
quantisation, Jégou, Douze and Schmid 2011). The candidates that the codes find are rescored with the stored
vectors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, inapplicable, invalid
from textkin.base.extras import imported
from textkin.base.progress import progress
from textkin.collection.phrases.exact_search import Metric, best_of, nothing_found
from textkin.data.protocols import Features
from textkin.vectors.index.recall import PhraseSearch
from textkin.vectors.join.nearest import Nearest

_AT_ONCE = 1 << 16
_EACH = 64  # vectors of a cell, enough to find its centre
_CODES = 256  # of a byte
_ROUNDS = 12  # of k-means for codes
_LEAST = 39  # times as many vectors as cells, or faiss warns


def faiss() -> Any:
    """Import faiss.

    Raises:
        MissingExtraError: it isn't installed.
    """
    return imported("faiss", extra="faiss")


def check_cells(*, dim: int, rows: int, cells: int, probe: int, bytes_per_vector: int) -> None:
    """Check that the vectors allow this many cells, and codes this short.

    Raises:
        UsageError: they can't.
    """
    if not 1 <= probe <= cells:
        raise invalid("probe", probe, expected=f"a number from 1 to `cells`, here {cells}")
    if rows < _LEAST * cells:
        raise invalid("cells", cells, expected=f"at most {max(rows // _LEAST, 1):,} for {rows:,} phrases")
    if bytes_per_vector and dim % bytes_per_vector:
        fitting = ", ".join(str(each) for each in range(1, dim + 1) if dim % each == 0)
        expected = f"a divisor of the {dim} dimensions: {fitting}"
        raise invalid("bytes_per_vector", bytes_per_vector, expected=expected)
    if bytes_per_vector and rows < _LEAST * _CODES:
        raise inapplicable(
            "bytes_per_vector", to=f"{rows:,} phrases, which are too few", fix="leave it out, or `cells` too"
        )


def write_cells(
    path: Path,
    rows: NDArray[np.float32],
    *,
    dim: int,
    metric: Metric,
    cells: int,
    bytes_per_vector: int,
    seed: int,
) -> None:
    """Write an index of stored vectors.

    Args:
        path: the file to write.
        rows: the stored rows; the first ``dim`` columns are used. Shape [phrases, dim or more].
        dim: the dimension of the vectors.
        metric: products or distances.
        cells: the number of cells.
        bytes_per_vector: the bytes per vector, a divisor of ``dim``; 0 for whole vectors.
        seed: draws the training vectors of cells and codes.

    Raises:
        MissingExtraError: faiss is not installed.
    """
    library = faiss()
    kind = library.METRIC_INNER_PRODUCT if metric == "ip" else library.METRIC_L2
    code = f"PQ{bytes_per_vector}" if bytes_per_vector else "Flat"
    made = library.index_factory(dim, f"IVF{cells},{code}", kind)
    made.cp.seed = seed % (1 << 31)
    if bytes_per_vector:  # at faiss' own settings this takes longer than all the rest
        made.pq.cp.seed = made.cp.seed
        made.pq.cp.niter, made.pq.cp.max_points_per_centroid = _ROUNDS, _EACH
        made.do_polysemous_training = False  # orders codes for a filter that is not used here
    many = min(len(rows), _EACH * max(cells, _CODES))
    drawn = np.sort(np.random.default_rng(seed).choice(len(rows), size=many, replace=False))
    made.train(np.ascontiguousarray(rows[drawn, :dim]))
    with progress("phrases into cells", total=len(rows)) as shown:
        for start in range(0, len(rows), _AT_ONCE):
            part = np.ascontiguousarray(rows[start : start + _AT_ONCE, :dim])
            made.add(part)
            shown.advance(len(part))
    library.write_index(made, str(path))


@final
class CellSearch(PhraseSearch):
    """Search in the cells nearest to a question.

    Args:
        path: the file; check its hash first, since faiss trusts its input.
        rows: the stored rows, for rescoring.
        metric: products or distances.
        probe: the number of cells searched.
        refine: the number of phrases that are rescored.

    Raises:
        MissingExtraError: faiss is not installed.
        DataError: the file is broken.
    """

    def __init__(
        self, path: Path, rows: NDArray[np.float32], *, metric: Metric, probe: int, refine: int
    ) -> None:
        self._index = _opened(path, len(rows), probe)
        self._rows, self._metric, self._refine = rows, metric, refine

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The best of the phrases that the codes rank highest."""
        asked = np.ascontiguousarray(questions, dtype=np.float32)
        if not len(asked):
            return nothing_found(0, depth)
        _, numbers = self._index.search(asked, min(max(self._refine, depth), len(self._rows)))
        if numbers.max(initial=-1) >= len(self._rows):
            raise DataError("its cells name phrases that it doesn't hold", fix="build the index again")
        return best_of(self._rows, numbers.astype(np.int64), asked, depth, metric=self._metric)


@final
class CodeSearch(PhraseSearch):
    """Search in the cells nearest to a question by codes alone; scores are those of the codes.

    Args:
        path: as for :class:`CellSearch`, as are the errors.
        count: the number of phrases.
        metric: products or distances.
        probe: the number of cells searched.
    """

    def __init__(self, path: Path, count: int, *, metric: Metric, probe: int) -> None:
        self._index, self._count, self._metric = _opened(path, count, probe), count, metric

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The phrases whose codes rank highest."""
        asked = np.ascontiguousarray(questions, dtype=np.float32)
        found = nothing_found(len(asked), depth)
        if not len(asked):
            return found
        scores, numbers = self._index.search(asked, min(depth, self._count))
        if numbers.max(initial=-1) >= self._count:
            raise DataError("its cells name phrases that it doesn't hold", fix="build the index again")
        if self._metric == "l2":  # faiss gives squares
            scores = -np.sqrt(np.maximum(scores, 0))
        found.documents[:, : numbers.shape[1]] = numbers
        found.scores[:, : numbers.shape[1]] = np.where(numbers >= 0, scores, -np.inf)
        return found


def _opened(path: Path, count: int, probe: int) -> Any:
    library = faiss()
    try:
        index = library.read_index(str(path))
    except RuntimeError as error:
        raise DataError("is no index of faiss", path=path, fix="build the index again") from error
    if index.ntotal != count:
        raise DataError(f"holds {index.ntotal:,} phrases of {count:,}", path=path)
    index.nprobe = probe
    return index
