"""Epochs as steps."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tests.training.making import IN_BATCH, LOGISTIC, SEMI_HARD, prepare, recipe
from textkin.networks.recipes.recipe import MINED
from textkin.training.epoch_steps import Ahead, Steps
from textkin.training.objectives import KINDS

pytestmark = pytest.mark.torch


def steps_of(made, **settings):
    module, objectives, _ = prepare(made)
    return Steps(objectives, made.training, seed=0), objectives, module


def rows(draws):
    return [{number: drawn.rows.tolist() for number, drawn in each.items()} for each in draws]


def test_an_epoch_is_one_pass_over_the_first_objective():
    steps, (first, second), module = steps_of(recipe(LOGISTIC, IN_BATCH))
    taken = rows(steps.of_epoch(1, module))
    assert len(taken) == steps.per_epoch == first.steps
    assert [each[0] for each in taken] == [drawn.rows.tolist() for drawn in first.batches(1, module)]
    assert [each[1] for each in taken] == [drawn.rows.tolist() for drawn in second.batches(1, module)][:5]


@pytest.mark.parametrize("count", [2, 5, 13])
def test_an_epoch_of_so_many_steps_begins_a_pass_and_takes_as_many_as_it_needs(count):
    steps, (first,), module = steps_of(recipe(LOGISTIC, steps_per_epoch=count))
    assert first.steps == 5
    for epoch in (0, 3):
        taken = [each[0] for each in rows(steps.of_epoch(epoch, module))]
        passes = [
            drawn.rows.tolist()
            for number in range(3)
            for drawn in first.batches(epoch + number * 1_000_000, module)
        ]
        assert taken == passes[:count] and len(taken) == steps.per_epoch == count


def test_turns_in_proportion_go_on_in_the_next_pass():
    made = recipe(LOGISTIC, {**IN_BATCH, "batch_size": 20}, turns="proportional", steps_per_epoch=20)
    steps, (first, second), module = steps_of(made)
    assert (first.steps, second.steps) == (5, 3)
    numbers = [next(iter(each)) for each in rows(steps.of_epoch(0, module))]
    for start in (0, 8):
        assert sorted(numbers[start : start + 8]) == [0] * 5 + [1] * 3
    assert numbers[:8] != numbers[8:16]


def test_mined_rows_go_on_in_the_next_pass():
    steps, _, module = steps_of(recipe(SEMI_HARD, steps_per_epoch=15))
    assert len(list(steps.of_epoch(0, module))) == 15


def test_only_what_is_said_to_be_mined_asks_the_model():
    data = {"loss": "logistic", "batch_size": 8}
    for rows_kind, loss in {
        "pairs": "logistic",
        "positives": "triplet-in-batch",
        "texts": "multiple-negatives",
    }.items():
        _, (objective,), _ = steps_of(recipe({**data, "loss": loss, "rows": rows_kind}))
        assert list(objective.batches(0, None))
    assert {"semi-hard-triplets"} == MINED and KINDS.keys() > MINED


def test_what_is_ahead_is_taken_piece_by_piece():
    ahead = Ahead(iter([{0: number} for number in range(7)]))
    seen = []
    while not ahead.is_over:
        assert not ahead.is_over  # asking twice draws nothing more
        seen.append([each[0] for each in ahead.take(3)])
    assert seen == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(ahead.take(None)) == []
    assert [len(list(Ahead(iter([{}] * 4)).take(most))) for most in (None, 2, 9)] == [4, 2, 4]


def test_left_out_steps_leave_the_others_as_they_are():
    steps, _, module = steps_of(recipe(LOGISTIC, IN_BATCH, turns="round-robin", steps_per_epoch=12))
    whole = rows(steps.of_epoch(2, module))
    assert rows(islice(steps.of_epoch(2, module), 7, None)) == whole[7:]
    assert not np.array_equal(whole[0][0], rows(steps.of_epoch(3, module))[0][0])
