"""A dense layer with its activation."""

import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.nn.dense import Dense

pytestmark = pytest.mark.torch

FUNCTIONS = {
    "tanh": torch.tanh,
    "identity": lambda values: values,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "sigmoid": torch.sigmoid,
    "silu": torch.nn.functional.silu,
}


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("bias", [True, False])
def test_the_activation_follows_the_product(activation, bias):
    layer = Dense(3, width=2, bias=bias, activation=activation)
    assert layer.width == 2
    assert (layer.linear.bias is not None) == bias
    vectors = torch.randn(4, 3)
    product = vectors @ layer.linear.weight.T + (layer.linear.bias if bias else 0)
    torch.testing.assert_close(layer(vectors), FUNCTIONS[activation](product))


def test_an_unknown_activation_is_refused():
    with pytest.raises(UsageError) as error:
        Dense(3, width=2, activation="sine")
    assert error.value.params == ("activation",)
