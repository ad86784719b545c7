"""DRMM-TKS: DRMM with each word's strongest matches in the place of a histogram of all.

Source: MatchZoo (Fan et al. 2017, "MatchZoo: A Toolkit for Deep Text Matching"), which has it as DRMM_TKS.

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, K matches of a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.models.matcher import Matcher
from textkin.nn.interaction import similarities
from textkin.nn.term_gate import Gate, TermGate
from textkin.nn.top_k import top_k
from textkin.nn.word_vectors import WordVectors


@final
class DRMMTKS(Matcher):
    """The K largest cosines of each word of a, a dense layer over them, a sum weighted by the term gate.

    Differences from MatchZoo: words are cut to no length and padding has no part, neither in the gate nor
    among the strongest matches, where zeros fill the places that a short b leaves. The last layer is linear:
    a softplus there gives no score below zero. Classes have logits of their own, where MatchZoo makes them
    from the one score.

    Args:
        size: number of token ids.
        pad_id: of padding.
        dim: D.
        k: K.
        hidden: width of the dense layer.
        dropout: on what it gives.
        gate: what the weights of words are made from: "idf" or "embedding".
        zero_ids: ids whose vectors stay zero.
        unit_size: number of character n-gram ids; 0 ignores the spelling.
        outputs: 1 for a score, else the number of classes.
        train_embedding: False keeps the token vectors as they are.

    Raises:
        UsageError: k is less than 1, or the gate is not known.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        size: int,
        pad_id: int,
        dim: int = 128,
        k: int = 10,
        hidden: int = 100,
        dropout: float = 0.5,
        gate: Gate = "embedding",
        zero_ids: Sequence[int] = (),
        unit_size: int = 0,
        outputs: int = 1,
        train_embedding: bool = False,
    ) -> None:
        super().__init__()
        if k < 1:
            raise UsageError(f"k is {k}, expected 1 or more")
        self.gate = TermGate(gate, size=size, pad_id=pad_id, dim=dim)
        self.words = WordVectors(
            trainable=train_embedding,
            size=size,
            zero_ids=zero_ids,
            pad_id=pad_id,
            dim=dim,
            unit_size=unit_size,
        )
        self.match = nn.Sequential(
            nn.Linear(k, hidden), nn.Softplus(), nn.Dropout(dropout), nn.Linear(hidden, outputs)
        )
        self.k = k
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        vectors = self.words(a)
        cosines = similarities(vectors, self.words(b))
        strongest = top_k(cosines, b.mask.unsqueeze(1), k=self.k)
        weighted: Tensor = self.gate(a, vectors).unsqueeze(2) * self.match(strongest)
        return weighted.sum(dim=1)
