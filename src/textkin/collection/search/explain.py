"""Explain a hit: each query word's contribution, and each token's part of the cosine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.printable import shortened, visible_line
from textkin.collection.collection_model import CollectionModel
from textkin.collection.search.options import Mode
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.protocols import Encoder, Side
from textkin.kinds.explanation import (
    Explained,
    TokenWeight,
    explain,
    explanation_tables,
    shares_of,
    word_table,
)
from textkin.kinds.systems import AnyModel
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters
from textkin.text.baselines.pair_scoring import dense_cosine

_LONGEST = 160  # characters of a text that was found
_SAME = 1e-6  # the cosine and the sum of its contributions


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """An explanation of a hit.

    Attributes:
        query: the query.
        text: the text found.
        words: each word of the query and its contribution to the BM25 score, in order; empty if words aren't
            used.
        cosine: the tokens of both and their contributions to the cosine of their vectors; None if vectors
            aren't used.
        reranked: the same for the reranker's score; None without a reranker.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?", "When do you open?"])
        ...     [hit] = notes.search("park here", k=1, mode="words").hits[0]
        ...     [found] = notes.explain("park here", [hit.text], mode="words")
        ...     [one.token for one in found.words], abs(found.bm25 - hit.score) < 1e-6
        (['park', 'here'], True)
    """

    query: str
    text: str
    words: tuple[TokenWeight, ...] = ()
    cosine: Explained | None = None
    reranked: Explained | None = None

    @property
    def bm25(self) -> float:
        """The sum of the words' contributions."""
        return sum(one.weight for one in self.words)

    def tables(self, *, top: int = 3) -> str:
        """The words' contributions to BM25, and the tokens' to other scores, as tables."""
        parts = [f"\n{shortened(visible_line(self.text), _LONGEST)}"]
        if self.words:
            parts += [f"bm25: What each word of the query adds sums to the score, {self.bm25:.4f}."]
            parts += [word_table(self.words)]
        parts += [explanation_tables(one, top=top) for one in (self.cosine, self.reranked) if one is not None]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values, with all digits; unused parts are null."""
        words = [{"token": one.token, "weight": one.weight} for one in self.words]
        return {
            "bm25": {"score": self.bm25, "words": words} if words else None,
            "cosine": None if self.cosine is None else self.cosine.to_dict(),
            "reranked": None if self.reranked is None else self.reranked.to_dict(),
        }


def explain_hits(
    store: CollectionStore,
    model: CollectionModel,
    query: str,
    texts: Sequence[str],
    *,
    windows: Sequence[str] | None = None,
    mode: Mode = "hybrid",
    rerank: AnyModel | None = None,
    bm25: Bm25Parameters = BM25,
) -> tuple[ExplainedHit, ...]:
    """Explain why a query finds texts of a collection.

    Args:
        store: the collection, whose entries determine the weights of words.
        model: its model.
        query: the query.
        texts: the texts found.
        windows: the part of each text that is most similar to the query, which a reranker reads, too; the
            whole text if None.
        mode: the search mode: words, vectors, or both.
        rerank: the scorer that reordered them, if any.
        bm25: the parameters of BM25.

    Raises:
        ModelError: a model doesn't exist, or has changed.
        DataError: the collection is damaged.
    """
    words = store.word_shares(query, texts, bm25) if mode != "vectors" else [[] for _ in texts]
    encoder = None if mode == "words" else model.opened()
    return tuple(
        ExplainedHit(
            query,
            text,
            tuple(TokenWeight(word, share) for word, share in own),
            None if encoder is None else explain_cosine(encoder, query, window),
            None if rerank is None else explain(rerank, query, window),
        )
        for text, window, own in zip(texts, windows or texts, words, strict=True)
    )


def explain_cosine(encoder: Encoder, query: str, text: str) -> Explained:
    """Explain the cosine of a query and a document.

    If both sides are encoded alike and vectors are sums over tokens, the contributions are exact; otherwise
    each word is left out in turn.
    """
    sided = QueryCosine(encoder)
    shares = shares_of(encoder, query, text)
    exact = shares is not None and abs(shares.score - float(sided.score([(query, text)])[0])) <= _SAME
    return explain(encoder if exact else sided, query, text)


class QueryCosine:
    """An encoder's cosines of queries and documents, each encoded as its kind.

    Args:
        encoder: the encoder of the vectors.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def name(self) -> str:
        """The name in tables."""
        return self._encoder.name

    @property
    def members(self) -> tuple[Encoder, ...]:
        """The encoder, which reports truncation and unknown tokens."""
        return (self._encoder,)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """The cosine of each query with its document. Shape [pairs]."""
        queries = self._encoder.encode([query for query, _ in pairs], side=Side.QUERY)
        documents = self._encoder.encode([text for _, text in pairs], side=Side.DOCUMENT)
        return dense_cosine(np.asarray(queries), np.asarray(documents))
