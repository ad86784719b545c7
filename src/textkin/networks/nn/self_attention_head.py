"""An attention head in which a text attends to itself through two LSTMs.

Shapes: B texts, L tokens, D width of a token, H width of one direction of an LSTM.
"""

from torch import Tensor, nn

from textkin.networks.nn.attention import attend
from textkin.networks.nn.matrix_recorder import TextMatrix
from textkin.networks.nn.recurrent import Recurrent


class SelfAttentionHead(nn.Module):
    """For each token the mean of its text's states, weighted by softmax_j(query_i . key_j).

    Seo et al. 2018, "Phrase-Indexed Question Answering: A New Challenge for Scalable Document Comprehension":
    keys and queries are states of BiLSTMs over the text, values are the input states.

    Args:
        dim: D.
        hidden: H.
        faithful: use the keys as queries, too, as the published code does by mistake.
        shown: records its attention weights.
    """

    def __init__(
        self, *, dim: int, hidden: int, faithful: bool = False, shown: TextMatrix | None = None
    ) -> None:
        super().__init__()
        self.shown = shown
        self.keys = Recurrent(cell="lstm", dim=dim, hidden=hidden, bidirectional=True)
        self.queries = (
            None if faithful else Recurrent(cell="lstm", dim=dim, hidden=hidden, bidirectional=True)
        )

    def forward(self, states: Tensor, mask: Tensor, *, first: bool = False) -> Tensor:
        """The attended vector of each token, or of the first one alone; meaningless at padding.

        Returns:
            Shape [B, L, D], or [B, 1, D] for the first token; zero for a text without tokens.
        """
        keys: Tensor = self.keys(states, mask)
        queries: Tensor = keys if self.queries is None else self.queries(states, mask)
        if first:
            queries = queries[:, :1]
        return attend(queries @ keys.transpose(1, 2), states, mask, shown=self.shown)
