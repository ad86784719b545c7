"""Dense layers on top of features."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Literal

from torch import nn

from textkin.base.errors import wrong_setting
from textkin.networks.nn.text_dropout import TextDropout

Activation = Literal["relu", "tanh", "softplus"]
_ACTIVATIONS = MappingProxyType({"relu": nn.ReLU, "tanh": nn.Tanh, "softplus": nn.Softplus})


def feed_forward(
    inputs: int,
    hidden: Sequence[int],
    outputs: int,
    *,
    activation: Activation = "relu",
    dropout: float = 0.0,
    per_text: bool = False,
) -> nn.Sequential:
    """Dense layers with activations in between; the last one is linear, so scores are unbounded.

    Args:
        inputs: width of the features.
        hidden: width of each layer but the last.
        outputs: output width.
        activation: after each hidden layer.
        dropout: dropout on the input of each layer.
        per_text: the layers run over tokens [B, L, inputs], and dropout is drawn once per text.

    Raises:
        UsageError: there is no such activation.
    """
    if activation not in _ACTIVATIONS:
        raise wrong_setting("activation", activation, expected=f"one of: {', '.join(_ACTIVATIONS)}")
    drop = TextDropout if per_text else nn.Dropout
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [drop(dropout), nn.Linear(inputs, width), _ACTIVATIONS[activation]()]
        inputs = width
    return nn.Sequential(*layers, drop(dropout), nn.Linear(inputs, outputs))
