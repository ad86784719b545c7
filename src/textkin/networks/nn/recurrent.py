"""Recurrent layers over right-padded texts.

Padding follows the text, so a forward pass never sees it before a token, and needs no packing. A backward
pass runs over the tokens in reverse order, with padding left in place.
"""

from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.errors import wrong_setting
from textkin.networks.nn.keras_cells import Activation, KerasGRU, KerasLSTM

Cell = Literal["lstm", "gru", "keras-lstm", "keras-gru"]


class Recurrent(nn.Module):
    """A stack of LSTM or GRU layers: [B, L, D] to [B, L, H], or [B, L, 2H] when bidirectional.

    Keras stacked and reversed its layers likewise.

    Args:
        cell: the kind of the layers.
        dim: D.
        hidden: H of one direction.
        layers: the number of stacked layers.
        bidirectional: run over the text in both directions and concatenate the states.
        dropout: after each layer.
        activation: of Keras's cells; None for their default.

    Attributes:
        width: width of the states.

    Raises:
        UsageError: a size is below 1.
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
        activation: Activation | None = None,
    ) -> None:
        super().__init__()
        for name, value in (("dim", dim), ("hidden", hidden), ("layers", layers)):
            if value < 1:
                raise wrong_setting(name, value, expected="at least 1")
        directions = 2 if bidirectional else 1
        widths = [dim] + [hidden * directions] * (layers - 1)
        make = partial(_layer, cell, hidden=hidden, activation=activation)
        self.forwards = nn.ModuleList(map(make, widths))
        self.backwards = nn.ModuleList(map(make, widths if bidirectional else []))
        self.dropout = nn.Dropout(dropout)
        self.width = hidden * directions

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """States at every position; those at padding are meaningless."""
        states = inputs
        for layer, ahead in enumerate(self.forwards):
            output = _states(ahead, states, mask)
            if self.backwards:
                output = torch.cat([output, self._backward(layer, states, mask)], dim=-1)
            states = self.dropout(output)
        return states

    def _backward(self, layer: int, states: Tensor, mask: Tensor) -> Tensor:
        order = reversal(mask).unsqueeze(-1)
        turned = states.gather(1, order.expand_as(states))
        output = _states(self.backwards[layer], turned, mask)
        return output.gather(1, order.expand_as(output))


def _layer(cell: Cell, dim: int, *, hidden: int, activation: Activation | None) -> nn.Module:
    """One layer in one direction."""
    if cell in ("lstm", "gru"):
        return (nn.LSTM if cell == "lstm" else nn.GRU)(dim, hidden, batch_first=True)
    chosen = {} if activation is None else {"activation": activation}
    return (KerasLSTM if cell == "keras-lstm" else KerasGRU)(dim=dim, hidden=hidden, **chosen)


def _states(layer: nn.Module, inputs: Tensor, mask: Tensor) -> Tensor:
    """A layer's states at every position."""
    return layer(inputs)[0] if isinstance(layer, nn.RNNBase) else layer(inputs, mask)


def reversal(mask: Tensor) -> Tensor:
    """Positions that reverse each text, with padding left in place; its own inverse. Shape [B, L]."""
    positions = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
    turned = mask.sum(dim=1, keepdim=True) - 1 - positions
    return torch.where(mask, turned, positions)
