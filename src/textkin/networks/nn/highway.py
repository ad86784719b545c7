"""Layers that may let their input through."""

from __future__ import annotations

from typing import final

from torch import Tensor, nn

from textkin.base.errors import UsageError


@final
class Highway(nn.Module):
    """Layers y = g * x + (1 - g) * relu(W x + b) with gates g = sigmoid(V x + c): [..., D] to [..., D].

    After Srivastava et al. 2015, "Highway Networks", written with the gate that carries the input. At first
    it carries most of it (c = 1), so that what follows trains from the start, as they advise.

    Args:
        dim: D.
        layers: how many follow each other; 0 changes nothing.

    Raises:
        UsageError: there are less than 0 layers.
    """

    def __init__(self, *, dim: int, layers: int = 1) -> None:
        super().__init__()
        if layers < 0:
            raise UsageError(f"there are {layers} highway layers, expected 0 or more")
        # One product makes the candidates and the gates.
        self.layers = nn.ModuleList(nn.Linear(dim, 2 * dim) for _ in range(layers))
        for name, bias in self.layers.named_parameters():
            if name.endswith("bias"):
                nn.init.ones_(bias[dim:])

    def forward(self, inputs: Tensor) -> Tensor:
        """The layers, one after another."""
        for layer in self.layers:
            candidates, gates = layer(inputs).chunk(2, dim=-1)
            new = candidates.relu()
            inputs = new + gates.sigmoid() * (inputs - new)
        return inputs
