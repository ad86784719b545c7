import json
from dataclasses import replace

import pytest
import torch

from textkin.base.errors import ModelError, OutputError
from textkin.networks.recipes.recipe import TrainingConfig
from textkin.training.checkpoint import (
    Evaluation,
    best_checkpoint,
    best_of,
    latest_checkpoint,
    restore,
    save_checkpoint,
)
from textkin.training.optimisers import build_optimiser

pytestmark = pytest.mark.torch


def logs(*scores):
    return tuple(
        Evaluation(epoch=at, steps=at * 3, losses={"0-x": 1 / at}, dev=score, seconds=0.1)
        for at, score in enumerate(scores, start=1)
    )


def trained(name="adam", *, width=2):
    torch.manual_seed(0)
    module = torch.nn.Linear(width, 2)
    optimiser = build_optimiser(module.parameters(), TrainingConfig(optimiser=name))
    for _ in range(3):
        optimiser.zero_grad()
        module(torch.ones(1, width)).square().sum().backward()
        optimiser.step()
    return module, optimiser


def save(root, *scores, optimiser="adam"):
    module, steps = trained(optimiser)
    history = logs(*scores)
    return (
        module,
        steps,
        save_checkpoint(root, module=module, optimiser=steps, history=history, measure="nDCG@10"),
    )


@pytest.mark.parametrize("name", ["adam", "adamw", "adadelta", "adamax", "rmsprop", "sgd"])
def test_what_is_saved_comes_back_bit_for_bit(name, tmp_path):
    module, optimiser, _ = save(tmp_path, 0.5, optimiser=name)
    fresh = torch.nn.Linear(2, 2)
    other = build_optimiser(fresh.parameters(), TrainingConfig(optimiser=name))
    found = latest_checkpoint(tmp_path)
    restore(found, module=fresh, optimiser=other)
    assert found.history == logs(0.5)
    assert torch.equal(fresh.weight, module.weight)
    expected, state = optimiser.state_dict()["state"], other.state_dict()["state"]
    assert expected.keys() == state.keys()
    for key, values in expected.items():
        assert values.keys() == state[key].keys()
        for part, value in values.items():
            same = (
                torch.equal(value, state[key][part]) if torch.is_tensor(value) else value == state[key][part]
            )
            assert same, part


def test_weights_come_back_without_an_optimiser(tmp_path):
    module, _, made = save(tmp_path, 0.5)
    fresh = torch.nn.Linear(2, 2)
    restore(made, module=fresh)
    assert torch.equal(fresh.weight, module.weight) and torch.equal(fresh.bias, module.bias)


def test_what_an_optimiser_keeps_that_is_no_tensor_comes_back(tmp_path):
    module, optimiser = trained()
    optimiser.state[module.weight]["rounds"] = 7
    made = save_checkpoint(tmp_path, module=module, optimiser=optimiser, history=logs(0.5), measure="F1")
    fresh = torch.nn.Linear(2, 2)
    other = build_optimiser(fresh.parameters(), TrainingConfig(optimiser="adam"))
    restore(made, module=fresh, optimiser=other)
    assert other.state[fresh.weight]["rounds"] == 7
    assert "rounds" not in other.state[fresh.bias]


def test_the_latest_and_the_best_stay(tmp_path):
    (tmp_path / ".epoch-009-x.textkin-tmp").mkdir(parents=True)  # a killed process was writing it
    scores = [0.1, 0.9, 0.9, 0.3]
    for count in range(1, 5):
        save(tmp_path, *scores[:count])
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        "epoch-002-loss-0.5000-ndcg@10-0.9000",
        "epoch-004-loss-0.2500-ndcg@10-0.3000",
    ]
    assert best_of(logs(*scores)) == 1
    assert best_checkpoint(tmp_path).history == logs(*scores[:2])
    assert latest_checkpoint(tmp_path).history == logs(*scores)
    assert latest_checkpoint(tmp_path / "none") is None is best_checkpoint(tmp_path / "none")


def test_an_evaluation_within_an_epoch_says_its_step(tmp_path):
    first, second, third = (replace(one, epoch=2) for one in logs(0.3, 0.9, 0.5))
    first, second = replace(first, ends_epoch=False), replace(second, ends_epoch=False)
    module, optimiser = trained()
    for history in ((first,), (first, second), (first, second, third)):
        save_checkpoint(tmp_path, module=module, optimiser=optimiser, history=history, measure="F1")
    assert (first.where, second.where, third.where) == ("epoch 2, step 3", "epoch 2, step 6", "epoch 2")
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        "epoch-002-loss-0.3333-f1-0.5000",
        "epoch-002-step-000006-loss-0.5000-f1-0.9000",
    ]
    # The end of an epoch comes after all of its steps.
    assert latest_checkpoint(tmp_path).history == (first, second, third)
    assert best_checkpoint(tmp_path).history == (first, second)


def test_what_is_no_checkpoint_is_left_alone(tmp_path):
    (tmp_path / "epoch-notes").mkdir()
    (tmp_path / "epoch-009-ndcg@10-0.9000").write_text("a file")
    save(tmp_path, 0.5)
    save(tmp_path, 0.5, 0.6)
    assert latest_checkpoint(tmp_path) == best_checkpoint(tmp_path)
    assert latest_checkpoint(tmp_path).history == logs(0.5, 0.6)
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        "epoch-002-loss-0.5000-ndcg@10-0.6000",
        "epoch-009-ndcg@10-0.9000",
        "epoch-notes",
    ]


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path, monkeypatch):
    save(tmp_path, 0.5)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError):
        save(tmp_path, 0.5, 0.6)
    assert [item.name for item in tmp_path.iterdir()] == ["epoch-001-loss-1.0000-ndcg@10-0.5000"]


def test_broken_checkpoints_are_named(tmp_path):
    module, optimiser, made = save(tmp_path, 0.5)
    state = made.folder / "state.json"
    text = state.read_text()
    for broken in ("{", "{}", '{"history": [], "optimiser": {}}', '{"history": [{"epoch": 1}]}'):
        state.write_text(broken)
        with pytest.raises(ModelError) as error:
            latest_checkpoint(tmp_path)
        assert error.value.path == state
    state.write_text(text)
    for name in ("model.safetensors", "optimiser.safetensors"):
        content = (made.folder / name).read_bytes()
        (made.folder / name).write_bytes(content[:-1])
        with pytest.raises(ModelError, match=name):
            restore(made, module=module, optimiser=optimiser)
        (made.folder / name).write_bytes(content)
    with pytest.raises(ModelError) as error:
        restore(made, module=torch.nn.Linear(3, 2))
    assert str(error.value.path).endswith("model.safetensors")
    more = json.loads(text)
    more["history"].append({**more["history"][0], "epoch": 2, "dev": 0.1})
    state.write_text(json.dumps(more))
    made.folder.rename(tmp_path / "epoch-002-ndcg@10-0.1000")
    with pytest.raises(ModelError, match="epoch 1, the best one"):
        best_checkpoint(tmp_path)
