import pytest
import torch

from tests.reference.matching_matrix import strongest
from textkin.networks.nn.top_k import top_k

pytestmark = pytest.mark.torch

LENGTHS = [6, 2, 0]
MASK = torch.arange(6) < torch.tensor(LENGTHS)[:, None]


@pytest.mark.parametrize("k", [1, 3, 6, 9])
def test_the_largest_come_first_then_zeros(k):
    values = torch.randn(3, 4, 6) - 1
    expected = [
        [strongest(row[:length], k) for row in rows]
        for rows, length in zip(values.tolist(), LENGTHS, strict=True)
    ]
    assert torch.equal(top_k(values, MASK.unsqueeze(1), k=k), torch.tensor(expected))


def test_no_gradient_reaches_padding():
    values = torch.randn(3, 4, 6, requires_grad=True)
    top_k(values, MASK.unsqueeze(1), k=3).sum().backward()
    assert values.grad.sum(dim=2).tolist() == [[3.0] * 4, [2.0] * 4, [0.0] * 4]
    assert values.grad[~MASK.unsqueeze(1).expand(-1, 4, -1)].abs().sum() == 0
