"""aNMM-1: weights depend on the similarity of two words, not on their positions.

Source: Yang, Ai, Guo and Croft, "aNMM: Ranking Short Answer Texts with Attention-Based Neural Matching Model"
(2016).

Shapes: as in ``matcher.py``; K bins.
"""

from collections.abc import Sequence

from torch import Tensor

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.histogram import known_bins, similarity_sums
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.term_gate import Gate, TermGate
from textkin.networks.nn.word_vectors import Words, WordVectors


class ANMM(Matcher):
    """Sums of cosines by bin for each word of the question, dense layers over them, the question's attention.

    A cosine counts with the weight of its bin, so the first layer's weights are shared by value. The choice
    of bin has no gradient; the sums have one.

    Differences from the paper: one hidden layer (MatchZoo's way; ``hidden=[]`` omits it), and no sigmoid on a
    word's output, which would bound the score.

    Args:
        bins: K, the last of which holds exact matches.
        hidden: widths of the dense layers but the last.
        dropout: dropout on the input of each dense layer.
        gate: the input of the attention: "embedding", the paper's, or "idf".

    Raises:
        UsageError: the gate is not known, or there are fewer than two bins.
    """

    def __init__(
        self,
        words: Words,
        *,
        bins: int = 20,
        hidden: Sequence[int] = (20,),
        dropout: float = 0.0,
        gate: Gate = "embedding",
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        self.words = WordVectors(words)
        self.by_value = feed_forward(known_bins(bins), hidden, outputs, activation="tanh", dropout=dropout)
        self.attention = TermGate(gate, size=words.size, pad_id=words.pad_id, dim=words.dim)
        self.cosines = TextMatrix("matching matrix P: cosines")
        self.bins = bins

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        question = self.words(a)
        cosines = self.cosines(similarities(question, self.words(b)))
        sums = similarity_sums(cosines, b.mask, bins=self.bins)
        shares = self.attention(a, question).unsqueeze(1)
        return (shares @ self.by_value(sums)).squeeze(1)
