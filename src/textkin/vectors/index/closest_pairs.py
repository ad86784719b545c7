"""The most similar pairs of a set of texts: candidates for duplicates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import track
from textkin.data.protocols import Encoder, Scorer, System
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.pair_scoring import Lexical
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.index.exact_search import Space, nearest, place, searchable
from textkin.vectors.join.pair_list import either_way, joined, made

_DEPTH = 100  # default of sentence-transformers' mining, like the next one
_MOST = 500_000
_TEXTS_AT_ONCE = 1024


def mine_pairs(scorer: Scorer, texts: Sequence[str], *, depth: int = _DEPTH, most: int = _MOST) -> Edges:
    """The pairs that a scorer finds most similar, best first.

    Each pair is listed once, the smaller number first. For asymmetric scorers such as BM25, the higher of
    both scores counts.

    Args:
        scorer: an encoder, a lexical scorer or Lucene's.
        texts: the texts.
        depth: number of neighbours to consider for each text.
        most: maximum number of pairs; ties by the lowest numbers.

    Raises:
        UsageError: the scorer is none of these.
        DataError: the scorer returns vectors with NaN or infinity.
    """
    space = _placed(scorer, texts)
    ready = searchable(space.documents)
    pairs = []
    starts = range(0, len(texts), _TEXTS_AT_ONCE)
    for start in track(starts, title=f"mining with {scorer.name}", total=len(starts)):
        rows = np.arange(start, min(start + _TEXTS_AT_ONCE, len(texts)))
        found = nearest(space.queries[rows], ready, depth + 1, floor=space.floor[rows])
        row, place_in_row = np.nonzero(_others(found, rows, depth))
        left, right = rows[row], found[row, place_in_row]
        pairs.append(made(left, right, space.scores(left, right)))
    best = either_way(joined(pairs))[:most]
    return Edges(best["row"].astype(np.int64), best["column"].astype(np.int64), np.array(best["score"]))


def can_mine(system: System) -> bool:
    """True if a system maps texts to a space, so that many-to-many search is possible."""
    return isinstance(system, Lexical | LuceneClassic | Encoder)


def _placed(scorer: Scorer, texts: Sequence[str]) -> Space:
    """The texts on both sides; an encoder encodes each once, as a document."""
    if not isinstance(scorer, Encoder):
        return place(scorer, texts, texts)
    vectors = np.asarray(place(scorer, (), texts).documents)
    floor = np.where(vectors.any(axis=1), -np.inf, np.inf).astype(np.float32)
    return Space(scorer.name, vectors, vectors, floor)


def _others(found: NDArray[np.int64], rows: NDArray[np.int64], depth: int) -> NDArray[np.bool_]:
    """True for found texts other than the row's own, at most ``depth`` per row.

    Shape [rows, depth + 1].
    """
    others: NDArray[np.bool_] = (found >= 0) & (found != rows[:, None])
    others &= np.cumsum(others, axis=1) <= depth
    return others
