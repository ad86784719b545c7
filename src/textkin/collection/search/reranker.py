"""A scorer of pairs that reorders the first hits of a search."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from textkin.base.errors import invalid, not_finite
from textkin.base.files import sha256_of_json
from textkin.data.ranking import best_first
from textkin.data.records import Hit
from textkin.kinds.systems import AnyModel, resolve, takes_frequencies
from textkin.models.passports.canaries import bundled_canaries
from textkin.models.provenance import folder_of, hash_of_scorer
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
                fix="to rank by words: `search()` with `mode=words`",
            )
        self.model = model
        self._scorer = resolve(model, fit_texts=())
        self.name = self._scorer.name
        self.truncation: Truncation | None = None

    @cached_property
    def sha256(self) -> str:
        """The hash of everything its scores depend on; without a folder, of its name and some scores.

        Raises:
            ModelError: the model can't be read.
        """
        if isinstance(self.model, str | Path):
            return hash_of_scorer(self.model)
        if (folder := folder_of(self._scorer)) is not None:
            return hash_of_scorer(folder)
        pairs = bundled_canaries().pairs
        scores = [f"{score:.3g}" for score in np.asarray(self._scorer.score(pairs)).tolist()]
        return sha256_of_json({"object": self.name, "scores": scores})

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
