import math

import pytest
import torch

from textkin.base.errors import ConfigError
from textkin.networks.recipes.recipe import TrainingConfig
from textkin.training.optimisers import build_optimiser, build_schedule

pytestmark = pytest.mark.torch


def factors(steps=10, *, per_epoch=5, **settings):
    schedule = build_schedule(TrainingConfig(epochs=2, **settings), steps_per_epoch=per_epoch)
    return [schedule(step) for step in range(steps)]


def test_schedules_are_their_formulas():
    assert factors() == [1.0] * 10
    assert factors(warmup_steps=4) == [0.25, 0.5, 0.75, *[1.0] * 7]
    assert factors(schedule="linear") == pytest.approx([1 - step / 10 for step in range(10)])
    assert factors(schedule="linear", warmup_steps=2) == pytest.approx(
        [0.5, 1.0, *[1 - (step - 2) / 8 for step in range(2, 10)]]
    )
    assert factors(schedule="cosine") == pytest.approx(
        [(1 + math.cos(math.pi * step / 10)) / 2 for step in range(10)]
    )
    assert factors(schedule="exponential", decay=0.5) == [1.0] * 5 + [0.5] * 5
    halved = factors(14, per_epoch=2, schedule="exponential", decay=0.5, decay_every=3)
    assert halved == [1.0] * 6 + [0.5] * 6 + [0.25] * 2
    # trax: warm up to the peak at step n, then peak * sqrt(n / step); its steps count from 1.
    assert factors(schedule="rsqrt", warmup_steps=4) == pytest.approx(
        [min(step / 4, math.sqrt(4 / step)) for step in range(1, 11)]
    )


def test_no_schedule_goes_below_zero_after_the_last_step():
    for schedule in ("linear", "cosine"):
        assert factors(30, schedule=schedule, warmup_steps=3)[10:] == pytest.approx([0.0] * 20)


@pytest.mark.parametrize("name", ["adam", "adamw", "adadelta", "adamax", "rmsprop", "sgd"])
def test_optimisers_take_what_is_trained(name):
    frozen, trained = (
        torch.nn.Parameter(torch.ones(2), requires_grad=False),
        torch.nn.Parameter(torch.ones(3)),
    )
    settings = TrainingConfig(optimiser=name, learning_rate=0.25, weight_decay=0.5)
    optimiser = build_optimiser([frozen, trained], settings)
    assert type(optimiser).__name__.lower() == name
    (group,) = optimiser.param_groups
    assert (group["params"], group["lr"], group["weight_decay"]) == ([trained], 0.25, 0.5)


def test_rmsprop_is_its_formula():
    # Hinton's lecture 6e, as torch has it: a running mean of squares with a weight of .99.
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimiser = build_optimiser([weight], TrainingConfig(optimiser="rmsprop", learning_rate=0.1))
    expected, mean = [1.0, -2.0], [0.0, 0.0]
    for _ in range(4):
        optimiser.zero_grad()
        (weight**2).sum().backward()
        optimiser.step()
        for at in (0, 1):
            gradient = 2 * expected[at]
            mean[at] = 0.99 * mean[at] + 0.01 * gradient**2
            expected[at] -= 0.1 * gradient / (math.sqrt(mean[at]) + 1e-8)
    assert weight.tolist() == pytest.approx(expected, rel=1e-5)


def test_nothing_to_train_is_an_error():
    with pytest.raises(ConfigError) as error:
        build_optimiser([torch.nn.Parameter(torch.ones(2), requires_grad=False)], TrainingConfig())
    assert error.value.params == ("train_embedding",)
