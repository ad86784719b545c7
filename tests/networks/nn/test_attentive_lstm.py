import pytest
import torch

from tests.reference.alignment import attentive_lstm
from textkin.networks.nn.attentive_lstm import AttentiveLSTM

pytestmark = pytest.mark.torch

M, N = [3, 1, 4, 2], [2, 4, 0, 1]
MEMORY_MASK = torch.arange(4) < torch.tensor(N)[:, None]


def test_states_are_the_plain_loop():
    layer = AttentiveLSTM(dim=3, hidden=2)
    for weight in layer.parameters():
        weight.data.mul_(3)  # weights and gates far from uniform
    inputs, memory = torch.randn(4, 4, 3), torch.randn(4, 4, 3)
    found = layer(inputs, memory, MEMORY_MASK)
    weights = {
        "memory": layer.of_memory.weight.tolist(),
        "inputs": layer.of_inputs.weight.tolist(),
        "bias": layer.of_inputs.bias.tolist(),
        "state": layer.of_state.weight.tolist(),
        "scores": layer.scores.weight[0].tolist(),
    }
    for row, (m, n) in enumerate(zip(M, N, strict=True)):
        expected = attentive_lstm(inputs[row, :m].tolist(), memory[row, :n].tolist(), weights)
        torch.testing.assert_close(found[row, :m], torch.tensor(expected), atol=1e-5, rtol=0)


def test_no_gradient_reaches_the_memorys_padding():
    layer = AttentiveLSTM(dim=3, hidden=2)
    memory = torch.randn(4, 4, 3, requires_grad=True)
    layer(torch.randn(4, 4, 3), memory, MEMORY_MASK).square().sum().backward()
    assert memory.grad.isfinite().all()
    assert memory.grad[~MEMORY_MASK].abs().sum() == 0
    assert (memory.grad[MEMORY_MASK].abs().sum(dim=1) > 0).all()
