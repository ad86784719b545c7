from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import textkin as tk
from tests.verbs.making import rows, write_recipe
from textkin.verbs.train import train_files as module
from textkin.verbs.train.train_files import TrainingFiles, train_files


def _write(path: Path, pairs: list[tuple[str, str, str]]) -> Path:
    lines = ["a\tb\tlabel", *("\t".join(map(str, pair)) for pair in pairs)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def files(tmp_path: Path) -> TrainingFiles:
    pairs = rows()
    return TrainingFiles(
        train=_write(tmp_path / "train.tsv", [*pairs[:60], ("", "no first text", "1")]),
        dev=_write(tmp_path / "dev.tsv", pairs[60:90]),
        more=(_write(tmp_path / "more.tsv", [("a card", "one card", "1"), ("alone", "", "1")]),),
    )


@pytest.mark.torch
def test_what_is_skipped_is_told_first_and_in_the_result(
    tmp_path: Path, files: TrainingFiles, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def trained(*arguments: object, **options: object) -> None:
        assert capsys.readouterr().err.count("1 empty text") == 2
        return train(*arguments, **options)  # type: ignore[arg-type]

    train = module.train
    monkeypatch.setattr(module, "train", trained)
    found = train_files(write_recipe(tmp_path), files, out=tmp_path / "run", device="cpu")
    assert [sum(report.skipped.values()) for report in found.read] == [1, 0, 1]
    assert (found.run.model / "textkin.json").exists()
    assert set(json.loads((tmp_path / "run" / "result.json").read_text())) >= {"name", "seed", "evaluations"}


def test_models_are_fetched_only_if_asked_for(
    tmp_path: Path, files: TrainingFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(module, "fetch", lambda *models: fetched.extend(models))
    files = replace(files, start="no/start", teacher="no/teacher")
    for download, expected in ((False, []), (True, ["no/start", "no/teacher"])):
        with pytest.raises(tk.TextkinError, match="no/start"):
            train_files(write_recipe(tmp_path), replace(files, download=download), out=tmp_path / "run")
        assert fetched == expected


def test_an_option_that_does_not_fit_the_recipe_is_refused(tmp_path: Path, files: TrainingFiles) -> None:
    asked = replace(files, reading=tk.Reading(questions="mixed"))
    with pytest.raises(tk.TextkinError) as error:
        train_files(write_recipe(tmp_path), asked, out=tmp_path / "run")
    assert error.value.params == ("questions",)
    assert not (tmp_path / "run").exists()


def test_a_grade_that_is_a_slip_is_named_by_its_line(tmp_path: Path, files: TrainingFiles) -> None:
    marks = [("a card", f"card {at}", f"{at % 5 + 1}") for at in range(30)]
    files = replace(
        files, train=_write(tmp_path / "graded.tsv", [*marks, ("", "empty", "1"), ("a", "b", "50")])
    )
    with pytest.raises(tk.TextkinError) as error:
        train_files(write_recipe(tmp_path), files, out=tmp_path / "run", device="cpu")
    assert error.value.line == 33
    assert not (tmp_path / "run").exists()
