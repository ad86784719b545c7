"""ESIM: the sequential inference model, without its twin over parse trees.

Source: Chen, Zhu, Ling, Wei, Jiang and Inkpen, "Enhanced LSTM for Natural Language Inference" (2017).

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, H width of one direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.attention import align
from textkin.nn.comparison import enhanced
from textkin.nn.feed_forward import feed_forward
from textkin.nn.pooling import masked_max, masked_mean
from textkin.nn.recurrent import Cell, Recurrent
from textkin.nn.text_dropout import TextDropout
from textkin.nn.word_vectors import WordVectors


@final
class ESIM(Matcher):
    """BiLSTM, soft alignment both ways, comparison, a second BiLSTM over the comparisons, mean and maximum.

    Equations of the paper: contextual states (1, 2), dot products (11), alignment (12, 13), [a; a~; a - a~;
    a * a~] (14, 15), composition of their projection, mean and maximum over time (18 to 20), then a tanh
    layer. Both texts share every layer. Padding takes no part in alignment, means and maxima.

    The paper's H is 300 and its dropout 0.5, for eight times the training pairs of ours.

    Args:
        size: number of token ids.
        pad_id: of padding.
        zero_ids: ids whose vectors stay zero.
        hidden: H.
        cell: of both BiLSTMs: "lstm", or "gru", which has a quarter fewer weights.
        dim: D.
        dropout: on the token vectors, on what the second BiLSTM takes, and on what each dense layer takes.
        train_embedding: False keeps the token vectors as they are.
        outputs: 1 for a score, else the number of classes.
        unit_size: number of character n-gram ids; 0 ignores the spelling.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        hidden: int = 100,
        cell: Cell = "lstm",
        dim: int = 128,
        dropout: float = 0.3,
        train_embedding: bool = True,
        outputs: int = 1,
        unit_size: int = 0,
    ) -> None:
        super().__init__()
        self.outputs = outputs
        self.words = WordVectors(
            size=size,
            dim=dim,
            pad_id=pad_id,
            zero_ids=zero_ids,
            trainable=train_embedding,
            unit_size=unit_size,
        )
        self.context = Recurrent(cell=cell, dim=dim, hidden=hidden, bidirectional=True)
        self.project = nn.Linear(8 * hidden, hidden)
        self.composition = Recurrent(cell=cell, dim=hidden, hidden=hidden, bidirectional=True)
        self.decide = feed_forward(8 * hidden, [hidden], outputs, activation="tanh", dropout=dropout)
        self.dropout = TextDropout(dropout)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self._read(a), self._read(b)
        for_a, for_b = align(of_a @ of_b.transpose(1, 2), of_a, of_b, a.mask, b.mask)
        pooled = [
            *self._pooled(enhanced(of_a, for_a), a.mask),
            *self._pooled(enhanced(of_b, for_b), b.mask),
        ]
        scores: Tensor = self.decide(torch.cat(pooled, dim=1))
        return scores

    def _read(self, batch: TextBatch) -> Tensor:
        """States of a text's tokens in context. Shape [B, N or M, 2H]."""
        states: Tensor = self.context(self.dropout(self.words(batch)), batch.mask)
        return states

    def _pooled(self, compared: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and maximum of the composed comparisons of a text. Shape [B, 2H] each."""
        states = self.composition(self.dropout(self.project(compared).relu()), mask)
        return masked_mean(states, mask), masked_max(states, mask)
