"""Phrases in faiss cells: fewer are searched, and the recall is measured.

Cells are those of k-means (an inverted file). The vectors in them are whole, or short codes (product
quantisation, Jégou, Douze and Schmid 2011). The candidates that the codes find are rescored with the stored
vectors.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.argument_checks import check_fields
from textkin.base.arrays import Floats32
from textkin.base.errors import DataError, inapplicable, invalid, required
from textkin.base.extras import imported
from textkin.base.progress import progress
from textkin.collection.phrases.exact_search import Metric, best_of, nothing_found
from textkin.data.protocols import Features
from textkin.vectors.index.recall import PhraseSearch
from textkin.vectors.join.nearest import Nearest

_AT_ONCE = 1 << 16
_MOST_WORDS = 1_000  # times as much as a vector tells: no more than words count then
_EACH = 64  # vectors of a cell, enough to find its centre
_CODES = 256  # of a byte
_ROUNDS = 12  # of k-means for codes
_LEAST = 39  # times as many vectors as cells, or faiss warns


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseIndexOptions:
    """Options for building a phrase index.

    Attributes:
        metric: "ip" for the largest inner product, "l2" for the smallest distance.
        words: the weight of the question's words near to a phrase and in its passage, up to 1,000; by default
            .6, or 0 for phrases that are stored one by one.
        per_passage: the number of phrases per passage, those with the highest priors; all if None.
        cells: the number of cells of an approximate search; 0 to search exactly.
        probe: the number of cells searched per question.
        bytes_per_vector: the bytes of a phrase's code in its cell; 0 for whole vectors.
        refine: the number of candidates from the cells that are rescored; 0 to keep the codes alone, without
            the vectors to score by.
        sample: the number of phrases to measure recall on, if there are no questions.
        seed: the seed of cells and codes.
    """

    metric: Metric = "ip"
    words: float | None = None
    per_passage: int | None = None
    cells: int = 0
    probe: int = 16
    bytes_per_vector: int = 0
    refine: int = 200
    sample: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.bytes_per_vector and not self.cells:
            raise required("cells", by="`bytes_per_vector`", fix="give it, or leave `bytes_per_vector` out")
        if self.words is not None and not 0 <= self.words <= _MOST_WORDS:
            raise invalid("words", self.words, expected=f"a number from 0 to {_MOST_WORDS:,}")
        for name, least in (("cells", 0), ("bytes_per_vector", 0), ("refine", 0), ("sample", 1)):
            if getattr(self, name) < least:
                raise invalid(name, getattr(self, name), expected=f"at least {least}")
        if self.cells and not 1 <= self.probe <= self.cells:
            raise invalid("probe", self.probe, expected=f"a number from 1 to `cells`, here {self.cells}")
        if not (self.refine or self.bytes_per_vector):
            raise required("bytes_per_vector", by="`refine=0`")

    @property
    def storing_each(self) -> tuple[str, ...]:
        """The given options that need phrases stored one by one, whatever the encoder."""
        given = {
            "metric": self.metric != "ip",
            "per_passage": self.per_passage is not None,
            "cells": self.cells > 0,
        }
        return tuple(name for name, is_given in given.items() if is_given)

    @property
    def keeps_vectors(self) -> bool:
        """True if the index has the vectors, not only their codes."""
        return self.refine > 0


def faiss() -> Any:
    """Import faiss.

    Raises:
        MissingExtraError: it isn't installed.
    """
    return imported("faiss", extra="faiss")


def check_cells(options: PhraseIndexOptions, *, dim: int, rows: int) -> None:
    """Check that the vectors allow this many cells, and codes this short.

    Raises:
        UsageError: they can't.
    """
    cells, bytes_per_vector = options.cells, options.bytes_per_vector
    if rows < _LEAST * cells:
        raise invalid("cells", cells, expected=f"at most {max(rows // _LEAST, 1):,} for {rows:,} phrases")
    if bytes_per_vector and dim % bytes_per_vector:
        fitting = [str(each) for each in range(1, dim + 1) if dim % each == 0]
        raise invalid(
            "bytes_per_vector",
            bytes_per_vector,
            expected=f"a divisor of the {dim} dimensions: {', '.join(fitting)}",
        )
    if bytes_per_vector and rows < _LEAST * _CODES:
        raise inapplicable(
            "bytes_per_vector", to=f"{rows:,} phrases, which are too few", fix="leave it out, or `cells` too"
        )


def write_cells(path: Path, rows: Floats32, dim: int, options: PhraseIndexOptions) -> None:
    """Write an index of stored vectors.

    Args:
        path: the file to write.
        rows: the stored rows; the first ``dim`` columns are used. Shape [phrases, dim or more].
        dim: the dimension of the vectors.
        options: the options of the index.

    Raises:
        MissingExtraError: faiss is not installed.
        UsageError: the vectors don't allow these cells and codes.
    """
    check_cells(options, dim=dim, rows=len(rows))
    library = faiss()
    kind = library.METRIC_INNER_PRODUCT if options.metric == "ip" else library.METRIC_L2
    within = f"PQ{options.bytes_per_vector}" if options.bytes_per_vector else "Flat"
    made = library.index_factory(dim, f"IVF{options.cells},{within}", kind)
    made.cp.seed = options.seed % (1 << 31)
    if options.bytes_per_vector:  # at faiss' own settings this takes longer than all the rest
        made.pq.cp.seed = made.cp.seed
        made.pq.cp.niter, made.pq.cp.max_points_per_centroid = _ROUNDS, _EACH
        made.do_polysemous_training = False  # orders codes for a filter that is not used here
    many = min(len(rows), _EACH * max(options.cells, _CODES))
    drawn = np.sort(np.random.default_rng(options.seed).choice(len(rows), size=many, replace=False))
    made.train(np.ascontiguousarray(rows[drawn, :dim]))
    with progress("phrases into cells", total=len(rows)) as shown:
        for start in range(0, len(rows), _AT_ONCE):
            part = np.ascontiguousarray(rows[start : start + _AT_ONCE, :dim])
            made.add(part)
            shown.advance(len(part))
    library.write_index(made, str(path))


class CellSearch(PhraseSearch):
    """Search in the cells nearest to a question.

    Args:
        path: the file; check its hash first, since faiss trusts its input.
        rows: the stored rows, for rescoring.
        options: the options of the index.

    Raises:
        MissingExtraError: faiss is not installed.
        DataError: the file is broken.
    """

    def __init__(self, path: Path, rows: Floats32, options: PhraseIndexOptions) -> None:
        self._index = _opened(path, len(rows), options)
        self._rows, self._options = rows, options

    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The best of the phrases that the codes rank highest."""
        asked = np.ascontiguousarray(questions, dtype=np.float32)
        if not len(asked):
            return nothing_found(0, depth)
        _, numbers = self._index.search(asked, min(max(self._options.refine, depth), len(self._rows)))
        if numbers.max(initial=-1) >= len(self._rows):
            raise DataError("its cells name phrases that it doesn't hold", fix="build the index again")
        return best_of(self._rows, numbers.astype(np.int64), asked, depth, metric=self._options.metric)


class CodeSearch(PhraseSearch):
    """Search in the cells nearest to a question by codes alone; scores are those of the codes.

    Args:
        path: as for :class:`CellSearch`, as are the errors.
        count: the number of phrases.
        options: the options of the index.
    """

    def __init__(self, path: Path, count: int, options: PhraseIndexOptions) -> None:
        self._index, self._count, self._metric = _opened(path, count, options), count, options.metric

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


def quick_search(path: Path, rows: Floats32 | None, count: int, options: PhraseIndexOptions) -> PhraseSearch:
    """The search by cells of an index: by codes alone, or with scores of the vectors in ``rows``."""
    if rows is None or not options.keeps_vectors:
        return CodeSearch(path, count, options)
    return CellSearch(path, rows, options)


def _opened(path: Path, count: int, options: PhraseIndexOptions) -> Any:
    library = faiss()
    try:
        index = library.read_index(str(path))
    except RuntimeError as error:
        raise DataError("is no index of faiss", path=path, fix="build the index again") from error
    if index.ntotal != count:
        raise DataError(f"holds {index.ntotal:,} phrases of {count:,}", path=path)
    index.nprobe = options.probe
    return index
