"""DRMM: for each word of the question, a histogram of how well the words of the answer match it.

Source: Guo, Fan, Ai and Croft, "A Deep Relevance Matching Model for Ad-hoc Retrieval" (2016).

Shapes: B pairs, N tokens of a, M tokens of b, D width of token vectors, K bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from torch import Tensor

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.models.matcher import Matcher
from textkin.nn.feed_forward import feed_forward
from textkin.nn.histogram import Histogram, known_bins, known_histogram, match_histogram
from textkin.nn.interaction import similarities
from textkin.nn.term_gate import Gate, TermGate
from textkin.nn.word_vectors import WordVectors


@final
class DRMM(Matcher):
    """Match histograms, dense layers that all words of the question share, a sum weighted by the term gate.

    No gradient passes the histograms, so word vectors are fixed by default; trained, they learn from the gate
    alone. The paper's best is ``histogram="LCH", gate="idf"``.

    Differences from the paper: the last dense layer is linear instead of tanh, which would bound the score.
    MatchZoo starts counts at 1, which the first layer's bias makes up for.

    Args:
        histogram: "CH", "NH" or "LCH"; see ``nn/histogram.py``.
        bins: K, the last of which counts exact matches.
        gate: what the weights of words are made from: "idf" or "embedding".
        hidden: widths of the dense layers but the last.
        size: number of token ids.
        pad_id: of padding.
        zero_ids: ids whose vectors stay zero.
        dim: D.
        train_embedding: False keeps the token vectors as they are.
        outputs: 1 for a score, else the number of classes.

    Raises:
        UsageError: the histogram or the gate is not known, there are fewer than two bins, or vectors shall be
            trained that no gradient reaches.
    """

    def __init__(  # noqa: PLR0913 - a recipe's [model.arguments] are these names
        self,
        *,
        histogram: Histogram = "LCH",
        bins: int = 30,
        gate: Gate = "embedding",
        hidden: Sequence[int] = (10,),
        size: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        dim: int = 128,
        train_embedding: bool = False,
        outputs: int = 1,
    ) -> None:
        super().__init__()
        if train_embedding and gate == "idf":
            raise UsageError(
                "train_embedding is true, but no gradient passes a histogram or the gate 'idf'",
                fix="set train_embedding = false, or gate = 'embedding'",
            )
        self.words = WordVectors(
            size=size, dim=dim, pad_id=pad_id, zero_ids=zero_ids, trainable=train_embedding
        )
        self.gate = TermGate(gate, size=size, pad_id=pad_id, dim=dim)
        self.match = feed_forward(known_bins(bins), hidden, outputs, activation="tanh")
        self.histogram: Histogram = known_histogram(histogram)
        self.bins = bins
        self.outputs = outputs

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a = self.words(a)
        cosines = similarities(of_a, self.words(b))
        matched = self.match(match_histogram(cosines, b.mask, bins=self.bins, kind=self.histogram))
        scores: Tensor = (self.gate(a, of_a).unsqueeze(2) * matched).sum(dim=1)
        return scores
