"""The most similar pairs of a set of texts: the candidates among which duplicates are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.progress import track
from textkin.protocols import Encoder, Scorer, System
from textkin.scorers.pairs import Lexical
from textkin.tasks.nearest import Space, nearest, place, searchable

_DEPTH = 100  # the default of sentence-transformers' mining, as is the next
_MOST = 500_000
_TEXTS_AT_ONCE = 1024


@final
@dataclass(frozen=True, slots=True, eq=False)
class Mined:
    """Pairs of texts, given by number, best first.

    Attributes:
        first: the lower number of each pair. Shape [pairs].
        second: the higher one. Shape [pairs].
        scores: falling. Shape [pairs].
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    scores: NDArray[np.float32]


def mine_pairs(scorer: Scorer, texts: Sequence[str], *, depth: int = _DEPTH, most: int = _MOST) -> Mined:
    """The pairs that a scorer finds most similar, each once.

    Of a scorer whose two directions differ, such as BM25, the higher score counts.

    Args:
        scorer: an encoder or a lexical scorer.
        texts: to pair with each other.
        depth: how many others of each text are looked at.
        most: how many pairs are kept; of equals those with the lowest numbers.

    Raises:
        UsageError: the scorer is none of these.
        DataError: it gives vectors that are no numbers.
    """
    space = _placed(scorer, texts)
    ready, count = searchable(space.documents), len(texts)
    keys, scores = [], []
    starts = range(0, count, _TEXTS_AT_ONCE)
    for start in track(starts, title=f"mining with {scorer.name}", total=len(starts)):
        rows = np.arange(start, min(start + _TEXTS_AT_ONCE, count))
        found = nearest(space.queries[rows], ready, depth + 1, floor=space.floor[rows])
        row, place_in_row = np.nonzero(_others(found, rows, depth))
        left, right = rows[row], found[row, place_in_row]
        keys.append(np.minimum(left, right) * count + np.maximum(left, right))
        scores.append(space.scores(left, right))
    return _best(np.concatenate(keys), np.concatenate(scores), count, most)


def can_mine(system: System) -> bool:
    """Whether a system places texts in a space, so that many can be compared with many."""
    return isinstance(system, Lexical | Encoder)


def _placed(scorer: Scorer, texts: Sequence[str]) -> Space:
    """The texts on both sides; an encoder sees each once, as a document."""
    if not isinstance(scorer, Encoder):
        return place(scorer, texts, texts)
    vectors = np.asarray(place(scorer, (), texts).documents)
    floor = np.where(vectors.any(axis=1), -np.inf, np.inf).astype(np.float32)
    return Space(scorer.name, vectors, vectors, floor)


def _others(found: NDArray[np.int64], rows: NDArray[np.int64], depth: int) -> NDArray[np.bool_]:
    """Which of the texts found are not the row's own, ``depth`` a row at most. Shape [rows, depth + 1]."""
    others: NDArray[np.bool_] = (found >= 0) & (found != rows[:, None])
    others &= np.cumsum(others, axis=1) <= depth
    return others


def _best(keys: NDArray[np.int64], scores: NDArray[np.float32], count: int, most: int) -> Mined:
    """Each pair once, with its higher score."""
    order = np.lexsort((-scores, keys))
    keys, scores = keys[order], scores[order]
    fresh = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    keys, scores = keys[fresh], scores[fresh]
    kept = np.argsort(-scores, kind="stable")[:most]
    first, second = np.divmod(keys[kept], count)
    return Mined(first, second, scores[kept])
