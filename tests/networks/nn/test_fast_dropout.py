import pytest
import torch

from textkin.networks.nn.fast_dropout import FastDropout

pytestmark = pytest.mark.torch

RATE = 0.25


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_numbers_are_dropped_or_scaled_up(dtype):
    states = torch.full((300, 400), 3.0, dtype=dtype, requires_grad=True)
    torch.manual_seed(1)
    found = FastDropout(RATE)(states)
    found.sum().backward()
    factor = torch.tensor(1 / (1 - RATE), dtype=dtype)
    zero = found == 0
    assert zero.float().mean().item() == pytest.approx(RATE, abs=0.005)
    assert found[~zero].unique().tolist() == [(3 * factor).item()]
    assert torch.equal(states.grad, torch.where(zero, torch.zeros_like(factor), factor))


def test_the_seed_is_torchs_and_threads_do_not_matter():
    layer, states = FastDropout(RATE), torch.ones(100_000)
    torch.manual_seed(5)
    first, second = layer(states), layer(states)
    assert not torch.equal(first, second)
    threads = torch.get_num_threads()
    torch.manual_seed(5)
    torch.set_num_threads(3 - min(threads, 2))
    try:
        again = layer(states)
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(again, first)


def test_few_numbers_are_left_to_torch():
    states = torch.ones(64, 100)
    torch.manual_seed(2)
    found = FastDropout(RATE)(states)
    torch.manual_seed(2)
    assert torch.equal(found, torch.nn.Dropout(RATE)(states))


def test_nothing_is_dropped_outside_training():
    states = torch.ones(100_000)
    assert FastDropout(RATE).eval()(states) is states
    assert torch.equal(FastDropout(0.0)(states), states)
