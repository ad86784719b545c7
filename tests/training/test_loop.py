import json
import multiprocessing
import re
import signal
import time
from itertools import count
from shutil import copytree, rmtree
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from tests.half_precision import skip_without_bf16
from tests.training.making import (
    IN_BATCH,
    LOGISTIC,
    SEMI_HARD,
    figures,
    prepare,
    recipe,
    run,
    same_weights,
)
from tests.training.several import skip_after_cuda
from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import ModelError, TrainingError
from textkin.models.weights import save_tensors
from textkin.networks.losses import Loss
from textkin.networks.nn import fast_dropout
from textkin.networks.recipes.recipe import MINED
from textkin.training import device as device_module
from textkin.training import loop
from textkin.training.checkpoint import save_pause
from textkin.training.loop import CHECKPOINTS, METRICS, Dev

pytestmark = pytest.mark.torch

RUNS = {
    "adam, averaged": recipe(LOGISTIC, model={"cell": "gru", "hidden": 6}, average=0.9, epochs=4),
    "adam, dropout, clipping": recipe(
        LOGISTIC, model={"cell": "lstm", "hidden": 6, "dropout": 0.3}, epochs=4, clip_norm=1.0
    ),
    "adadelta, two objectives": recipe(LOGISTIC, IN_BATCH, optimiser="adadelta", learning_rate=0.5, epochs=4),
    "sgd, warm-up": recipe(IN_BATCH, optimiser="sgd", schedule="rsqrt", warmup_steps=3, epochs=4),
    "adamax, semi-hard": recipe(SEMI_HARD, optimiser="adamax", schedule="cosine", epochs=4),
    "adamw, three objectives": recipe(
        SEMI_HARD,
        {**LOGISTIC, "sampler": "length", "batch_size": 50},
        {"loss": "triplet", "rows": "random-triplets", "sampler": "component"},
        model={"token_weights": True, "dropout": 0.2},
        optimiser="adamw",
        weight_decay=0.1,
        epochs=4,
    ),
}
PAUSED = {
    **{name: made for name, made in RUNS.items() if not any(one.rows in MINED for one in made.objectives)},
    "evaluated within epochs": recipe(
        LOGISTIC,
        {**IN_BATCH, "batch_size": 20},
        model={"cell": "lstm", "hidden": 6, "dropout": 0.3},
        evaluate_every=3,
        epochs=2,
    ),
}


class Stop(BaseException):
    pass


def stopping(dev, after):
    """A dev score during which the process is interrupted in epoch ``after``."""
    calls = count(1)

    def evaluate(module):
        if next(calls) == after:
            raise Stop
        return dev.evaluate(module)

    return Dev(dev.measure, evaluate)


@pytest.mark.parametrize("name", RUNS)
def test_an_interrupted_run_ends_as_an_uninterrupted_one(name, tmp_path):
    made = RUNS[name]
    expected, whole = run(made, tmp_path / "whole")
    dev = prepare(made)[2]
    for after in (3, 1):
        with pytest.raises(Stop):
            run(made, tmp_path / "parts", dev=stopping(dev, after))
    found, parts = run(made, tmp_path / "parts")
    assert len(whole.history) == 4
    assert figures(parts) == figures(whole)
    assert same_weights(found, expected)
    another, other = run(made, tmp_path / "another", seed=1)
    assert figures(other) != figures(whole)
    assert not same_weights(another, expected)


def test_dropout_by_loops_resumes_too(monkeypatch, tmp_path):
    monkeypatch.setattr(fast_dropout, "_FEW", 0)  # so that these small batches are drawn by them
    made = RUNS["adam, dropout, clipping"]
    dev, kinds = prepare(made)[2], set()

    def evaluate(module):
        kinds.update(type(part) for part in module.modules() if isinstance(part, nn.Dropout))
        return dev.evaluate(module)

    expected, whole = run(made, tmp_path / "whole", dev=Dev(dev.measure, evaluate))
    assert kinds == {fast_dropout.FastDropout}
    assert {type(part) for part in expected.modules() if isinstance(part, nn.Dropout)} == {nn.Dropout}
    with pytest.raises(Stop):
        run(made, tmp_path / "parts", dev=stopping(dev, 2))
    found, parts = run(made, tmp_path / "parts")
    assert figures(parts) == figures(whole)
    assert same_weights(found, expected)


@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize("name", PAUSED)
def test_a_run_that_died_between_evaluations_goes_on_from_its_pause(name, each, monkeypatch, tmp_path):
    made = PAUSED[name]
    expected, whole = run(made, tmp_path / "whole")
    monkeypatch.setattr(loop, "PAUSE_AFTER", 0.0)
    written = count(1)

    def dying(*args, **named):
        save_pause(*args, **named)
        if next(written) % each == 0:
            raise Stop

    monkeypatch.setattr(loop, "save_pause", dying)
    deaths = 0
    for _ in range(whole.history[-1].steps + 1):  # of which each takes a step
        try:
            found, parts = run(made, tmp_path / "parts")
        except Stop:
            deaths += 1
            continue
        break
    assert next(written) - 1 == whole.history[-1].steps  # each step was taken once
    assert deaths == whole.history[-1].steps // each
    assert figures(parts) == figures(whole)
    assert same_weights(found, expected)
    assert not (tmp_path / "parts" / CHECKPOINTS / "paused").exists()


def test_a_pause_is_written_after_ten_minutes_and_gone_after_an_evaluation(monkeypatch, tmp_path):
    made, times = recipe(LOGISTIC, epochs=1), count(0, 200)
    written = []
    monkeypatch.setattr(
        loop, "time", SimpleNamespace(monotonic=lambda: next(times), perf_counter=lambda: 0.0)
    )
    monkeypatch.setattr(loop, "save_pause", lambda root, leg, **named: written.append(leg.steps))
    run(made, tmp_path)
    assert written == [3]  # of 5 steps, 200 s each by this clock


@pytest.mark.parametrize(
    "name", ["state.json", "model.safetensors", "optimiser.safetensors", "random.safetensors"]
)
@pytest.mark.parametrize("content", [b"", b"{}", None])
def test_a_broken_pause_names_its_file(name, content, monkeypatch, tmp_path):
    made = recipe(LOGISTIC, epochs=1)
    monkeypatch.setattr(loop, "PAUSE_AFTER", 0.0)
    with pytest.raises(Stop):
        run(made, tmp_path, dev=stopping(prepare(made)[2], 1))
    path = tmp_path / CHECKPOINTS / "paused" / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(ModelError) as error:
        run(made, tmp_path)
    assert error.value.path == path


def test_a_random_state_of_another_kind_names_its_file(monkeypatch, tmp_path):
    made = recipe(LOGISTIC, epochs=1)
    monkeypatch.setattr(loop, "PAUSE_AFTER", 0.0)
    with pytest.raises(Stop):
        run(made, tmp_path, dev=stopping(prepare(made)[2], 1))
    path = tmp_path / CHECKPOINTS / "paused" / "random.safetensors"
    for state in ({}, {"cpu": torch.zeros(3)}, {"cpu": torch.zeros(3, dtype=torch.uint8)}):
        save_tensors(path, state)
        with pytest.raises(ModelError) as error:
            run(made, tmp_path)
        assert error.value.path == path


def test_rows_that_the_model_chooses_are_not_paused(monkeypatch, tmp_path):
    monkeypatch.setattr(loop, "PAUSE_AFTER", 0.0)
    monkeypatch.setattr(loop, "save_pause", lambda *_, **__: pytest.fail("a pause was written"))
    run(RUNS["adamax, semi-hard"], tmp_path)


def test_a_pause_of_other_evaluations_is_left_aside(monkeypatch, tmp_path):
    made = recipe(LOGISTIC, epochs=2)
    _, whole = run(made, tmp_path / "whole")
    monkeypatch.setattr(loop, "PAUSE_AFTER", 0.0)
    kept = tmp_path / "kept"

    def keeping(root, leg, **named):
        save_pause(root, leg, **named)
        if leg.steps == 2 and not kept.exists():
            copytree(root / "paused", kept)

    monkeypatch.setattr(loop, "save_pause", keeping)
    with pytest.raises(Stop):
        run(made, tmp_path / "parts", dev=stopping(prepare(made)[2], 2))
    rmtree(tmp_path / "parts" / CHECKPOINTS / "paused")
    copytree(kept, tmp_path / "parts" / CHECKPOINTS / "paused")  # it was before the first evaluation
    _, parts = run(made, tmp_path / "parts")
    assert figures(parts) == figures(whole)


@pytest.mark.parametrize("settings", [{}, {"steps_per_epoch": 7}], ids=["one pass", "seven steps"])
@pytest.mark.parametrize("turns", ["together", "proportional"])
def test_a_run_that_was_stopped_within_an_epoch_ends_as_one_that_was_not(turns, settings, tmp_path):
    made = recipe(
        LOGISTIC,
        {**IN_BATCH, "batch_size": 20},
        model={"cell": "lstm", "hidden": 6, "dropout": 0.3},
        turns=turns,
        evaluate_every=3,
        epochs=2,
        **settings,
    )
    expected, whole = run(made, tmp_path / "whole")
    assert len({log.dev for log in whole.history}) == len(whole.history) >= 4
    dev = prepare(made)[2]
    for _ in whole.history[:-1]:  # dies after one evaluation each time
        with pytest.raises(Stop):
            run(made, tmp_path / "parts", dev=stopping(dev, 2))
    found, parts = run(made, tmp_path / "parts")
    assert figures(parts) == figures(whole)
    assert same_weights(found, expected)


def test_evaluations_change_nothing_but_what_is_kept(tmp_path):
    settings = {"epochs": 2, "optimiser": "sgd"}  # and no dropout
    whole = run(recipe(LOGISTIC, **settings), tmp_path / "whole", dev=fixed([0.1, 0.2]))
    scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    legs = run(recipe(LOGISTIC, evaluate_every=2, **settings), tmp_path / "legs", dev=fixed(scores))
    assert same_weights(whole[0], legs[0])
    assert [(log.epoch, log.steps, log.ends_epoch) for log in legs[1].history] == [
        (1, 2, False),
        (1, 4, False),
        (1, 5, True),
        (2, 7, False),
        (2, 9, False),
        (2, 10, True),
    ]
    losses = [log.losses["0-logistic"] for log in legs[1].history]
    for epoch, (first, second, third) in enumerate((losses[:3], losses[3:])):
        mean = (2 * first + 2 * second + third) / 5
        assert mean == pytest.approx(whole[1].history[epoch].losses["0-logistic"], rel=1e-6)
    # An evaluation that falls on the end of an epoch is one, not two.
    even = run(recipe(LOGISTIC, evaluate_every=5, **settings), tmp_path / "even", dev=fixed([0.1, 0.2]))
    assert figures(even[1]) == figures(whole[1])


def test_patience_counts_evaluations_and_the_best_one_is_kept(tmp_path):
    made = recipe(LOGISTIC, epochs=9, patience=3, evaluate_every=2)
    scores = [0.1, 0.5, 0.4, 0.3, 0.2]
    module, result = run(made, tmp_path / "whole", dev=fixed(scores))
    assert ([log.dev for log in result.history], result.best) == (scores, 2)
    names = sorted(folder.name for folder in (tmp_path / "whole" / CHECKPOINTS).iterdir())
    words = [re.sub(r"-loss-[0-9.]+", "", name) for name in names]
    assert words == ["epoch-001-step-000004-ap-0.5000", "epoch-002-step-000009-ap-0.2000"]
    lines = [json.loads(line) for line in (tmp_path / "whole" / METRICS).read_text().splitlines()]
    assert [(line["epoch"], line["steps"], line["ends_epoch"]) for line in lines[:3]] == [
        (1, 2, False),
        (1, 4, False),
        (1, 5, True),
    ]
    short = recipe(LOGISTIC, epochs=1, steps_per_epoch=4)
    assert same_weights(run(short, tmp_path / "short", dev=fixed([0.1]))[0], module)
    # Nothing is left to do.
    assert figures(run(made, tmp_path / "whole", dev=fixed([]))[1]) == figures(result)


def test_epochs_of_so_many_steps_are_what_a_plain_loop_does(tmp_path):
    made = recipe({**LOGISTIC, "batch_size": 30}, optimiser="sgd", epochs=2, steps_per_epoch=4)
    found, result = run(made, tmp_path, dev=fixed([0.1, 0.2]))
    module, (objective,), _ = prepare(made)
    module.train()
    assert objective.steps == 3
    for epoch in (0, 1):
        first, second = objective.batches(epoch, module), objective.batches(epoch + 1_000_000, module)
        for drawn in [*first, next(second)]:
            module.zero_grad()
            objective.loss(module, drawn.batch).backward()
            with torch.no_grad():
                for parameter in module.parameters():
                    parameter -= 0.01 * parameter.grad
    assert [log.steps for log in result.history] == [4, 8]
    for name, tensor in module.state_dict().items():
        torch.testing.assert_close(found.state_dict()[name], tensor, rtol=1e-5, atol=1e-7)


def test_the_average_is_scored_and_kept(tmp_path):
    settings = {"optimiser": "sgd", "learning_rate": 0.5, "epochs": 2, "evaluate_every": 3}
    made = recipe({**LOGISTIC, "batch_size": 24}, average=0.8, **settings)
    seen = []

    def evaluate(module):
        seen.append({name: tensor.clone() for name, tensor in module.state_dict().items()})
        return float(len(seen))

    module, result = run(made, tmp_path / "run", dev=Dev("AP", evaluate))
    plain, (objective,), _ = prepare(made)
    averages = {name: tensor.clone() for name, tensor in plain.named_parameters()}
    expected = []
    for drawn in [*objective.batches(0, plain), *objective.batches(1, plain)]:
        plain.zero_grad()
        objective.loss(plain.train(), drawn.batch).backward()
        for name, weight in plain.named_parameters():
            weight.data -= 0.5 * weight.grad
            averages[name] = 0.8 * averages[name] + 0.2 * weight.data
        expected.append(averages.copy())
    assert [log.steps for log in result.history] == [3, 6] and result.best == 2
    for step, found in ((3, seen[0]), (6, seen[1]), (6, module.state_dict())):
        for name, tensor in expected[step - 1].items():
            torch.testing.assert_close(found[name], tensor, rtol=1e-5, atol=1e-6)
    assert not torch.allclose(averages["embedding.table"], plain.embedding.table, atol=1e-3)
    # The loop itself continues with the current weights.
    without = run(recipe({**LOGISTIC, "batch_size": 24}, **settings), tmp_path / "plain", dev=fixed([1, 2]))
    assert [log.losses for log in without[1].history] == [log.losses for log in result.history]


# Processes are forked from this one, which has torch in memory already.
FORKED = multiprocessing.get_context("fork")


def trained_until_killed(made, folder):
    """Train, and wait in epoch 10, so that a slow machine's kill still comes in the middle."""
    dev, calls = prepare(made)[2], count(1)

    def evaluate(module):
        if next(calls) == 10:
            time.sleep(600)
        return dev.evaluate(module)

    run(made, folder, dev=Dev(dev.measure, evaluate))


def test_a_killed_process_is_gone_on_from(tmp_path):
    skip_after_cuda()
    made = recipe(LOGISTIC, model={"cell": "lstm", "hidden": 6, "dropout": 0.2}, epochs=20)
    folder = tmp_path / "killed"
    child = FORKED.Process(target=trained_until_killed, args=(made, folder))
    child.start()
    deadline = time.monotonic() + 60
    while not list(folder.glob(f"{CHECKPOINTS}/epoch-003*")) and child.is_alive():
        assert time.monotonic() < deadline
        time.sleep(0.002)
    child.kill()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert not list(folder.glob(f"{CHECKPOINTS}/epoch-020*"))
    found, parts = run(made, folder)
    expected, whole = run(made, tmp_path / "whole")
    assert figures(parts) == figures(whole)
    assert same_weights(found, expected)
    assert not list(folder.rglob("*.tmp"))


def test_the_loss_goes_down_and_dev_up(tmp_path):
    _, result = run(recipe(LOGISTIC, epochs=30), tmp_path)
    losses = [log.losses["0-logistic"] for log in result.history]
    assert losses[-1] < 0.5 * losses[0]
    assert result.history[-1].dev > 0.9


def test_few_data_are_seen_more_often_and_the_schedule_knows(tmp_path):
    made = recipe(LOGISTIC, epochs=2, least_steps=21, schedule="linear")
    _, result = run(made, tmp_path / "least")
    assert len(result.history) == 5  # of 5 steps each
    same = made.model_copy(
        update={"training": made.training.model_copy(update={"epochs": 5, "least_steps": 0})}
    )
    assert [log.losses for log in run(same, tmp_path / "epochs")[1].history] == [
        log.losses for log in result.history
    ]
    enough = recipe(LOGISTIC, epochs=2, least_steps=10)
    assert len(run(enough, tmp_path / "enough")[1].history) == 2


def fixed(scores):
    values = iter(scores)
    return Dev("AP", lambda module: next(values))


def test_dev_may_have_several_figures_one_of_which_chooses(tmp_path):
    both = iter([{"A": 0.1, "B": 0.9}, {"A": 0.3, "B": 0.2}, {"A": 0.2, "B": 0.1}])
    _, result = run(recipe(LOGISTIC, epochs=3), tmp_path, dev=Dev("A", lambda module: next(both)))
    assert ([log.dev for log in result.history], result.best) == ([0.1, 0.3, 0.2], 2)
    lines = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
    assert lines[0]["figures"] == {"A": 0.1, "B": 0.9} and lines[0]["measure"] == "A"
    wrong = Dev("A", lambda module: {"A": 0.1, "B": float("nan")})
    with pytest.raises(TrainingError):
        run(recipe(LOGISTIC), tmp_path / "nan", dev=wrong)


def test_patience_keeps_the_best_epoch(tmp_path):
    made = recipe(LOGISTIC, epochs=9, patience=2)
    weights = []
    scores = iter([0.1, 0.5, 0.5, 0.4, 0.9])

    def evaluate(module):
        weights.append({name: tensor.clone() for name, tensor in module.state_dict().items()})
        return next(scores)

    module, result = run(made, tmp_path, dev=Dev("ROC AUC", evaluate))
    # Of equal scores the earlier one is the best; two epochs later it is over.
    assert [log.dev for log in result.history] == [0.1, 0.5, 0.5, 0.4]
    assert result.best == 2
    assert all(torch.equal(tensor, weights[1][name]) for name, tensor in module.state_dict().items())
    names = sorted(folder.name for folder in (tmp_path / CHECKPOINTS).iterdir())
    losses = [f"{sum(result.history[at].losses.values()):.4f}" for at in (1, 3)]
    assert names == [
        f"epoch-002-loss-{losses[0]}-roc-auc-0.5000",
        f"epoch-004-loss-{losses[1]}-roc-auc-0.4000",
    ]
    lines = [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()]
    assert [(line["epoch"], line["dev"], line["measure"]) for line in lines] == [
        (at + 1, score, "ROC AUC") for at, score in enumerate([0.1, 0.5, 0.5, 0.4])
    ]
    assert lines[0]["steps"] == 5  # 71 pairs in batches of 16
    assert result.seconds == pytest.approx(sum(line["seconds"] for line in lines))


def test_a_finished_run_is_not_trained_on(tmp_path):
    made = recipe(LOGISTIC)
    expected, _ = run(made, tmp_path)
    (tmp_path / METRICS).unlink()  # as if killed before it was written
    found, result = run(made, tmp_path, dev=fixed([]))
    assert same_weights(found, expected)
    assert len((tmp_path / METRICS).read_text().splitlines()) == len(result.history) == 3


def test_a_loss_that_is_no_number_names_the_batch(tmp_path, monkeypatch):
    _, objectives, _ = prepare(recipe(LOGISTIC))
    steps = count(1)
    monkeypatch.setattr(
        Loss,
        "__call__",
        lambda self, *inputs: self.function(*inputs) * (float("nan") if next(steps) == 8 else 1),
    )
    with pytest.raises(TrainingError) as caught:
        run(recipe(LOGISTIC), tmp_path)
    rows = [drawn.rows for drawn in objectives[0].batches(1, None)][2]
    numbers = ", ".join(map(str, rows[:8]))
    assert f"'logistic' is nan in epoch 2, step 8, on the training pairs {numbers} and 8 more" in str(
        caught.value
    )
    assert [log.name[:9] for log in (tmp_path / CHECKPOINTS).iterdir()] == ["epoch-001"]


def test_weights_or_dev_scores_that_are_no_numbers_stop_training(tmp_path):
    with pytest.raises(TrainingError):
        run(recipe(LOGISTIC), tmp_path / "a", dev=fixed([float("nan")]))

    def poison(module):
        module.embedding.table.register_hook(lambda gradient: gradient * float("nan"))
        return 0.5

    one_step = recipe({**LOGISTIC, "batch_size": 99})
    with pytest.raises(TrainingError):
        run(one_step, tmp_path / "b", dev=Dev("AP", poison))


def test_no_batch_at_all_is_an_error_not_an_endless_wait(tmp_path):
    never = {**SEMI_HARD, "min_margin": 1.99, "max_margin": 2.0}
    for objectives in ([never], [LOGISTIC, never]):
        with pytest.raises(TrainingError):
            run(recipe(*objectives), tmp_path)


def test_shorter_objectives_start_again_in_another_order(tmp_path, monkeypatch):
    made = recipe({**LOGISTIC, "batch_size": 5}, {**IN_BATCH, "batch_size": 24}, epochs=1)
    objectives = prepare(made)[1]
    seen = []
    original = type(objectives[1]).batches

    def batches(self, epoch, tower):
        for drawn in original(self, epoch, tower):
            seen.append(drawn.rows.tolist())
            yield drawn

    monkeypatch.setattr(type(objectives[1]), "batches", batches)
    _, result = run(made, tmp_path)
    assert result.history[0].steps == 15  # 71 pairs in batches of 5
    passes = [seen[start] + seen[start + 1] for start in range(0, 14, 2)]
    assert all(sorted(rows) == list(range(48)) for rows in passes)
    assert len({tuple(rows) for rows in passes}) == 7


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_half_precision_ends_with_training(cell, tmp_path):
    made = recipe(LOGISTIC, model={"cell": cell}, precision="bf16")
    skip_without_bf16(prepare(made)[0])
    module, result = run(made, tmp_path)
    _, other = run(recipe(LOGISTIC, model={"cell": cell}), tmp_path / "single")
    half, whole = (found.history[0].losses["0-logistic"] for found in (result, other))
    assert 0 < abs(half - whole) < 0.02
    # Afterwards the module computes in single precision, as it will when it is loaded.
    fresh = prepare(made)[0]
    fresh.load_state_dict(module.state_dict())
    ids = next(prepare(made)[1][0].batches(0, None)).batch.a
    assert torch.equal(module.eval()(ids), fresh.eval()(ids))
    assert all(parameter.dtype == torch.float32 for parameter in module.parameters())


def test_a_precision_that_takes_longer_is_said(tmp_path, monkeypatch, capsys):
    made = recipe(LOGISTIC, model={"cell": "gru"}, precision="bf16", epochs=1)
    for bf16, told in ((5.0, True), (40.0, False)):
        monkeypatch.setattr(device_module, "product_speeds", lambda bf16=bf16: ProductSpeeds(20.0, bf16))
        run(made, tmp_path / str(bf16))
        assert ("products in bf16 are 0.25 times as fast" in capsys.readouterr().err) == told
    monkeypatch.setattr(device_module, "product_speeds", None)  # not even measured
    run(recipe(LOGISTIC, epochs=1), tmp_path / "single")
