"""Compare-aggregate: align, compare word by word, aggregate with a convolution.

Source: Wang and Jiang, "A Compare-Aggregate Model for Matching Text Sequences" (2017).

Shapes: as in ``matcher.py``, a being the question and b the answer; H width of hidden states.
"""

from collections.abc import Sequence
from typing import Literal

from torch import Tensor, nn, tanh

from textkin.base.errors import wrong_setting
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.attention import attend
from textkin.networks.nn.comparison import Comparing, Comparison
from textkin.networks.nn.convolution import TokenConvolution
from textkin.networks.nn.gated_projection import GatedProjection
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.pooling import masked_max
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.text_dropout import TextDropout
from textkin.networks.nn.word_vectors import Words, WordVectors

Reading = Literal["gate", "lstm", "bilstm"]


class CompareAggregate(Matcher):
    """Gated word vectors, attention of b to a, a comparison, filters of several widths, a dense layer.

    Each token of b attends to the tokens of a and to a zero row, for tokens without a counterpart in a
    (equation 2 with the row of the authors' code). The attended vector is compared with the token itself.
    Filters run over the comparisons, and the maximum response of each is kept.

    Differences from the published code: padding is excluded; there a batch is one pair, so it needs no masks.
    Zeros surround every text, so filters reach over its ends for WikiQA as they do there for SNLI. For WikiQA
    that code omits the attention's linear layer (``project=False`` here) and never trains the layer of "nn",
    "submult-nn" and "ntn"; here it is trained. For SNLI it reads with an LSTM, as with ``reads="lstm"``, and
    has no dense layer before the last one; here there always is one.

    Args:
        reads: "gate" for equation 1, which processes each token alone; "lstm" or "bilstm" for states in
            context.
        comparison: "mult", "sub", "submult-nn", "nn", "euccos" or "ntn"; see ``nn/comparison.py``.
        hidden: H, and the filters of each width.
        widths: widths of the filters.
        project: add a linear layer on a's states before the attention's dot products.
        dropout: dropout on the token vectors and before the last layer.

    Raises:
        UsageError: there is no such reading or comparison.
    """

    def __init__(
        self,
        words: Words,
        *,
        reads: Reading = "gate",
        comparison: Comparing = "submult-nn",
        hidden: int = 150,
        widths: Sequence[int] = (1, 2, 3, 4, 5),
        project: bool = True,
        dropout: float = 0.04,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if reads not in ("gate", "lstm", "bilstm"):
            raise wrong_setting("reads", reads, expected="'gate', 'lstm' or 'bilstm'")
        self.words = WordVectors(words)
        self.read: GatedProjection | Recurrent
        if reads == "gate":
            self.read = GatedProjection(dim=words.dim, hidden=hidden)
        else:
            self.read = Recurrent(cell="lstm", dim=words.dim, hidden=hidden, bidirectional=reads == "bilstm")
        width = self.read.width
        self.project = nn.Linear(width, width) if project else None
        self.shares = TextMatrix("attention G", rows="b", columns="a", shares=True)
        self.comparison = Comparison(how=comparison, dim=width, hidden=hidden)
        self.filters = TokenConvolution(dim=self.comparison.width, filters=hidden, widths=widths)
        self.dense = nn.Linear(len(widths) * hidden, hidden)
        self.dropout = TextDropout(dropout)
        self.decide = nn.Sequential(nn.Dropout(dropout), nn.Linear(hidden, outputs))

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        of_a, of_b = self._read(a), self._read(b)
        compared = self.comparison(of_b, self._counterparts(of_b, of_a, a.mask))
        strongest = masked_max(self.filters(compared, b.mask), b.mask)
        return self.decide(tanh(self.dense(strongest)))

    def _read(self, batch: TextBatch) -> Tensor:
        """States of a text's tokens. Shape [B, N or M, H or 2H]."""
        return self.read(self.dropout(self.words(batch)), batch.mask)

    def _counterparts(self, of_b: Tensor, of_a: Tensor, mask: Tensor) -> Tensor:
        """The counterpart in a of each token of b. Shape [B, M, H or 2H]."""
        if self.project is None:
            scores = of_b @ of_a.transpose(1, 2)
            zero_row = scores.new_zeros(*scores.shape[:2], 1)
            return attend(scores, of_a, mask, zero_row=zero_row, shown=self.shares)
        scores = of_b @ self.project(of_a).transpose(1, 2)
        # The zero row goes through the linear layer too, which makes it the bias.
        zero_row = (of_b @ self.project.bias).unsqueeze(2)
        return attend(scores, of_a, mask, zero_row=zero_row, shown=self.shares)
