import pytest
import torch

from tests.reference.alignment import intra_attended
from textkin.networks.nn.intra_attention import IntraAttention

pytestmark = pytest.mark.torch

LENGTHS = [6, 1, 4, 0]
MASK = torch.arange(6) < torch.tensor(LENGTHS)[:, None]


def layer():
    made = IntraAttention(dim=3, hidden=2, farthest=2)
    torch.nn.init.normal_(made.distances)
    return made


def test_self_attention_with_distances_is_the_plain_loop():
    attention, tokens = layer(), 3 * torch.randn(4, 6, 3)
    found, seen = attention(tokens, MASK), attention.compared(tokens).relu()
    # Distances 0, 1 and 2 have separate biases, all greater ones share one, before and after.
    distances = dict(zip(range(-3, 4), attention.distances.flatten().tolist(), strict=True))
    for row, length in enumerate(LENGTHS):
        if length:
            expected = intra_attended(tokens[row, :length].tolist(), seen[row, :length].tolist(), distances)
            torch.testing.assert_close(found[row, :length], torch.tensor(expected), atol=1e-5, rtol=0)


def test_distances_have_the_same_gradient_however_many_threads_add_it_up():
    attention, tokens = IntraAttention(dim=3, hidden=2), torch.randn(60, 40, 3)
    gradients = []
    threads = torch.get_num_threads()
    try:
        for count in (1, 4):
            torch.set_num_threads(count)
            attention.zero_grad()
            attention(tokens, torch.ones(60, 40, dtype=torch.bool)).square().sum().backward()
            gradients.append(attention.distances.grad.clone())
    finally:
        torch.set_num_threads(threads)
    torch.testing.assert_close(gradients[0], gradients[1])
    assert gradients[0].abs().min() > 0
