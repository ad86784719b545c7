"""Match-LSTM: an LSTM over the hypothesis that looks at the premise before each word.

Source: Wang and Jiang, "Learning Natural Language Inference with LSTM" (2016).

Shapes: B pairs, N tokens of a (the premise), M tokens of b (the hypothesis), D width of token vectors, H
width of states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.attentive_lstm import AttentiveLSTM
from textkin.nn.feed_forward import feed_forward
from textkin.nn.pooling import last_state
from textkin.nn.recurrent import Recurrent
from textkin.nn.text_dropout import TextDropout
from textkin.nn.word_vectors import WordVectors


@final
class MatchLSTM(Matcher):
    """An LSTM over each text, the match-LSTM over their states, its last state, a linear layer.

    Both texts share the first LSTM, as in the published code. The state that decides is that of b's own last
    token, and the premise's padding has no share in the attention.

    Args:
        size: number of token ids.
        pad_id: of padding.
        zero_ids: ids whose vectors stay zero.
        dim: D.
        hidden: H of both LSTMs.
        bidirectional: read both texts in both directions before they are matched.
        dropout: on the token vectors and before the last layer.
        unit_size: number of character n-gram ids; 0 ignores the spelling.
        train_embedding: False keeps the token vectors as they are.
        outputs: 1 for a score, else the number of classes.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        dim: int = 128,
        hidden: int = 150,
        bidirectional: bool = False,
        dropout: float = 0.3,
        unit_size: int = 0,
        train_embedding: bool = True,
        outputs: int = 1,
    ) -> None:
        super().__init__()
        self.words = WordVectors(
            size=size,
            pad_id=pad_id,
            zero_ids=zero_ids,
            dim=dim,
            unit_size=unit_size,
            trainable=train_embedding,
        )
        self.read = Recurrent(cell="lstm", dim=dim, hidden=hidden, bidirectional=bidirectional)
        self.match = AttentiveLSTM(dim=self.read.width, hidden=hidden)
        self.decide = feed_forward(hidden, (), outputs, dropout=dropout)
        self.dropout = TextDropout(dropout)
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        matched = self.match(self._read(b), self._read(a), a.mask)
        scores: Tensor = self.decide(last_state(matched, b.mask))
        return scores

    def _read(self, batch: TextBatch) -> Tensor:
        """States of a text's tokens. Shape [B, N or M, H or 2H]."""
        states: Tensor = self.read(self.dropout(self.words(batch)), batch.mask)
        return states
