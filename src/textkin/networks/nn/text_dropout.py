"""Dropout that is equal for all tokens of a text."""

import torch
from torch import Tensor, nn


class TextDropout(nn.Module):
    """Dropout drawn once per text, [B, L, D] to [B, L, D]: all tokens keep a feature, or none does.

    Gal and Ghahramani 2016, "A Theoretically Grounded Application of Dropout in Recurrent Neural Networks".
    It draws L times fewer random numbers than elementwise dropout, whose draws cost as much as the layers on
    a CPU.

    Args:
        rate: fraction to drop.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """The states, in training with dropped features at zero and the others scaled up."""
        if not self.training or self.rate == 0:
            return states
        kept = states.new_ones(states.shape[0], 1, states.shape[2])
        return states * torch.dropout(kept, self.rate, train=True)
