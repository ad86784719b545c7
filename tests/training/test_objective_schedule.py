from __future__ import annotations

from itertools import islice

import pytest

from tests.training.making import IN_BATCH, LOGISTIC, figures, prepare, recipe, run, same_weights
from textkin.networks.recipes.recipe import Turns
from textkin.training.objective_schedule import steps_of_epoch, turns_of_epoch

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("together", [(0, 1, 2)] * 4),
        ("round-robin", [(0,), (1,), (2,)] * 4),
    ],
)
def test_turns_come_round(kind: Turns, expected: list[tuple[int, ...]]) -> None:
    batches = [4, 9, 1]
    assert steps_of_epoch(kind, batches) == len(expected)
    assert list(islice(turns_of_epoch(kind, batches, seed=0, epoch=0), len(expected))) == expected


def test_turns_in_proportion() -> None:
    batches = [4, 9, 1]
    epochs = [list(turns_of_epoch("proportional", batches, seed=3, epoch=epoch)) for epoch in (0, 0, 1)]
    assert epochs[0] == epochs[1] != epochs[2]
    assert steps_of_epoch("proportional", batches) == len(epochs[0])
    for epoch in epochs:
        assert sorted(epoch) == [(0,)] * 4 + [(1,)] * 9 + [(2,)]


@pytest.mark.parametrize("kind", ["together", "round-robin", "proportional"])
def test_an_epoch_goes_once_through_the_first_objective(kind, tmp_path):
    made = recipe(LOGISTIC, IN_BATCH, turns=kind, epochs=2)
    first, second = (objective.steps for objective in prepare(made)[1])
    wanted = {"together": first, "round-robin": 2 * first, "proportional": first + second}[kind]
    module, result = run(made, tmp_path / "whole")
    assert [log.steps for log in result.history] == [wanted, 2 * wanted]
    assert all(value > 0 for log in result.history for value in log.losses.values())
    # Going on after the first epoch gives the same as not stopping.
    once = recipe(LOGISTIC, IN_BATCH, turns=kind, epochs=1)
    run(once, tmp_path / "parts")
    again, resumed = run(made, tmp_path / "parts")
    assert figures(resumed) == figures(result)
    assert same_weights(module, again)


def test_losses_are_means_over_the_steps_that_took_them(tmp_path):
    # With a negligible learning rate a loss is the same anywhere in the epoch.
    still = {"epochs": 1, "learning_rate": 1e-12}
    seen = [
        dict(run(recipe(LOGISTIC, IN_BATCH, turns=kind, **still), tmp_path / kind)[1].history[0].losses)
        for kind in ("together", "round-robin")
    ]
    assert seen[0] == pytest.approx(seen[1], rel=1e-4)
