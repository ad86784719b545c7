"""Several processes that train one network: equality with one process, and the end of one."""

import json
import os
import signal
from itertools import islice

import numpy as np
import pytest
import torch

from tests.training.making import IN_BATCH, LOGISTIC, SEMI_HARD, Teacher, figures, pairs, prepare, recipe, run
from tests.training.rows import triplets
from tests.training.several import ended, outcomes, started
from tests.training.test_phrase_recipes import rooms
from textkin.base.errors import TrainingError, UsageError
from textkin.networks.batches.padded import TextBatch
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import assemble
from textkin.training.checkpoint import latest_checkpoint
from textkin.training.device import Device
from textkin.training.epoch_steps import Steps
from textkin.training.loop import CHECKPOINTS, Dev
from textkin.verbs.train.material import Material
from textkin.verbs.train.training_data import lessons_of

pytestmark = [pytest.mark.long, pytest.mark.torch]

MNRL = {"loss": "multiple-negatives", "rows": "positives", "batch_size": 9, "sampler": "component"}
TOWERS = {
    "pairs": recipe(LOGISTIC, model={"cell": "gru", "hidden": 6}),
    "in-batch negatives": recipe(MNRL, {**IN_BATCH, "negatives": "naive"}),
    "in-batch negatives both ways, in little memory": recipe(
        {**MNRL, "symmetric": True, "mini_batch": 2, "widths": [4]}, model={"cell": "lstm", "hidden": 6}
    ),
    "groups": recipe({"loss": "batch-all-triplet", "rows": "groups", "batch_size": 12}),
    "texts": recipe({"loss": "distillation", "rows": "texts", "batch_size": 10}),
    "triplets": recipe({"loss": "triplet", "rows": "random-triplets", "batch_size": 5}, SEMI_HARD),
}
BUNDLED = {
    "ranking-knrm": triplets(),
    "ranking-cdssm": triplets(),
    "ranking-compare-aggregate": triplets(),
    "pairs-decomposable-attention": pairs(),
    "pairs-mv-lstm": pairs(),
    "spans-bidaf": rooms("kitchen", 1),
    "spans-piqa": rooms("hall", 2),
}
SMALL = {"dim": 8, "hidden": 6}


def of_towers(name):
    """The network, the objectives and the settings of a small recipe."""
    module, objectives, _ = prepare(TOWERS[name], teacher=Teacher() if name == "texts" else None)
    return module, objectives, TOWERS[name].training


def of_bundled(name):
    """Those of a bundled recipe, with narrow layers."""
    made = load_recipe(name)
    arguments = {**made.model.arguments, **{key: SMALL[key] for key in SMALL if key in made.model.arguments}}
    objectives = tuple(one.model_copy(update={"batch_size": 7}) for one in made.objectives)
    model = made.model.model_copy(update={"arguments": {**arguments, "dim": 8}})
    made = made.model_copy(update={"model": model, "objectives": objectives})
    lessons = lessons_of(made, Material(BUNDLED[name], BUNDLED[name]))
    untrained = assemble(made, lessons.texts(), seed=0)
    return untrained.module, lessons.objectives(untrained, seed=0), made.training


def gradients(name):
    """The losses and the gradients of the first two steps, each from the initial weights."""
    module, objectives, settings = (of_towers if name in TOWERS else of_bundled)(name)
    device = Device("cpu")
    network, _ = device.prepare(module, torch.optim.SGD(module.parameters()))
    network.eval()  # dropout is drawn by each process for its own rows
    found = []
    for draws in islice(Steps(objectives, settings, seed=0).of_epoch(0, module), 2):
        module.zero_grad()
        losses = []
        for number, drawn in draws.items():
            loss = objectives[number].loss(network, drawn.batch)
            device.backward(loss)
            losses.append(loss.item())
        device.sum_gradients(module, (drawn.rows for drawn in draws.values()))
        rows = [drawn.rows.tolist() for drawn in draws.values()]
        named = {
            key: None if one.grad is None else one.grad.clone() for key, one in module.named_parameters()
        }
        found.append((rows, losses, named))
    return found


def all_gradients(_=0):
    return {name: gradients(name) for name in (*TOWERS, *BUNDLED)}


@pytest.fixture(scope="module")
def alone():
    return all_gradients()


@pytest.mark.parametrize("count", [2, 3])
def test_processes_have_the_gradients_of_one(count, alone, tmp_path):
    for together in outcomes(count, all_gradients, tmp_path):
        for name, steps in alone.items():
            for (rows, losses, expected), (same_rows, found_losses, found) in zip(
                steps, together[name], strict=True
            ):
                assert found_losses == pytest.approx(losses, rel=1e-5, abs=1e-6), name
                assert same_rows == rows, name
                assert any(one is not None and one.abs().max() > 1e-6 for one in expected.values()), name
                for key, one in expected.items():
                    if one is None:
                        assert found[key] is None, (name, key)
                        continue
                    scale = max(1e-3, one.abs().max().item())
                    assert torch.allclose(found[key], one, rtol=1e-4, atol=2e-6 * scale + 1e-7), (name, key)


def rows_less_than_processes(_):
    device, layer = Device("cpu"), Sums()
    network, _ = device.prepare(layer, torch.optim.SGD(layer.parameters()))
    texts = TextBatch.from_ids([np.array([2, 3], dtype=np.int32)], pad_id=0)
    out = network(texts)
    out.sum().backward()
    device.sum_gradients(layer, ())
    return out.detach(), layer.scale.grad


class Sums(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(2))

    def forward(self, texts):
        return texts.ids * self.scale


def test_a_batch_may_have_fewer_rows_than_there_are_processes(tmp_path):
    for out, gradient in outcomes(3, rows_less_than_processes, tmp_path):
        assert out.tolist() == [[2.0, 3.0]]
        assert gradient.tolist() == [2.0, 3.0]


SETTINGS = {"epochs": 3, "clip_norm": 1.0, "evaluate_every": 4, "average": 0.9}
TRAINED = recipe(LOGISTIC, MNRL, model={"cell": "gru", "hidden": 6}, **SETTINGS)


class Stop(Exception):
    pass


def trained(_, folder, stop_after):
    """A run, resumed where it is; it stops before a number of evaluations are stored."""
    left = iter(range(stop_after))
    score = prepare(TRAINED)[2]

    def evaluate(module):
        if next(left, None) is None:
            raise Stop
        return score.evaluate(module)

    try:
        module, result = run(TRAINED, folder, dev=Dev(score.measure, evaluate))
    except Stop:
        return None
    return module.state_dict(), figures(result)


def weights_apart(one, other):
    return max(float((one[name] - other[name]).abs().max()) for name in one)


def test_runs_of_any_number_of_processes_take_the_same_steps(tmp_path):
    expected, (history, best) = trained(0, tmp_path / "alone", 99)
    assert len(history) == 6
    runs = {
        "two": [(2, 99)],
        "two, then one": [(2, 2), (1, 99)],
        "one, three, then two": [(1, 1), (3, 3), (2, 99)],
    }
    for name, parts in runs.items():
        folder = tmp_path / name
        for count, stop_after in parts:
            found = outcomes(count, trained, tmp_path, folder, stop_after)
        for weights, (logged, kept) in found:
            assert weights_apart(weights, expected) < 2e-5, name
            assert kept == best
            for (epoch, steps, losses, dev), (*place, same_losses, same_dev) in zip(
                logged, history, strict=True
            ):
                assert place == [epoch, steps]
                assert losses == pytest.approx(same_losses, rel=1e-4)
                assert dev == pytest.approx(same_dev, abs=1e-4)
        assert all(torch.equal(found[0][0][key], other[0][key]) for other in found for key in expected)
        # Only the first process writes, and as one process does.
        names = [{path.name for path in place.iterdir()} for place in (folder, tmp_path / "alone")]
        assert names[0] == names[1]
        assert len(list((folder / CHECKPOINTS).iterdir())) <= 2
        lines = (folder / "metrics.jsonl").read_text().splitlines()
        assert [json.loads(line)["steps"] for line in lines] == [steps for _, steps, _, _ in history]


def with_dropout(rank, folder):
    made = recipe(LOGISTIC, model={"cell": "mean", "dropout": 0.5}, epochs=1)
    module, result = run(made, folder)
    return module.state_dict(), figures(result), torch.rand(4)


def test_each_process_draws_a_dropout_of_its_own(tmp_path):
    (first, logged, drawn), (second, same, other) = outcomes(2, with_dropout, tmp_path, tmp_path / "run")
    assert logged == same and all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(drawn, other)


def on_other_rows(rank):
    device, layer = Device("cpu"), Sums()
    layer.scale.sum().backward()
    with pytest.raises(TrainingError):
        device.sum_gradients(layer, [np.array([1, 2 + rank])])
    return True


def test_processes_that_draw_different_batches_are_told_so(tmp_path):
    assert outcomes(2, on_other_rows, tmp_path) == [True, True]


def with_other_facts(rank):
    with pytest.raises(UsageError, match="process 1 of this training has other dev pairs than process 0"):
        Device("cpu").require_same({"recipe": 1, "dev pairs": rank})
    return True


def test_processes_with_other_data_are_named(tmp_path):
    assert outcomes(2, with_other_facts, tmp_path) == [True, True]


def without_the_checkpoints(rank, begun, empty):
    with pytest.raises(UsageError, match="process 1 of this training has other checkpoints than process 0"):
        run(TRAINED, empty if rank else begun)
    run(TRAINED, empty)  # of which both see the same
    return True


def test_a_run_whose_folder_is_not_shared_does_not_go_on(tmp_path):
    trained(0, tmp_path / "begun", 1)
    assert latest_checkpoint(tmp_path / "begun" / CHECKPOINTS) is not None
    assert (
        outcomes(2, without_the_checkpoints, tmp_path, tmp_path / "begun", tmp_path / "empty") == [True] * 2
    )


def killed_in_a_step(rank, folder):
    device, steps = Device("cpu"), iter(range(5))
    whole = device.sum_gradients

    def sum_gradients(module, rows):
        if rank == 1 and next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        whole(module, rows)

    device.sum_gradients = sum_gradients
    with pytest.raises(TrainingError):
        run(recipe(LOGISTIC, epochs=50), folder, device=device)
    (folder / f"told-{rank}").touch()
    os._exit(5)


def test_the_others_end_when_one_is_killed(tmp_path):
    children = started(3, killed_in_a_step, tmp_path)
    assert ended(children) == [5, -signal.SIGKILL, 5]
    assert {path.name for path in tmp_path.glob("told-*")} == {"told-0", "told-2"}
