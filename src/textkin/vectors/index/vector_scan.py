"""Top-k search for a few queries, with a filter and without a matrix product.

A single query takes as long as reading the byte codes from memory, and loads no torch. Scores equal those of
``vectors.join.prepared_rows`` bit for bit, however documents are split.
"""

import numpy as np

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.numba_cache import arrays_do
from textkin.base.threads import cores, side_by_side
from textkin.vectors.index.array_scan import scanned_by_arrays
from textkin.vectors.index.byte_codes import ByteCodes, query_codes
from textkin.vectors.join.nearest import Nearest
from textkin.vectors.join.prepared_rows import UPWARD, Rows
from textkin.vectors.join.score_bounds import near_slack

_LOOPS = "textkin.vectors.index.scan_loops"
_AT_ONCE = 16  # queries
_BLOCK = 1 << 17  # documents per thread, at least: fewer take less time than starting one
_EVERYTHING = np.empty(0, dtype=np.bool_)


def scanned(
    queries: Rows,
    documents: Rows,
    codes: ByteCodes,
    depth: int,
    *,
    floor: Floats32,
    allowed: Bools | None = None,
    starts: Ints | None = None,
) -> Nearest:
    """The ``depth`` best documents of each query, best first; ties by position.

    A document of several vectors scores as its best one.

    Args:
        queries: any number; the time is proportional to it and to the number of documents.
        documents: the vectors to search, one per document unless ``starts`` is set.
        codes: byte codes of these vectors.
        depth: at least 1.
        floor: only documents with a higher score are found. Shape [queries].
        allowed: True for documents that may be found; None for all. Shape [documents].
        starts: first vector of each document, and the end of the last one; each document has at least one.
            Shape [documents + 1].
    """
    if arrays_do(_LOOPS, len(queries) * documents.values.size):
        found_by_arrays = scanned_by_arrays(
            queries, documents, depth, floor=floor, allowed=allowed, starts=starts
        )
        if found_by_arrays is not None:
            return found_by_arrays
    from textkin.vectors.index.scan_loops import Parted, Short, ShortQueries, scan, scan_windows
    from textkin.vectors.join.score_loop_arguments import Best

    mask = _EVERYTHING if allowed is None else allowed
    spans = _spans(len(documents) if starts is None else len(starts) - 1, len(documents))
    shape = len(spans), len(queries), depth
    scores = np.full(shape, -np.inf, dtype=np.float32)
    found = np.full(shape, -1, dtype=np.int64)
    asked, short = query_codes(queries), Short(codes.codes, codes.steps, codes.errors)
    slack = (near_slack(queries, documents) * UPWARD).astype(np.float32)

    def search(number: int) -> None:
        for start in range(0, len(queries), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            best = Best(scores[number, part], found[number, part], floor[part])
            some = ShortQueries(asked.codes[part], asked.steps[part], asked.errors[part])
            both = queries[part].arrays, documents.arrays, some, short
            if starts is None:
                scan(*both, mask, slack[part], best, spans[number])
            else:
                scan_windows(*both, Parted(mask, starts), slack[part], best, spans[number])

    for _ in side_by_side(search, range(len(spans)), workers=cores()):
        pass
    return _merged(scores, found, depth)


def _spans(count: int, vectors: int) -> list[tuple[int, int]]:
    """The range of documents for each thread: equal parts, or one part if there are few vectors."""
    height = max(-(-count // cores()), -(-_BLOCK * count // max(vectors, 1)), 1)
    return [(first, min(first + height, count)) for first in range(0, count, height)]


def _merged(scores: Floats32, found: Ints, depth: int) -> Nearest:
    """Merge the results of all ranges, which are in document order."""
    if len(scores) == 1:
        return Nearest(found[0], scores[0])
    queries = scores.shape[1]
    flat_scores = scores.transpose(1, 0, 2).reshape(queries, -1)
    flat_found = found.transpose(1, 0, 2).reshape(queries, -1)
    order = np.argsort(-flat_scores, axis=1, kind="stable")[:, :depth]
    return Nearest(
        np.take_along_axis(flat_found, order, axis=1), np.take_along_axis(flat_scores, order, axis=1)
    )
