import pytest
import torch

from tests.reference.nn import pooled
from tests.reference.recurrent import read
from textkin.base.errors import UsageError
from textkin.networks.nn.pooling import final_states, pool, unit
from textkin.networks.nn.recurrent import Recurrent

pytestmark = pytest.mark.torch

LENGTHS = [5, 0, 1, 3]
HOW = ["mean", "sum", "last", "max", "first", "weighted-mean", "root-mean"]
MASK = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


@pytest.mark.parametrize("how", HOW)
def test_pooling_is_the_plain_loop(how):
    torch.manual_seed(0)
    states = torch.randn(4, 5, 3) - 1  # mostly negative: a maximum with padding's zeros would show
    expected = [pooled(states[row].tolist(), length, how) for row, length in enumerate(LENGTHS)]
    torch.testing.assert_close(pool(states, MASK, how=how), torch.tensor(expected), atol=1e-6, rtol=0)


@pytest.mark.parametrize("how", HOW)
def test_no_gradient_reaches_padding_and_none_is_nan(how):
    states = torch.randn(4, 5, 3, requires_grad=True)
    unit(pool(states, MASK, how=how)).sum().backward()
    assert states.grad.isfinite().all()
    assert states.grad[~MASK].abs().sum() == 0


def test_long_texts_keep_their_mean_in_half_precision():
    # bfloat16 can't count beyond 256: the count must not be made in it.
    states = torch.ones(1, 1001, 2, dtype=torch.bfloat16)
    assert pool(states, torch.ones(1, 1001, dtype=torch.bool), how="mean").float().sub(1).abs().max() < 0.005


def test_an_unknown_pooling_is_refused():
    with pytest.raises(UsageError) as error:
        pool(torch.zeros(4, 5, 3), MASK, how="median")
    assert error.value.params == ("pooling",)


def test_unit_vectors_and_the_zero_vector():
    vectors = torch.tensor([[3.0, 4.0], [0.0, 0.0], [1e-15, 0.0]], requires_grad=True)
    found = unit(vectors)
    torch.testing.assert_close(found, torch.tensor([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]]))
    found[:2].sum().backward()
    assert vectors.grad.isfinite().all()
    assert vectors.grad[1].tolist() == [0, 0]
    half = unit(torch.tensor([[3.0, 4.0]], dtype=torch.bfloat16))
    assert half.dtype == torch.float32
    assert abs(half.norm().item() - 1) < 1e-6


def test_final_states_are_those_that_torch_gives_each_text_alone():
    layer = Recurrent(cell="lstm", dim=3, hidden=4, bidirectional=True)
    lengths = [5, 1, 0, 3]
    mask = torch.arange(5) < torch.tensor(lengths)[:, None]
    inputs = torch.randn(4, 5, 3)
    ahead, back = final_states(layer(inputs, mask), mask)
    for row, length in enumerate(lengths):
        expected = read(layer, inputs[row, :length])[1] if length else torch.zeros(2, 4)
        torch.testing.assert_close(torch.stack([ahead[row], back[row]]), expected, atol=1e-6, rtol=0)
