import math

import pytest
import torch

from tests.reference.alignment import affine
from textkin.networks.nn.gated_projection import GatedProjection

pytestmark = pytest.mark.torch


def test_gates_and_values_are_the_plain_loop():
    layer = GatedProjection(dim=3, hidden=2)
    inputs = 3 * torch.randn(2, 4, 3)
    found = layer(inputs, torch.ones(2, 4, dtype=torch.bool))
    assert found.shape == (2, 4, layer.width)
    for row in range(2):
        for place in range(4):
            both = affine(
                [layer.layer.weight.tolist(), layer.layer.bias.tolist()], inputs[row, place].tolist()
            )
            expected = [math.tanh(both[2 + h]) / (1 + math.exp(-both[h])) for h in range(2)]
            torch.testing.assert_close(found[row, place], torch.tensor(expected), atol=1e-6, rtol=0)
