"""Exact top-k search over documents, block by block, with any scorer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.errors import invalid, not_finite
from textkin.base.progress import progress, track
from textkin.data.encode_arguments import at_once
from textkin.data.protocols import Encoder, Features, Scorer, Side, System
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.lucene_parts import Clauses, Counted, score_rows
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.text.baselines.pair_scoring import CHUNK, Lexical, dense_cosine
from textkin.vectors.groups.linkage import Edges
from textkin.vectors.index.lucene_postings import LexicalIndex
from textkin.vectors.join.nearest import Nearest, Searcher
from textkin.vectors.join.pair_list import either_way, joined, made

Searchable = Searcher | LexicalIndex | csr_array
"""Documents prepared for search."""

_DOCUMENTS_AT_ONCE = 8192
_NOTHING = np.uint64(2**64 - 1)
_HALF = np.uint64(32)
_SIGN = np.uint32(1 << 31)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Queries and documents in a scorer's space, where rows are compared.

    Lucene's scores are not products, so its queries and documents are clauses and counts.

    Attributes:
        name: the scorer's name in tables.
        queries: shape [queries, features].
        documents: of the same type. Shape [documents, features].
        floor: only documents with a higher score are found. For lexical scorers this excludes those that
            share no term with the query, and everything if the query's vector is zero. Shape [queries].
        compare: the function from some queries and as many documents to their scores. Shape [pairs].
    """

    name: str
    queries: Features | Clauses
    documents: Features | Counted
    floor: Floats32
    compare: Callable[[Any, Any], Floats32]

    def scores(self, queries: Ints, documents: Ints) -> Floats32:
        """The score of each query with its counterpart, both by number. Shape [pairs]."""
        found = np.empty(len(queries), dtype=np.float32)
        for start in range(0, len(queries), CHUNK):
            part = slice(start, start + CHUNK)
            found[part] = self.compare(self.queries[queries[part]], self.documents[documents[part]])
        return found


def _counterparts(clauses: Clauses, documents: Counted) -> Floats32:
    rows = np.arange(len(documents.norms))
    return score_rows(clauses, documents, rows, rows)


def place(scorer: Scorer, queries: Sequence[str], documents: Sequence[str]) -> Space:
    """Map texts to a scorer's space.

    Args:
        scorer: an encoder (cosines), a lexical scorer or Lucene's; others would have to score every pair
            separately.
        queries: texts of one side.
        documents: texts of the other side.

    Raises:
        UsageError: the scorer is none of these.
        DataError: the scorer returns vectors with NaN or infinity.
    """
    if isinstance(scorer, Lexical):
        floor = np.zeros(len(queries), dtype=np.float32)
        return Space(scorer.name, scorer.queries(queries), scorer.documents(documents), floor, scorer.compare)
    if isinstance(scorer, LuceneClassic):
        floor = np.zeros(len(queries), dtype=np.float32)
        return Space(scorer.name, scorer.clauses(queries), scorer.counted(documents), floor, _counterparts)
    if isinstance(scorer, Encoder):
        left = _vectors(scorer, queries, Side.QUERY)
        floor = np.where(left.any(axis=1), -np.inf, np.inf).astype(np.float32)
        return Space(scorer.name, left, _vectors(scorer, documents, Side.DOCUMENT), floor, dense_cosine)
    raise invalid(
        "model",
        scorer.name,
        expected="a model that can rank a whole corpus: an encoder, tfidf, tfidf-char, bm25, lucene-classic, "
        "minhash or mean-vectors",
    )


def searchable(documents: Features | Counted) -> Searchable:
    """Documents prepared for repeated calls of :func:`nearest`."""
    if isinstance(documents, Counted):
        return LexicalIndex(documents)
    return Searcher(documents) if isinstance(documents, np.ndarray) else documents


def nearest(
    queries: Features | Clauses,
    documents: Features | Counted | Searchable,
    depth: int,
    *,
    floor: Floats32,
) -> Ints:
    """The numbers of the ``depth`` best documents of each query, best first; ties by position.

    All many-to-many rankings of texts use this function. It holds one block of documents at a time.

    Args:
        queries: shape [queries, features].
        documents: of the same type as the queries; use :func:`searchable` for repeated calls. Shape
            [documents, features].
        depth: at least 1.
        floor: only documents with a higher score are found. Shape [queries].

    Returns:
        -1 after the last match. Shape [queries, depth].
    """
    ready = documents if isinstance(documents, Searcher | LexicalIndex) else searchable(documents)
    if isinstance(ready, LexicalIndex) or isinstance(queries, Clauses):
        asked = cast("Clauses", queries), depth
        return cast("LexicalIndex", ready).nearest(*asked).documents  # all its matches are above the floor
    if isinstance(ready, Searcher):
        return ready.nearest(np.asarray(queries), depth, floor=floor).documents
    return _of_sparse(csr_array(queries), ready, depth, floor)


def _of_sparse(queries: csr_array, documents: csr_array, depth: int, floor: Floats32) -> Ints:
    best = np.full((queries.shape[0], depth), _NOTHING)
    for start in range(0, documents.shape[0], _DOCUMENTS_AT_ONCE):
        scores = (queries @ documents[start : start + _DOCUMENTS_AT_ONCE].T).toarray()
        # Later documents lose ties, so only scores above the current last one can enter.
        better = scores > np.maximum(floor, _scores(best[:, -1]))[:, None]
        crowded = np.flatnonzero(np.count_nonzero(better, axis=1) > depth)
        if len(crowded):
            last = np.partition(scores[crowded], -depth, axis=1)[:, -depth]
            better[crowded] &= scores[crowded] >= last[:, None]
        best = _merge(best, scores, better, start)
    found: Ints = (best & np.uint64(2**32 - 1)).astype(np.int64)
    return np.where(best == _NOTHING, -1, found)


def _merge(best: NDArray[np.uint64], scores: Floats32, better: Bools, start: int) -> NDArray[np.uint64]:
    """The best of the documents found so far and a block that starts at number ``start``."""
    rows, columns = np.nonzero(better)
    counts = np.count_nonzero(better, axis=1)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    fresh = np.full((len(best), counts.max(initial=0)), _NOTHING)
    fresh[rows, places] = _keys(scores[rows, columns], start + columns)
    return np.sort(np.concatenate((best, fresh), axis=1), axis=1)[:, : best.shape[1]]


def _keys(scores: Floats32, documents: Ints) -> NDArray[np.uint64]:
    """Sort keys of documents: smaller for a higher score, then for a smaller number."""
    bits = (scores + np.float32(0.0)).view(np.uint32)  # adding zero turns -0.0 into 0.0
    descending = np.where(bits & _SIGN, bits, ~(bits | _SIGN))
    return (descending.astype(np.uint64) << _HALF) | documents.astype(np.uint64)


def _scores(keys: NDArray[np.uint64]) -> Floats32:
    """The scores in keys; minus infinity for empty ones."""
    descending = (keys >> _HALF).astype(np.uint32)
    bits = np.where(descending & _SIGN, descending, ~descending & ~_SIGN)
    return np.where(keys == _NOTHING, np.float32(-np.inf), bits.view(np.float32))


def _vectors(encoder: Encoder, texts: Sequence[str], side: Side) -> Floats32:
    """Unit vectors, shape [texts, dim], with bounded temporary memory."""
    units = np.empty((len(texts), encoder.dim), dtype=np.float32)
    if not texts:
        return units  # without progress
    window = at_once(encoder, CHUNK)
    with progress(f"encoding with {encoder.name}", total=len(texts)) as shown:
        for start in range(0, len(texts), window):
            vectors = encoder.encode(texts[start : start + window], side=side)
            if not np.isfinite(vectors).all():
                raise not_finite(encoder.name, "vectors")
            units[start : start + len(vectors)] = unit_rows(vectors)
            shown.advance(len(vectors))
    return units


class Retriever:
    """Texts prepared for repeated exact search.

    Args:
        scorer: an encoder, a lexical scorer or Lucene's.
        texts: the texts to search.

    Raises:
        UsageError: the scorer is none of these.
        DataError: the scorer returns vectors with NaN or infinity.

    Example:
        >>> from textkin.text.baselines.lucene_classic import LuceneClassic
        >>> texts = ["ice melts", "fire burns"]
        >>> Retriever(LuceneClassic.fit(texts), texts).found(["what burns"], 2).documents.tolist()
        [[1, -1]]
    """

    def __init__(self, scorer: Scorer, texts: Sequence[str]) -> None:
        self._scorer = scorer
        self._documents = place(scorer, (), texts).documents
        self._ready = searchable(self._documents)
        self._count = len(texts)

    def found(self, queries: Sequence[str], depth: int) -> Nearest:
        """The ``depth`` best texts of each query, best first; ties by position."""
        asked = place(self._scorer, queries, ())
        depth = min(depth, self._count)
        if isinstance(self._ready, LexicalIndex):
            return self._ready.nearest(cast("Clauses", asked.queries), depth)
        if isinstance(self._ready, Searcher):
            return self._ready.nearest(np.asarray(asked.queries), depth, floor=asked.floor)
        documents = nearest(asked.queries, self._ready, depth, floor=asked.floor)
        scores = np.full(documents.shape, -np.inf, dtype=np.float32)
        rows, columns = np.nonzero(documents >= 0)
        space = replace(asked, documents=self._documents)
        scores[rows, columns] = space.scores(rows, documents[rows, columns])
        return Nearest(documents, scores)


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
    return Space(scorer.name, vectors, vectors, floor, dense_cosine)


def _others(found: Ints, rows: Ints, depth: int) -> Bools:
    """True for found texts other than the row's own, at most ``depth`` per row.

    Shape [rows, depth + 1].
    """
    others: Bools = (found >= 0) & (found != rows[:, None])
    others &= np.cumsum(others, axis=1) <= depth
    return others
