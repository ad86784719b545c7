"""ESIM: the sequential inference model, without its tree-based variant.

Source: Chen, Zhu, Ling, Wei, Jiang and Inkpen, "Enhanced LSTM for Natural Language Inference" (2017).

Shapes: as in ``matcher.py``; H width of one direction.
"""

from torch import Tensor, cat, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.attention import Alignment
from textkin.networks.nn.comparison import enhanced
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.pooling import masked_max, masked_mean
from textkin.networks.nn.recurrent import Cell, Recurrent
from textkin.networks.nn.text_dropout import TextDropout
from textkin.networks.nn.word_vectors import Words, WordVectors


class ESIM(Matcher):
    """BiLSTM, soft alignment both ways, comparison, a second BiLSTM over the comparisons, mean and maximum.

    Equations of the paper: contextual states (1, 2), dot products (11), alignment (12, 13), [a; a~; a - a~; a
    * a~] (14, 15), composition of their projection, mean and maximum over time (18 to 20), then a tanh layer.
    Both texts share every layer. Padding is excluded from alignment, means and maxima.

    The paper's H is 300 and its dropout 0.5, for eight times as many training pairs as ours.

    Args:
        hidden: H.
        cell: kind of both BiLSTMs: "lstm", or "gru", which has a quarter fewer weights.
        dropout: dropout on the token vectors, on the input of the second BiLSTM, and on the input of each
            dense layer.
    """

    def __init__(
        self, words: Words, *, hidden: int = 100, cell: Cell = "lstm", dropout: float = 0.3, outputs: int = 1
    ) -> None:
        super().__init__(outputs)
        self.words = WordVectors(words)
        self.context = Recurrent(cell=cell, dim=words.dim, hidden=hidden, bidirectional=True)
        self.align = Alignment(
            scores="attention weights e (equation 11)",
            for_a="attention of the first text to the second (equation 12)",
            for_b="attention of the second text to the first (equation 13)",
        )
        self.project = nn.Linear(8 * hidden, hidden)
        self.composition = Recurrent(cell=cell, dim=hidden, hidden=hidden, bidirectional=True)
        self.decide = feed_forward(8 * hidden, [hidden], outputs, activation="tanh", dropout=dropout)
        self.dropout = TextDropout(dropout)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self._read(a), self._read(b)
        for_a, for_b = self.align(of_a @ of_b.transpose(1, 2), of_a, of_b, a.mask, b.mask)
        pooled = [
            *self._pooled(enhanced(of_a, for_a), a.mask),
            *self._pooled(enhanced(of_b, for_b), b.mask),
        ]
        return self.decide(cat(pooled, dim=1))

    def _read(self, batch: TextBatch) -> Tensor:
        """States of a text's tokens in context. Shape [B, N or M, 2H]."""
        return self.context(self.dropout(self.words(batch)), batch.mask)

    def _pooled(self, compared: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and maximum of the composed comparisons of a text. Shape [B, 2H] each."""
        states = self.composition(self.dropout(self.project(compared).relu()), mask)
        return masked_mean(states, mask), masked_max(states, mask)
