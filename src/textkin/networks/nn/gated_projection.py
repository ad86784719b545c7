"""A gated dense layer."""

import torch
from torch import Tensor, nn


class GatedProjection(nn.Module):
    """sigmoid(V x + c) * tanh(U x + d): [..., D] to [..., H].

    An LSTM's input gate without the recurrence: Wang and Jiang 2017, "A Compare-Aggregate Model for Matching
    Text Sequences", equation 1.

    Args:
        dim: D.
        hidden: H.

    Attributes:
        width: H.
    """

    def __init__(self, *, dim: int, hidden: int) -> None:
        super().__init__()
        # One product computes the gates and the values.
        self.layer = nn.Linear(dim, 2 * hidden)
        self.width = hidden

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """The gated values; tokens are independent, so the mask is ignored."""
        gates, values = self.layer(inputs).chunk(2, dim=-1)
        return torch.sigmoid(gates) * torch.tanh(values)
