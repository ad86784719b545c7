"""The GRU of old Keras."""

import pytest
import torch
from torch import nn

from tests.reference.nn import keras_gru
from textkin.base.errors import UsageError
from textkin.networks.nn.keras_gru import KerasGRU

pytestmark = pytest.mark.torch

LENGTHS = torch.tensor([5, 1, 3, 4])


MASK = torch.arange(5) < LENGTHS[:, None]


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_it_is_the_plain_loop(activation):
    torch.manual_seed(1)
    layer = KerasGRU(dim=3, hidden=2, activation=activation)
    nn.init.normal_(layer.inputs.bias)  # zero at first: a wrong bias would not show
    inputs = 3 * torch.randn(4, 5, 3)
    weights = {
        "inputs": layer.inputs.weight.tolist(),
        "bias": layer.inputs.bias.tolist(),
        "gates": layer.gates.weight.tolist(),
        "candidate": layer.candidate.weight.tolist(),
    }
    found = layer(inputs, MASK)
    for row, length in enumerate(LENGTHS.tolist()):
        expected = keras_gru(inputs[row, :length].tolist(), weights, activation=activation)
        torch.testing.assert_close(found[row, :length], torch.tensor(expected), atol=1e-6, rtol=0)
        # A masked step copies the state.
        assert torch.equal(found[row, length:], found[row, length - 1].expand(5 - length, -1))


def test_it_starts_as_keras_did():
    layer = KerasGRU(dim=7, hidden=5)
    assert layer.inputs.bias.abs().sum() == 0
    for block in (*layer.gates.weight.chunk(2), layer.candidate.weight):
        torch.testing.assert_close(block @ block.T, torch.eye(5))
    assert layer.inputs.weight.abs().max() <= (6 / (7 + 5)) ** 0.5
    with pytest.raises(UsageError) as error:
        KerasGRU(dim=7, hidden=5, activation="relu")
    assert error.value.params == ("activation",)
