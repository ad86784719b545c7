"""Recurrent layers over right-padded texts.

Padding follows the text, so a forward pass never sees it before a token, and needs no packing. A backward
pass runs over the tokens in reverse order, with padding left in place.
"""

from __future__ import annotations

from typing import Literal, final

import torch
from torch import Tensor, nn

Cell = Literal["lstm", "gru"]


@final
class Recurrent(nn.Module):
    """A stack of LSTM or GRU layers: [B, L, D] to [B, L, H], or [B, L, 2H] when bidirectional.

    Args:
        cell: the kind of the layers.
        dim: D.
        hidden: H of one direction.
        layers: the number of stacked layers.
        bidirectional: run over the text in both directions and concatenate the states.
        dropout: after each layer.

    Attributes:
        width: width of the states.
    """

    def __init__(
        self,
        *,
        cell: Cell,
        dim: int,
        hidden: int,
        layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        make = nn.LSTM if cell == "lstm" else nn.GRU
        directions = 2 if bidirectional else 1
        widths = [dim] + [hidden * directions] * (layers - 1)
        self.forwards = nn.ModuleList(make(width, hidden, batch_first=True) for width in widths)
        self.backwards = nn.ModuleList(
            make(width, hidden, batch_first=True) for width in (widths if bidirectional else [])
        )
        self.dropout = nn.Dropout(dropout)
        self.width = hidden * directions

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """States at every position; those at padding are meaningless."""
        states = inputs
        for layer, ahead in enumerate(self.forwards):
            output = ahead(states)[0]
            if self.backwards:
                output = torch.cat([output, self._backward(layer, states, mask)], dim=-1)
            states = self.dropout(output)
        return states

    def _backward(self, layer: int, states: Tensor, mask: Tensor) -> Tensor:
        order = reversal(mask).unsqueeze(-1)
        turned = states.gather(1, order.expand_as(states))
        output: Tensor = self.backwards[layer](turned)[0]
        return output.gather(1, order.expand_as(output))


def reversal(mask: Tensor) -> Tensor:
    """Positions that reverse each text, with padding left in place; its own inverse. Shape [B, L]."""
    positions = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
    turned = mask.sum(dim=1, keepdim=True) - 1 - positions
    return torch.where(mask, turned, positions)
