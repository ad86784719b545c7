"""Late interaction's sum of best matches."""

import pytest
import torch

from textkin.networks.nn.max_sim import max_sim

pytestmark = pytest.mark.torch


def test_padding_never_wins():
    vectors = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    mask = torch.tensor([[True, False]])
    both = torch.ones_like(mask)
    assert max_sim(-vectors, vectors, a_mask=both, b_mask=mask).tolist() == [-1.0]
    assert max_sim(vectors, vectors, a_mask=mask, b_mask=both).tolist() == [1.0]
    assert max_sim(vectors, vectors, a_mask=both, b_mask=~both).tolist() == [0.0]


def test_equals_the_loops():
    generator = torch.Generator().manual_seed(0)
    a, b = torch.randn(3, 4, 5, generator=generator), torch.randn(3, 6, 5, generator=generator)
    a_mask, b_mask = (
        torch.rand(3, 4, generator=generator) < 0.6,
        torch.rand(3, 6, generator=generator) < 0.6,
    )
    expected = [
        sum(
            max(float(a[row, i] @ b[row, j]) for j in range(6) if b_mask[row, j])
            for i in range(4)
            if a_mask[row, i] and b_mask[row].any()
        )
        for row in range(3)
    ]
    found = max_sim(a, b, a_mask=a_mask, b_mask=b_mask)
    torch.testing.assert_close(found, torch.tensor(expected))
