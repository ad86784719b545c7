"""Work after each evaluation: a callback, and the models of all epochs."""

import json

import numpy as np
import pytest

import textkin as tk
from tests.verbs.making import rows, write_pairs
from textkin.base.errors import TrainingError, UsageError
from textkin.cli import main
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import Recipe

pytestmark = pytest.mark.torch

ROWS = rows()
TRAIN, DEV, TEST = ROWS[:60], ROWS[60:90], ROWS[90:]
RECIPE = Recipe.from_dict(
    {
        "name": "short",
        "model": {"architecture": "siamese", "arguments": {"cell": "mean", "dim": 16}},
        "objectives": [{"loss": "logistic", "rows": "pairs", "score_scale": 8.0, "batch_size": 32}],
        "training": {"epochs": 4, "learning_rate": 0.05},
    }
)


class Pruned(Exception):
    pass


class Trial:
    """A trial as Optuna's pruners see it: it is pruned at a step."""

    def __init__(self, at: int):
        self.at, self.reported = at, {}

    def report(self, value: float, step: int) -> None:
        self.reported[step] = value

    def should_prune(self) -> bool:
        return len(self.reported) == self.at


def changed(**settings):
    return RECIPE.model_copy(update={"training": RECIPE.training.model_copy(update=settings)})


def test_a_callback_sees_every_evaluation_and_can_stop(tmp_path):
    trial = Trial(at=2)

    def callback(one):
        trial.report(one.dev, one.epoch)
        return trial.should_prune()

    whole = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "whole")
    run = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run", callback=callback)
    assert (run.stopped, whole.stopped, len(run.evaluations)) == (True, False, 2)
    assert trial.reported == {one.epoch: one.dev for one in whole.evaluations[:2]}
    assert all(one.seconds > 0 for one in run.evaluations)
    assert tk.load(run.model).model.provenance["dev"] == {"AP": run.dev}
    assert tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run") == run


@pytest.mark.parametrize("answer", [Pruned("no"), 0.5, "stop"])
def test_a_callback_that_fails_leaves_checkpoints(tmp_path, answer):
    def callback(one):
        if one.epoch < 3:
            return None
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(TrainingError) as error:
        tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run", callback=callback)
    if isinstance(answer, Exception):
        assert error.value.__cause__ is answer
    assert any(one.name.startswith("epoch-003") for one in (tmp_path / "run" / "checkpoints").iterdir())
    resumed = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run")
    whole = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "whole")
    assert [one.dev for one in resumed.evaluations] == [one.dev for one in whole.evaluations]


@pytest.mark.parametrize("callback", [3, "stop", lambda: None, lambda one, other: None])
def test_what_takes_no_evaluation_is_refused_before_training(tmp_path, callback):
    with pytest.raises(UsageError) as error:
        tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run", callback=callback)
    assert error.value.params == ("callback",)
    assert not (tmp_path / "run").exists()


def test_every_epoch_is_a_model(tmp_path):
    run = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "run", keep_checkpoints="all")
    assert [one.name for one in run.epochs] == ["1", "2", "3", "4"]
    assert [load_model(one).facts.provenance["dev"]["AP"] for one in run.epochs] == [
        one.dev for one in run.evaluations
    ]
    further = tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "further", start=run.epochs[0])
    assert further.taken_over.anew == ()
    assert tk.train(TRAIN, RECIPE, dev=DEV, out=tmp_path / "best").epochs == ()


@pytest.mark.parametrize("average", [None, 0.9])
def test_the_best_epochs_model_is_the_model(tmp_path, average):
    run = tk.train(TRAIN, changed(average=average), dev=DEV, out=tmp_path, keep_checkpoints="all")
    texts = [(a, b) for a, b, _ in TEST]
    best = tk.load(run.epochs[run.best - 1]).score(texts)
    np.testing.assert_array_equal(best, tk.load(run.model).score(texts))


def test_evaluations_within_an_epoch_say_their_step(tmp_path):
    run = tk.train(TRAIN, changed(evaluate_every=1), dev=DEV, out=tmp_path, keep_checkpoints="all")
    assert [one.name for one in run.epochs][:4] == ["1-step-1", "1", "2-step-3", "2"]


def test_epochs_are_an_ensemble_and_systems(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, part in (("train", TRAIN), ("dev", DEV), ("test", TEST)):
        write_pairs(tmp_path / f"{name}.tsv", part)
    (tmp_path / "short.toml").write_text(RECIPE.to_toml())
    members = "run/epochs/1 run/epochs/2 run/epochs/3"
    for command in (
        "train --train train.tsv short.toml --dev dev.tsv --out run --keep-checkpoints all",
        f"ensemble {members} --dev dev.tsv --out both --combine mean --accept-leaks",
        "calibrate dev.tsv run/epochs/2 --f1",
        "compare test.tsv both run/epochs/1 run/model --json",
    ):
        capsys.readouterr()
        assert main(command.split()) == 0, capsys.readouterr().err
    systems = json.loads(capsys.readouterr().out)["systems"]["rows"]
    assert {"both", "run/epochs/1", "run/model"} <= {one["name"] for one in systems}
