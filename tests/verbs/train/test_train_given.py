from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import textkin as tk
from tests.verbs.making import rows, write_recipe
from textkin.base.errors import UsageError
from textkin.verbs import TrainingRun
from textkin.verbs.train import train_given as module


def _write(path: Path, pairs: list[tuple[str, str, str]]) -> Path:
    lines = ["a\tb\tlabel", *("\t".join(map(str, pair)) for pair in pairs)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    pairs = rows()
    return {
        "train": _write(tmp_path / "train.tsv", [*pairs[:60], ("", "no first text", "1")]),
        "dev": _write(tmp_path / "dev.tsv", pairs[60:90]),
        "more": _write(tmp_path / "more.tsv", [("a card", "one card", "1"), ("alone", "", "1")]),
    }


def trained(files: dict[str, Path], tmp_path: Path, **options: Any) -> TrainingRun:
    """A run on the files."""
    given = {**files, **options}
    run = tk.train(given.pop("train"), write_recipe(tmp_path), out=tmp_path / "run", device="cpu", **given)
    assert isinstance(run, TrainingRun)
    return run


@pytest.mark.torch
def test_what_is_skipped_is_told_first(
    tmp_path: Path,
    files: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(*arguments: Any, **options: Any) -> TrainingRun:
        assert capsys.readouterr().err.count("1 empty text") == 2
        return train(*arguments, **options)

    train = module.train_recipe
    monkeypatch.setattr(module, "train_recipe", told)
    assert (trained(files, tmp_path).model / "textkin.json").exists()
    assert set(json.loads((tmp_path / "run" / "result.json").read_text())) >= {"name", "seed", "evaluations"}


@pytest.mark.torch
def test_models_are_fetched_only_if_asked_for(
    tmp_path: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(module, "fetch", lambda *models: fetched.extend(models))
    models = {"start": "no/start", "teacher": "no/teacher"}
    for download, expected in ((False, []), (True, ["no/start", "no/teacher"])):
        with pytest.raises(tk.TextkinError) as error:
            trained(files, tmp_path, download=download, loss="distillation", **models)
        assert error.value.value == "no/start"
        assert fetched == expected


def test_an_option_that_does_not_fit_the_recipe_is_refused(tmp_path: Path, files: dict[str, Path]) -> None:
    with pytest.raises(tk.TextkinError) as error:
        trained(files, tmp_path, questions="mixed")
    assert error.value.params == ("questions",)
    assert not (tmp_path / "run").exists()


def test_a_grade_that_is_a_slip_is_named_by_its_line(tmp_path: Path, files: dict[str, Path]) -> None:
    marks = [("a card", f"card {at}", f"{at % 5 + 1}") for at in range(30)]
    graded = _write(tmp_path / "graded.tsv", [*marks, ("", "empty", "1"), ("a", "b", "50")])
    with pytest.raises(tk.TextkinError) as error:
        trained(files, tmp_path, train=graded)
    assert error.value.line == 33
    assert not (tmp_path / "run").exists()


@pytest.mark.torch
def test_frames_and_records_are_learnt_from_like_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pd.DataFrame(rows(), columns=["q1", "q2", "same"]).assign(votes=1)
    train, dev, more = data[:60], data[50:90].to_dict("records"), data[90:100].to_dict("list")
    run = tk.train(
        train,
        write_recipe(tmp_path),
        dev=dev,
        more=more,
        columns={"a": "q1", "b": "q2", "label": "same"},
        out=tmp_path / "run",
        device="cpu",
    )
    assert isinstance(run, TrainingRun)
    assert run.evaluations
    assert "texts of dev are in train too" in capsys.readouterr().err


@pytest.mark.parametrize("recipe", ["static", tk.load_recipe("static")])
def test_the_wrong_order_is_refused(recipe: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        tk.train(recipe, pd.DataFrame(rows()), dev=rows(), out=tmp_path / "run")
    assert (error.value.params, error.value.value) == (("train",), "static")


@pytest.mark.parametrize(
    ("recipe", "options", "params"),
    [
        ("static", {"vectors": "vectors.txt"}, ("vectors",)),
        ("siamese-mean", {"tokenise": "treebank", "start": "default"}, ("tokenise",)),
        ("static", {"teacher": "default"}, ("teacher",)),
    ],
)
@pytest.mark.torch
def test_options_that_training_has_no_use_for(recipe, options, params, tmp_path):
    train = [(f"open {n}", f"open {n} today", n % 2) for n in range(9)]
    dev = [(f"close {n}", f"close {n} today", n % 2) for n in range(9)]
    with pytest.raises(UsageError) as error:
        tk.train(train, recipe, dev=dev, out=tmp_path / "run", **options)
    assert error.value.params == params and not (tmp_path / "run").exists()
