from __future__ import annotations

import multiprocessing
import os
import signal
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.training.making import LOGISTIC, pairs, recipe
from textkin.base import files
from textkin.base.cpu import ProductSpeeds
from textkin.base.errors import TrainingError
from textkin.data.records import LabelKind, PairSet
from textkin.networks.recipes.recipe import Recipe
from textkin.training import device as device_module
from textkin.verbs.train import train_many as module
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_many import Job, Outcome, train_many
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

MATERIAL = Material(train=pairs(), dev=pairs(12, 40))


def named(name: str, **changes: object) -> Recipe:
    return recipe({**LOGISTIC, **changes}, epochs=1).model_copy(update={"name": name})


def jobs(folder: Path, *recipes: Recipe, seeds: int = 2) -> list[Job]:
    return [Job(one, seed, folder / f"{one.name}{seed}") for one in recipes for seed in range(seeds)]


def names(outcomes: list[Outcome]) -> list[str]:
    return [outcome.job.folder.name for outcome in outcomes]


def test_what_is_finished_comes_first_and_is_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = jobs(tmp_path, named("one"), named("two"))
    before = train(wanted[3].recipe, MATERIAL, out=wanted[3].folder, seed=1, device="cpu")
    outcomes = list(train_many(wanted, MATERIAL, device="cpu"))
    assert names(outcomes) == ["two1", "one0", "one1", "two0"]
    assert outcomes[0].run == before
    assert [outcome.run.seed for outcome in outcomes] == [1, 0, 1, 0]
    monkeypatch.setattr("textkin.verbs.train.train_recipe._fit", None)
    monkeypatch.setattr(module, "_apart", lambda rest, *_: iter(rest))
    again = list(train_many(wanted, MATERIAL, processes=2))
    assert {outcome.run.folder: outcome.run for outcome in again} == {
        outcome.run.folder: outcome.run for outcome in outcomes
    }


def test_a_failure_costs_the_rest_of_its_recipe_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(recipe: Recipe, *_: object, seed: int, **__: object) -> str:
        if (recipe.name, seed) == ("one", 1):
            raise TrainingError("too hard", fix="give up")
        return f"{recipe.name}{seed}"

    monkeypatch.setattr(module, "train", fails)
    outcomes = list(train_many(jobs(tmp_path, named("one"), named("two"), seeds=3), MATERIAL))
    assert names(outcomes) == ["one0", "one1", "two0", "two1", "two2"]
    assert [outcome.run for outcome in outcomes] == ["one0", None, "two0", "two1", "two2"]
    assert [outcome.failure for outcome in outcomes if outcome.failure] == ["too hard; give up"]


def test_processes_train_what_this_one_does(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wrong = named("wrong", loss="cosine-ranking")
    here = train(named("one"), MATERIAL, out=tmp_path / "here", device="cpu")
    capfd.readouterr()
    found = list(
        train_many(jobs(tmp_path, wrong, named("one"), seeds=1), MATERIAL, processes=2, device="cpu")
    )
    by_name = {outcome.job.recipe.name: outcome for outcome in found}
    assert (by_name["one"].run.dev, by_name["one"].run.best) == (here.dev, here.best)
    assert by_name["one"].run.folder == tmp_path / "one0"
    assert by_name["wrong"].run is None and "'cosine-ranking' can't be fed" in by_name["wrong"].failure
    assert capfd.readouterr() == ("", "")  # no bars of processes of their own
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("target", [signal.raise_signal, os._exit])
def test_a_killed_process_is_a_failure_and_a_defect_is_one(target: object, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    (job,) = jobs(tmp_path, named("one"), seeds=1)
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=target, args=(signal.SIGKILL,))
    process.start()
    theirs.close()
    if target is os._exit:
        with pytest.raises(RuntimeError, match="one0 ended with exit code 9"):
            module._answer(mine, job, process)
    else:
        failure = module._answer(mine, job, process).failure
        assert failure == "its process was killed by signal 9, as happens when memory runs out"


def _works(folder: Path, answer: Connection) -> None:
    """Work like a separate process, on a job that writes endlessly."""

    def attempt(*_: object) -> None:
        with files.atomic_text(folder / "file"):
            answer.send("writing")
            time.sleep(600)

    module._attempt = attempt  # type: ignore[assignment]
    module._work(None, None, "cpu", answer)  # type: ignore[arg-type]


def test_a_process_that_is_ended_clears_up(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_works, args=(tmp_path, theirs))
    process.start()
    assert mine.recv() == "writing"
    process.terminate()
    process.join()
    assert process.exitcode == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_training_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        assert len(multiprocessing.active_children()) == 2
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(train_many(jobs(tmp_path, named("one"), seeds=3), MATERIAL, processes=2))
    assert multiprocessing.active_children() == []


def test_leaks_and_slow_precisions_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    leaky = replace(MATERIAL, dev=PairSet((*MATERIAL.dev.pairs, MATERIAL.train.pairs[0]), LabelKind.BINARY))
    half = recipe(LOGISTIC, epochs=1, precision="bf16").model_copy(update={"name": "half"})
    monkeypatch.setattr(device_module, "product_speeds", lambda: ProductSpeeds(20.0, 5.0))
    monkeypatch.setattr(module, "_apart", lambda rest, *_: iter(()))
    list(train_many(jobs(tmp_path, half, named("one")), leaky, processes=2, device="cpu"))
    told = capfd.readouterr().err
    assert told.count("so the score flatters the model") == 1
    assert told.count("half: on this processor products in bf16 are 0.25 times as fast") == 1
    assert "one: " not in told


def test_what_was_trained_before_is_not_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = jobs(tmp_path, named("one"), seeds=1)
    list(train_many(wanted, MATERIAL, device="cpu"))
    monkeypatch.setattr(module, "shared_with_dev", None)
    assert len(list(train_many(wanted, MATERIAL, device="cpu"))) == 1
