import pytest
import torch

from tests.reference.windows import region_maxima
from textkin.networks.nn.region_pooling import region_max

pytestmark = pytest.mark.torch

LENGTHS = [7, 0, 1, 3, 6]
MASK = torch.arange(7) < torch.tensor(LENGTHS)[:, None]


@pytest.mark.parametrize("regions", [1, 2, 3, 5, 9])
def test_it_is_the_plain_loop(regions):
    torch.manual_seed(0)
    states = torch.randn(5, 7, 4) - 1  # mostly negative: a maximum with padding's zeros would show
    found = region_max(states, MASK, regions=regions)
    for row, length in enumerate(LENGTHS):
        tokens = states[row, :length].tolist()
        expected = region_maxima(tokens, regions) if tokens else [[0.0] * 4] * regions
        torch.testing.assert_close(found[row], torch.tensor(expected))


def test_no_gradient_reaches_padding():
    states = torch.randn(5, 7, 4, requires_grad=True)
    region_max(states, MASK, regions=3).sum().backward()
    assert states.grad.isfinite().all()
    assert states.grad[~MASK].abs().sum() == 0
    assert states.grad[MASK].abs().sum() > 0
