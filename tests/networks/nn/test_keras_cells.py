"""The GRU and LSTM of old Keras, alone, stacked and in both directions."""

import pytest
import torch
from torch import nn

from tests.reference.nn import keras_gru, keras_lstm
from textkin.base.errors import UsageError
from textkin.networks.nn.keras_cells import KerasGRU, KerasLSTM
from textkin.networks.nn.recurrent import Recurrent

pytestmark = pytest.mark.torch

LENGTHS = torch.tensor([5, 1, 3, 4])
MASK = torch.arange(5) < LENGTHS[:, None]
CELLS = {"keras-gru": (KerasGRU, keras_gru, "sigmoid"), "keras-lstm": (KerasLSTM, keras_lstm, "tanh")}


def made(cell, **settings):
    """A layer with biases that a wrong order of gates would show."""
    torch.manual_seed(1)
    layer = CELLS[cell][0](dim=3, hidden=2, **settings)
    nn.init.normal_(layer.inputs.bias)
    return layer


def weights(layer):
    parts = {name: getattr(layer, name, None) for name in ("inputs", "gates", "candidate", "states")}
    found = {name: part.weight.tolist() for name, part in parts.items() if part is not None}
    return {**found, "bias": layer.inputs.bias.tolist()}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
def test_it_is_the_plain_loop(cell, activation):
    layer = made(cell, activation=activation)
    inputs = 3 * torch.randn(4, 5, 3)
    found = layer(inputs, MASK)
    for row, length in enumerate(LENGTHS.tolist()):
        expected = CELLS[cell][1](inputs[row, :length].tolist(), weights(layer), activation=activation)
        torch.testing.assert_close(found[row, :length], torch.tensor(expected), atol=1e-6, rtol=0)
        # A masked step copies the state.
        assert torch.equal(found[row, length:], found[row, length - 1].expand(5 - length, -1))


@pytest.mark.parametrize("cell", CELLS)
def test_layers_and_directions_are_loops_over_loops(cell):
    torch.manual_seed(2)
    stack = Recurrent(cell=cell, dim=3, hidden=2, layers=2, bidirectional=True)
    inputs = 3 * torch.randn(4, 5, 3)
    found = stack(inputs, MASK)
    _, oracle, activation = CELLS[cell]
    for row, length in enumerate(LENGTHS.tolist()):
        tokens = inputs[row, :length].tolist()
        for ahead, back in zip(stack.forwards, stack.backwards, strict=True):
            there = oracle(tokens, weights(ahead), activation=activation)
            again = oracle(tokens[::-1], weights(back), activation=activation)[::-1]
            tokens = [one + other for one, other in zip(there, again, strict=True)]
        torch.testing.assert_close(found[row, :length], torch.tensor(tokens), atol=1e-6, rtol=0)


@pytest.mark.parametrize("cell", CELLS)
def test_it_starts_as_keras_did(cell):
    layer = CELLS[cell][0](dim=7, hidden=5)
    biases = layer.inputs.bias.tolist()
    assert biases == ([0.0] * 15 if cell == "keras-gru" else [0.0] * 5 + [1.0] * 5 + [0.0] * 10)
    of_states = (
        (*layer.gates.weight.chunk(2), layer.candidate.weight)
        if cell == "keras-gru"
        else layer.states.weight.chunk(4)
    )
    for block in of_states:
        torch.testing.assert_close(block @ block.T, torch.eye(5))
    assert layer.inputs.weight.abs().max() <= (6 / (7 + 5)) ** 0.5
    with pytest.raises(UsageError) as error:
        CELLS[cell][0](dim=7, hidden=5, activation="relu")
    assert error.value.params == ("activation",)
