"""aNMM-1: weights belong to how similar two words are, not to where they stand.

Source: Yang, Ai, Guo and Croft, "aNMM: Ranking Short Answer Texts with Attention-Based Neural Matching Model"
(2016).

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, K bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor

from textkin.batches.padded import TextBatch
from textkin.models.matcher import Matcher
from textkin.nn.feed_forward import feed_forward
from textkin.nn.histogram import known_bins, similarity_sums
from textkin.nn.interaction import similarities
from textkin.nn.term_gate import Gate, TermGate
from textkin.nn.word_vectors import WordVectors


@final
class ANMM(Matcher):
    """Sums of cosines by bin for each word of the question, dense layers over them, the question's attention.

    A cosine counts for the weight of the bin that it falls in, so the first layer's weights are shared by
    value. Which bin that is has no gradient; the sums have one.

    Differences from the paper: one hidden layer (MatchZoo's way; ``hidden=[]`` leaves it out), and no sigmoid
    on what a word gives, which would bound the score.

    Args:
        size: number of token ids.
        pad_id: of padding.
        bins: K, the last of which holds exact matches.
        zero_ids: ids whose vectors stay zero.
        dim: D.
        hidden: widths of the dense layers but the last.
        dropout: on what each dense layer takes.
        unit_size: number of character n-gram ids; 0 ignores the spelling.
        train_embedding: False keeps the token vectors as they are.
        gate: what attention is made from: "embedding", the paper's, or "idf".
        outputs: 1 for a score, else the number of classes.

    Raises:
        UsageError: the gate is not known, or there are fewer than two bins.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        bins: int = 20,
        zero_ids: Sequence[int] = (),
        dim: int = 128,
        hidden: Sequence[int] = (20,),
        dropout: float = 0.0,
        unit_size: int = 0,
        train_embedding: bool = False,
        gate: Gate = "embedding",
        outputs: int = 1,
    ) -> None:
        super().__init__()
        self.words = WordVectors(
            unit_size=unit_size,
            size=size,
            dim=dim,
            zero_ids=zero_ids,
            pad_id=pad_id,
            trainable=train_embedding,
        )
        self.by_value = feed_forward(known_bins(bins), hidden, outputs, activation="tanh", dropout=dropout)
        self.attention = TermGate(gate, size=size, pad_id=pad_id, dim=dim)
        self.bins = bins
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        question = self.words(a)
        sums = similarity_sums(similarities(question, self.words(b)), b.mask, bins=self.bins)
        shares = self.attention(a, question).unsqueeze(1)
        scores: Tensor = (shares @ self.by_value(sums)).squeeze(1)
        return scores
