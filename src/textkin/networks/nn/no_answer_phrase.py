"""The learnt phrase that represents no answer."""

import torch
from torch import Tensor, nn


class Nothing(nn.Module):
    """The learnt phrase that represents no answer, the same in all passages.

    Args:
        width: D.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.zeros(2, width))
        self.prior = nn.Parameter(torch.zeros(2))

    def forward(self, first: Tensor, last: Tensor) -> Tensor:
        """Logits of no first and no last token for questions: [B, D] twice to [B, 2]."""
        products = torch.stack([first @ self.vectors[0], last @ self.vectors[1]], dim=1)
        return products + self.prior
