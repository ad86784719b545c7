"""Decomposable attention: align, compare, add up; without word order or recurrence.

Source: Parikh, Täckström, Das and Uszkoreit, "A Decomposable Attention Model for Natural Language Inference"
(2016).

Shapes: as in ``matcher.py``; H width of hidden layers.
"""

from torch import Tensor, nn

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.attention import Alignment
from textkin.networks.nn.comparison import joined
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.intra_attention import IntraAttention
from textkin.networks.nn.pooling import masked_sum
from textkin.networks.nn.word_vectors import Words, WordVectors


class DecomposableAttention(Matcher):
    """Attend (section 3.1), compare (3.2), aggregate (3.3): three networks of two layers each.

    Token vectors are projected to H without bias, as in the paper, which keeps them fixed and of unit length;
    padding is excluded from attention and sums.

    Args:
        hidden: H.
        intra: let each text attend to itself first (section 3.4), which adds some word order.
        dropout: dropout on the input of each layer.
    """

    def __init__(
        self, words: Words, *, hidden: int = 200, intra: bool = False, dropout: float = 0.2, outputs: int = 1
    ) -> None:
        super().__init__(outputs)
        self.words = WordVectors(words)
        self.project = nn.Linear(words.dim, hidden, bias=False)
        self.intra = IntraAttention(dim=hidden, hidden=hidden, dropout=dropout) if intra else None
        width = 2 * hidden if intra else hidden
        self.attend = feed_forward(width, [hidden], hidden, dropout=dropout, per_text=True)
        self.align = Alignment(
            scores="attention weights e (equation 1)",
            for_a="attention of the first text to the second (equation 2, β)",
            for_b="attention of the second text to the first (equation 2, α)",
        )
        self.compare = feed_forward(2 * width, [hidden], hidden, dropout=dropout, per_text=True)
        self.aggregate = feed_forward(2 * hidden, [hidden], outputs, dropout=dropout)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self._read(a), self._read(b)
        similar = self.attend(of_a).relu() @ self.attend(of_b).relu().transpose(1, 2)
        for_a, for_b = self.align(similar, of_a, of_b, a.mask, b.mask)
        summed = [
            masked_sum(self.compare(joined(states, found)).relu(), text.mask)
            for states, found, text in ((of_a, for_a, a), (of_b, for_b, b))
        ]
        return self.aggregate(joined(*summed))

    def _read(self, batch: TextBatch) -> Tensor:
        """Projected tokens, with self-attention of twice the width. Shape [B, N or M, H or 2H]."""
        states: Tensor = self.project(self.words(batch))
        return states if self.intra is None else self.intra(states, batch.mask)
