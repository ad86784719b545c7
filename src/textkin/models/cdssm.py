"""CDSSM: letter trigrams of words, convolution over words, maximum over time, cosine.

Source: Shen, He, Gao, Deng and Mesnil, "A Latent Semantic Model with Convolutional-Pooling Structure for
Information Retrieval" (2014), section 3.

Shapes: B pairs, L tokens, D filters, S width of a text's vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.cosine_score import CosineScore
from textkin.nn.ngram_convolution import NgramConvolution
from textkin.nn.pooling import masked_max
from textkin.nn.sizes import check_sizes


@final
class CDSSM(Matcher):
    """Filters over windows of words that are counts of letter trigrams, their maxima, a dense layer, cosine.

    Both texts share the layers. Words are read by their spelling alone: pretrained word vectors lend nothing
    but their width, which becomes the number of filters.

    Differences from the paper: trigrams are hashed by the pipeline's spelling rather than listed; a linear
    function of the cosine, which can make classes as well, has the place of the smoothing factor in the
    paper's softmax over documents; beyond a text's ends stand words without trigrams. MatchZoo's CDSSM
    convolves word vectors instead, and takes the maximum over padding as well.

    Args:
        size: number of token ids; like ``zero_ids`` and ``train_embedding`` it is taken because every
            architecture takes it, and means nothing here.
        pad_id: of padding.
        width: words that a filter spans.
        zero_ids: see ``size``.
        dim: D.
        hidden: S.
        unit_size: number of character n-gram ids.
        dropout: on the maxima.
        train_embedding: see ``size``.
        outputs: 1 for a score, else the number of classes.

    Raises:
        UsageError: there are no n-grams, or a size is less than 1.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        width: int = 3,
        zero_ids: Sequence[int] = (),
        dim: int = 128,
        hidden: int = 128,
        unit_size: int = 0,
        dropout: float = 0.1,
        train_embedding: bool = True,
        outputs: int = 1,
    ) -> None:
        super().__init__()
        self.outputs = outputs
        self.pad_id = pad_id
        check_sizes(width=width, hidden=hidden)
        self.convolution = NgramConvolution(unit_size=unit_size, filters=dim, width=width)
        self.dense = nn.Linear(dim, hidden, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.score = CosineScore(outputs=outputs)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        both = self._vectors(TextBatch.joined([a, b], pad_id=self.pad_id))
        scores: Tensor = self.score(both[: len(a)], both[len(a) :])
        return scores

    def _vectors(self, batch: TextBatch) -> Tensor:
        """One vector a text. Shape [B, S]."""
        highest = masked_max(torch.tanh(self.convolution(batch)), batch.mask)
        return torch.tanh(self.dense(self.dropout(highest)))
