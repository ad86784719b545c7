"""The moving average of weights, compared with a loop in plain numbers."""

from __future__ import annotations

import pytest
import torch

from textkin.training.weight_average import WeightAverage

pytestmark = pytest.mark.torch


def test_it_is_a_loop_over_the_steps() -> None:
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    module[0].bias.requires_grad_(False)
    average = WeightAverage(module, decay=0.7)
    trained = {name: one for name, one in module.named_parameters() if one.requires_grad}
    expected = {name: one.detach().double() for name, one in trained.items()}
    for _ in range(9):
        module(torch.randn(4, 3))  # which moves the buffers
        with torch.no_grad():
            for name, weight in trained.items():
                weight += torch.randn_like(weight)
                expected[name] = 0.7 * expected[name] + (1 - 0.7) * weight.double()
        average.update()
    own = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    with average.in_place():
        for name, tensor in module.state_dict().items():
            wanted = expected[name].float() if name in expected else own[name]
            torch.testing.assert_close(tensor, wanted, rtol=1e-5, atol=1e-6)
        assert not torch.allclose(module[0].weight, own["0.weight"])
    assert all(torch.equal(tensor, own[name]) for name, tensor in module.state_dict().items())


def test_the_weights_are_back_after_an_error_too() -> None:
    module = torch.nn.Linear(2, 1)
    average = WeightAverage(module, decay=0.5)
    with torch.no_grad():
        module.weight.fill_(3.0)
    with pytest.raises(KeyboardInterrupt), average.in_place():
        raise KeyboardInterrupt
    assert module.weight.tolist() == [[3.0, 3.0]]


def test_a_decay_of_zero_is_the_weights_themselves() -> None:
    module = torch.nn.Linear(2, 1)
    average = WeightAverage(module, decay=0.0)
    with torch.no_grad():
        module.weight.fill_(3.0)
    average.update()
    with average.in_place():
        assert module.weight.tolist() == [[3.0, 3.0]]
