"""A dense layer with its activation."""

from types import MappingProxyType
from typing import Literal

from torch import Tensor, nn

from textkin.base.errors import wrong_setting

Activation = Literal["tanh", "identity", "relu", "gelu", "sigmoid", "silu"]
_ACTIVATIONS = MappingProxyType(
    {
        "tanh": nn.Tanh,
        "identity": nn.Identity,
        "relu": nn.ReLU,
        "gelu": nn.GELU,
        "sigmoid": nn.Sigmoid,
        "silu": nn.SiLU,
    }
)


class Dense(nn.Module):
    """[B, inputs] to [B, width].

    Args:
        inputs: input width.
        width: output width.
        bias: add a bias.
        activation: the activation.

    Raises:
        UsageError: there is no such activation.
    """

    def __init__(
        self, inputs: int, *, width: int, bias: bool = True, activation: Activation = "tanh"
    ) -> None:
        super().__init__()
        if activation not in _ACTIVATIONS:
            raise wrong_setting("activation", activation, expected=f"one of: {', '.join(_ACTIVATIONS)}")
        self.linear = nn.Linear(inputs, width, bias=bias)
        self.activation = _ACTIVATIONS[activation]()
        self.width = width

    def forward(self, vectors: Tensor) -> Tensor:
        """The layer's output."""
        return self.activation(self.linear(vectors))
