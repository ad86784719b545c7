import pytest
import torch

from tests.reference.attention_flow import highway
from textkin.base.errors import UsageError
from textkin.networks.nn.highway import Highway

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_highways_are_the_plain_loop(layers):
    made = Highway(dim=4, layers=layers)
    inputs = torch.randn(2, 3, 4)
    weights = [(layer.weight.tolist(), layer.bias.tolist()) for layer in made.layers]
    expected = [[highway(vector, weights) for vector in text] for text in inputs.tolist()]
    torch.testing.assert_close(made(inputs), torch.tensor(expected), atol=1e-6, rtol=0)


def test_at_first_the_input_is_mostly_carried():
    made = Highway(dim=50)
    gates = made.layers[0](torch.randn(20, 50))[:, 50:].sigmoid()
    assert 0.65 < gates.mean() < 0.8


def test_less_than_no_layers_are_refused():
    with pytest.raises(UsageError, match="-1 highway layers"):
        Highway(dim=4, layers=-1)
