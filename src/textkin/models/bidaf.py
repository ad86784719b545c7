"""BiDAF: bidirectional attention flow that points at the answer.

Source: Seo, Kembhavi, Farhadi and Hajishirzi, "Bidirectional Attention Flow for Machine Comprehension"
(2017).

Shapes: as in ``span_network.py``; H width of one direction.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.models.span_network import NoneLogits, SpanLogits, SpanNetwork, at_tokens
from textkin.nn.bidaf import BiDAF
from textkin.nn.characters import CharacterCNN
from textkin.nn.masking import masked_softmax
from textkin.nn.recurrent import Recurrent
from textkin.nn.word_vectors import Words, WordVectors


@final
class BidafSpans(SpanNetwork):
    """Seo et al. 2017, section 2: six layers, of which the first five are ``nn/bidaf.py``.

    The first token: w1 . [G; M]. The last one: w2 . [G; M2], where M2 is a BiLSTM over [G; M; a; M * a] and a
    is the mean of M weighted by the probabilities of the first token, as the published code has it (the paper
    alone reads as if M2 were a BiLSTM over M).

    Differences from the published code and its ports: padding has no share in attention and softmax, and the
    question's words all have their characters.

    Args:
        words: the tokens.
        char_dim: width of a character's vector.
        char_filters: filters over a token's characters.
        char_window: characters that a filter spans.
        hidden: H.
        highways: highway layers over words and characters.
        dropout: on what each BiLSTM takes and before the two linear layers.
        most: the most tokens of an answer; None for any number.
        answers_none: whether it can say that a window holds no answer.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        words: Words,
        *,
        char_dim: int = 8,
        char_filters: int = 100,
        char_window: int = 5,
        hidden: int = 100,
        highways: int = 2,
        dropout: float = 0.2,
        most: int | None = None,
        answers_none: bool = False,
    ) -> None:
        super().__init__(most=most, answers_none=answers_none)
        characters = (
            CharacterCNN(size=words.unit_size, dim=char_dim, filters=char_filters, window=char_window)
            if words.unit_size
            else None
        )
        self.layers = BiDAF(
            WordVectors(words, spelt=False),
            dim=words.dim,
            characters=characters,
            hidden=hidden,
            highways=highways,
            dropout=dropout,
        )
        self.first = nn.Linear(10 * hidden, 1, bias=False)
        self.ending = Recurrent(cell="lstm", dim=14 * hidden, hidden=hidden, bidirectional=True)
        self.last = nn.Linear(10 * hidden, 1, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.none = NoneLogits() if answers_none else None

    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of first and last tokens."""
        flow = self.layers(question, context)
        attended, modelled = flow.attended, flow.modelled
        start = self.first(self.dropout(torch.cat([attended, modelled], dim=-1))).squeeze(-1)
        share = masked_softmax(start, context.mask)
        summary = torch.einsum("bt,btd->bd", share, modelled).unsqueeze(1).expand_as(modelled)
        known = torch.cat([attended, modelled, summary, modelled * summary], dim=-1)
        ending: Tensor = self.ending(self.dropout(known), context.mask)
        end = self.last(self.dropout(torch.cat([attended, ending], dim=-1))).squeeze(-1)
        none = None if self.none is None else self.none(start)
        return SpanLogits(at_tokens(start, context.mask), at_tokens(end, context.mask), none)
