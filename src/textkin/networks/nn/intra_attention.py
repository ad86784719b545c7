"""Self-attention of a text that depends on the distance of tokens.

Shapes: B texts, L tokens, D width of a token, H width for comparing tokens.
"""

import torch
from torch import Tensor, nn

from textkin.networks.nn.attention import attend
from textkin.networks.nn.feed_forward import feed_forward
from textkin.networks.nn.matrix_recorder import TextMatrix


class IntraAttention(nn.Module):
    """Each token concatenated with its counterpart in its own text: [B, L, D] to [B, L, 2D].

    Parikh et al. 2016, "A Decomposable Attention Model for Natural Language Inference", section 3.4: weights
    are softmax_j(F(x_i) . F(x_j) + d_(i-j)), where distances beyond ``farthest`` have one d for each side.

    Args:
        dim: D.
        hidden: H.
        farthest: the maximum distance with its own d.
        dropout: dropout on the input of each layer of F.
    """

    def __init__(self, *, dim: int, hidden: int, farthest: int = 10, dropout: float = 0.0) -> None:
        super().__init__()
        self.compared = feed_forward(dim, [hidden], hidden, dropout=dropout, per_text=True)
        self.shares = TextMatrix("intra-sentence attention", rows="own", columns="own", shares=True)
        self.distances = nn.Parameter(torch.zeros(2 * farthest + 3, 1))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Tokens and their counterparts; meaningless at padding."""
        compared = self.compared(tokens).relu()
        places = torch.arange(mask.shape[1], device=mask.device)
        beyond = len(self.distances) // 2
        which = (places.unsqueeze(1) - places).clamp(-beyond, beyond) + beyond
        # Not distances[which]: threads would sum the gradient in any order.
        bias = nn.functional.embedding(which, self.distances).squeeze(-1)
        found = attend(compared @ compared.transpose(1, 2) + bias, tokens, mask, shown=self.shares)
        return torch.cat([tokens, found], dim=-1)
