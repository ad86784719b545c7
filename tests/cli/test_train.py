"""textkin train."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from textkin.models.inference.scorers import load_scorer
from textkin.networks.recipes.recipe import load_recipe

pytestmark = pytest.mark.torch


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_train_leaves_a_model_and_says_where(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    command = ["train", recipe, "--train", train, "--dev", dev, "--out", tmp_path / "run", "--device", "cpu"]
    shown = textkin(*command)
    assert shown.code == 0
    assert shown.out.splitlines()[-1] == f"model: {tmp_path / 'run' / 'model'}"
    assert "flatters" not in shown.err
    assert load_scorer(tmp_path / "run" / "model").dim == 8
    told = textkin(*command, "--json").json
    assert told["model"] == str(tmp_path / "run" / "model")
    assert [epoch["epoch"] for epoch in told["evaluations"]] == [1, 2] and told["measure"] == "AP"
    another = textkin(*command, "--seed", 1)
    assert another.code == 2 and "holds another run" in another.error


def test_a_run_keeps_the_whole_of_a_recipe_with_a_base(
    textkin: Textkin, recipe: Path, tmp_path: Path
) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=25)
    own, run = tmp_path / "own.toml", tmp_path / "run"
    own.write_text(f'base = "{recipe.name}"\ntraining.epochs = 1\n')
    assert textkin("train", own, "--train", train, "--dev", dev, "--out", run, "--device", "cpu").code == 0
    assert "base" not in (run / "recipe.toml").read_text()
    wanted = load_recipe(own)
    assert load_recipe(run / "recipe.toml") == wanted
    recipe.write_text(RECIPE.replace("dim = 8", "dim = 4"))
    changed = textkin("train", own, "--train", train, "--dev", dev, "--out", run, "--device", "cpu")
    assert changed.code == 2 and "with other recipe.model" in changed.error


def test_train_warns_of_texts_that_dev_shares(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=19, stop=25)
    more = write_pairs(tmp_path / "more.tsv", start=24, stop=26)
    command = ["train", recipe, "--train", train, "--dev", dev, "--more", more, "--out", tmp_path / "run"]
    found = textkin(*command, "--device", "cpu", "--json")
    assert found.json["name"] == "tiny"
    warnings = [
        line for line in found.err.splitlines() if line.startswith("textkin: warning: 4 texts of dev.tsv")
    ]
    assert ["train.tsv" in warnings[0], "more.tsv" in warnings[1]] == [True, True]


def test_train_stops_before_it_starts(textkin: Textkin, recipe: Path, tmp_path: Path) -> None:
    train, out = write_pairs(tmp_path / "train.tsv"), tmp_path / "run"
    unknown = textkin("train", "nosuch", "--train", train, "--dev", train, "--out", out)
    assert unknown.code == 4 and not out.exists()
    missing = textkin("train", recipe, "--train", train, "--out", out)
    assert missing.code == 2 and "--dev" in missing.error
    one_kind = tmp_path / "dev.tsv"
    one_kind.write_text("question1\tquestion2\tis_duplicate\na b\tc d\t1\ne f\tg h\t1\n")
    assert textkin("train", recipe, "--train", train, "--dev", one_kind, "--out", out).code == 6
    (tmp_path / "file").touch()
    dev = write_pairs(tmp_path / "dev2.tsv", start=30, stop=33)
    assert textkin("train", recipe, "--train", train, "--dev", dev, "--out", tmp_path / "file").code == 7


def test_a_truncated_model_is_an_error_that_names_the_file(
    textkin: Textkin, trained: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for file in (trained / "model").iterdir():
        (model / file.name).write_bytes(file.read_bytes())
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    found = textkin("score", "a", "b", "--model", model)
    assert found.code == 5 and str(weights) in found.error


def test_training_starts_from_the_encoder_in_the_box_by_its_name(textkin: Textkin, tmp_path: Path) -> None:
    rows = "".join(f"text {i}\tother {i}\t{i % 2}\n" for i in range(40))
    (tmp_path / "p.tsv").write_text("text_a\ttext_b\tlabel\n" + rows)
    others = rows.replace("text ", "dev ").replace("other", "further")
    (tmp_path / "d.tsv").write_text("text_a\ttext_b\tlabel\n" + others)
    command = ["train", "static", "--train", tmp_path / "p.tsv", "--dev", tmp_path / "d.tsv"]
    assert textkin(*command, "--start", "default", "--out", tmp_path / "run").code == 0
    missing = textkin(*command, "--start", "no-such-model", "--out", tmp_path / "other")
    assert missing.code == 5 and "no-such-model" in missing.error
