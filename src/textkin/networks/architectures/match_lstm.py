"""Match-LSTM: an LSTM over the hypothesis that attends to the premise before each word.

Source: Wang and Jiang, "Learning Natural Language Inference with LSTM" (2016).

Shapes: as in ``matcher.py``, a being the premise and b the hypothesis; H width of states.
"""

from torch import Tensor

from textkin.networks.architectures.matcher import Matcher
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.attentive_lstm import AttentiveLSTM
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.pooling import last_state
from textkin.networks.nn.recurrent import Recurrent
from textkin.networks.nn.text_dropout import TextDropout
from textkin.networks.nn.word_vectors import Words, WordVectors


class MatchLSTM(Matcher):
    """An LSTM over each text, the match-LSTM over their states, its last state, a linear layer.

    Both texts share the first LSTM, as in the published code. The deciding state is that of b's own last
    token, and the premise's padding is excluded from attention.

    Args:
        hidden: H of both LSTMs.
        bidirectional: read both texts in both directions before they are matched.
        dropout: dropout on the token vectors and before the last layer.
    """

    def __init__(
        self,
        words: Words,
        *,
        hidden: int = 150,
        bidirectional: bool = False,
        dropout: float = 0.3,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        self.words = WordVectors(words)
        self.read = Recurrent(cell="lstm", dim=words.dim, hidden=hidden, bidirectional=bidirectional)
        self.match = AttentiveLSTM(dim=self.read.width, hidden=hidden)
        self.decide = feed_forward(hidden, (), outputs, dropout=dropout)
        self.dropout = TextDropout(dropout)

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs. Shape [B, outputs]."""
        matched = self.match(self._read(b), self._read(a), a.mask)
        return self.decide(last_state(matched, b.mask))

    def _read(self, batch: TextBatch) -> Tensor:
        """States of a text's tokens. Shape [B, N or M, H or 2H]."""
        return self.read(self.dropout(self.words(batch)), batch.mask)
