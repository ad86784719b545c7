"""Dense layers on top of features."""

import pytest
import torch

from textkin.base.errors import UsageError
from textkin.networks.nn.feed_forward import feed_forward

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("activation", ["relu", "tanh", "softplus"])
def test_the_last_dense_layer_is_linear(activation):
    layers = feed_forward(4, [6, 5], 2, activation=activation, dropout=0.5).eval()
    widths = [part.weight.shape for part in layers if isinstance(part, torch.nn.Linear)]
    assert widths == [(6, 4), (5, 6), (2, 5)]
    assert isinstance(layers[-1], torch.nn.Linear)
    function = {"relu": torch.relu, "tanh": torch.tanh, "softplus": torch.nn.functional.softplus}[activation]
    states = torch.randn(3, 4)
    linear = [part for part in layers if isinstance(part, torch.nn.Linear)]
    torch.testing.assert_close(layers(states), linear[2](function(linear[1](function(linear[0](states))))))
    with pytest.raises(UsageError) as error:
        feed_forward(4, [], 1, activation="sine")
    assert error.value.params == ("activation",)


def test_layers_over_tokens_can_drop_whole_texts():
    layers = feed_forward(6, [5], 4, dropout=0.5, per_text=True)
    tokens = torch.randn(1, 1, 6).expand(8, 3, 6)
    found = layers(tokens)
    # Equal tokens stay equal within a text, and differ between texts.
    assert torch.equal(found, found[:, :1].expand_as(found))
    assert len(found[:, 0].unique(dim=0)) > 1
    plain = feed_forward(6, [5], 4, dropout=0.5)(tokens)
    assert not torch.equal(plain, plain[:, :1].expand_as(plain))
