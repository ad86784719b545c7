import pytest
import torch

from tests.reference.windows import tensor_score
from textkin.networks.nn.neural_tensor import Bilinear, NeuralTensor

pytestmark = pytest.mark.torch


def test_a_bilinear_form_is_the_plain_loop():
    torch.manual_seed(0)
    layer = Bilinear(dim=3)
    torch.nn.init.constant_(layer.constant, 0.3)
    a, b = torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    expected = [
        [[tensor_score(u, v, layer.matrices[0].tolist(), 0.3) for v in second] for u in first]
        for first, second in zip(a.tolist(), b.tolist(), strict=True)
    ]
    torch.testing.assert_close(layer(a, b), torch.tensor(expected).unsqueeze(1))


def test_a_neural_tensor_is_the_plain_loop():
    torch.manual_seed(0)
    layer = NeuralTensor(dim=3, slices=2)
    a, b = torch.randn(2, 4, 3), torch.randn(2, 5, 3)
    found = layer(a, b)
    weights = torch.cat([layer.over_a.weight, layer.over_b.weight], dim=1).tolist()
    for one in range(2):
        matrix, constant = layer.matrices[one].tolist(), layer.over_a.bias[one].item()
        expected = [
            [[max(0.0, tensor_score(u, v, matrix, constant, weights[one])) for v in second] for u in first]
            for first, second in zip(a.tolist(), b.tolist(), strict=True)
        ]
        torch.testing.assert_close(found[:, one], torch.tensor(expected))
