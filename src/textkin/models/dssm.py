"""DSSM: bags of letter trigrams, dense layers, cosine.

Source: Huang, He, Gao, Deng, Acero and Heck, "Learning Deep Structured Semantic Models for Web Search using
Clickthrough Data" (2013), sections 3.1 (layers) and 3.2 (word hashing).

Shapes: B pairs, D width of the first layer, S width of the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.cosine_score import CosineScore
from textkin.nn.feed_forward import feed_forward
from textkin.nn.letter_ngrams import LetterNgrams
from textkin.nn.sizes import check_sizes


@final
class DSSM(Matcher):
    """Counts of letter trigrams, dense layers with tanh that both texts share, cosine.

    It reads words by their spelling alone: pretrained word vectors lend it nothing but their width, which
    becomes that of the first layer.

    Differences from the paper: trigrams are hashed by the pipeline's spelling, not listed; the smoothing
    factor of its softmax over documents is the trained slope of a linear function of the cosine, so that any
    loss may follow, and classes too. MatchZoo rectifies its layers; the paper's, and ours, have tanh.

    Args:
        size: number of token ids; like ``zero_ids`` and ``train_embedding`` it is taken because every
            architecture takes it, and means nothing here.
        pad_id: of padding.
        hidden: widths of the layers after the first one; the last is S.
        zero_ids: see ``size``.
        unit_size: number of character n-gram ids.
        dim: D.
        dropout: on what each layer after the first one takes.
        outputs: 1 for a score, else the number of classes.
        train_embedding: see ``size``.

    Raises:
        UsageError: there are no n-grams or no layers, or a size is less than 1.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        hidden: Sequence[int] = (300, 128),
        zero_ids: Sequence[int] = (),
        unit_size: int = 0,
        dim: int = 300,
        dropout: float = 0.1,
        outputs: int = 1,
        train_embedding: bool = True,
    ) -> None:
        super().__init__()
        check_sizes(hidden=hidden)
        self.ngrams = LetterNgrams(unit_size=unit_size, dim=dim)
        self.bias = nn.Parameter(torch.zeros(dim))
        *between, last = hidden
        self.layers = feed_forward(dim, between, last, activation="tanh", dropout=dropout)
        self.score = CosineScore(outputs=outputs)
        self.pad_id = pad_id
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        vectors = self._vectors(TextBatch.joined([a, b], pad_id=self.pad_id))
        scores: Tensor = self.score(vectors[: len(a)], vectors[len(a) :])
        return scores

    def _vectors(self, batch: TextBatch) -> Tensor:
        """One vector a text. Shape [B, S]."""
        first = torch.tanh(self.ngrams.whole(batch) + self.bias)
        return torch.tanh(self.layers(first))
