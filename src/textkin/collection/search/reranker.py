"""A scorer of pairs that reorders the first hits of a search."""

from collections.abc import Sequence

import numpy as np

from textkin.base.errors import invalid, not_finite
from textkin.base.files import sha256_of_json
from textkin.data.ranking import best_first
from textkin.data.records import Hit
from textkin.kinds.systems import AnyModel, resolve, takes_frequencies
from textkin.models.provenance import hash_of_scorer
from textkin.text.truncation_account import Truncation, truncation_of_pairs

RERANKED_AT_ONCE = 16
"""The number of queries whose hits are reranked between two signs of progress."""


class Reranker:
    """Any scorer of pairs, such as a cross-encoder, which reads a query together with the text of each hit.

    Args:
        model: a folder, a cached model's name, a baseline that takes no word frequencies, or an object.

    Attributes:
        model: the given model.
        name: its name.
        sha256: the hash of everything its scores depend on; for an object, of its name.
        truncation: the number of scored pairs longer than its limit.

    Raises:
        UsageError: there is no such scorer, or it needs word frequencies from texts.
        ModelError: the model can't be read.
    """

    def __init__(self, model: AnyModel) -> None:
        if takes_frequencies(model):
            raise invalid(
                "rerank",
                str(model),
                expected="a model such as a cross-encoder: this one needs word frequencies",
                fix="to rank by words, give `mode=words`",
            )
        self.model = model
        self._scorer = resolve(model, fit_texts=())
        self.name = self._scorer.name
        named = isinstance(model, str) or hasattr(model, "__fspath__")
        self.sha256 = hash_of_scorer(model) if named else sha256_of_json({"object": self.name})
        self.truncation: Truncation | None = None

    def order(
        self, queries: Sequence[str], rankings: Sequence[Sequence[Hit]], texts: Sequence[Sequence[str]]
    ) -> list[list[Hit]]:
        """Sort the hits of each query by this scorer's scores, best first.

        Args:
            queries: the queries' texts.
            rankings: the hits of each query.
            texts: the text to read for each hit.

        Raises:
            DataError: a score isn't a finite number.
        """
        pairs = [(query, text) for query, own in zip(queries, texts, strict=True) for text in own]
        if not pairs:
            return [[] for _ in queries]
        told = truncation_of_pairs(self._scorer, pairs)
        if told is not None:
            self.truncation = told if self.truncation is None else self.truncation + told
        scores = np.asarray(self._scorer.score(pairs), dtype=np.float32)
        if not np.isfinite(scores).all():
            raise not_finite(self.name)
        numbers = iter(scores.tolist())
        return [best_first([Hit(hit.doc_id, next(numbers)) for hit in hits]) for hits in rankings]
