"""textkin train --list and --show."""

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import RECIPE, Textkin
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import load_recipe


@pytest.mark.slow
def test_lists_all(textkin: Textkin) -> None:
    told = textkin("train", "--list", "--json").json["recipes"]
    assert [recipe["name"] for recipe in told] == list(bundled_recipes())
    shown = textkin("train", "--list").out
    assert all(name in shown for name in bundled_recipes())


def test_prints_one_as_toml_or_json(textkin: Textkin, tmp_path: Path) -> None:
    shown = textkin("train", "siamese-bag", "--show").out
    assert shown == load_recipe("siamese-bag").to_toml(stated=True)
    assert "base" not in tomllib.loads(shown) and 'optimiser = "adam"' in shown
    assert textkin("train", "siamese-lstm", "--show", "--json").json == load_recipe("siamese-lstm").to_dict()
    (tmp_path / "mine.toml").write_text(RECIPE)
    assert tomllib.loads(textkin("train", tmp_path / "mine.toml", "--show").out)["name"] == "tiny"
    (tmp_path / "longer.toml").write_text('base = "mine.toml"\ntraining.epochs = 77\n')
    longer = tomllib.loads(textkin("train", tmp_path / "longer.toml", "--show").out)
    assert (longer["name"], longer["training"]["epochs"]) == ("longer", 77)
    assert longer["objectives"] == tomllib.loads(RECIPE)["objectives"]


@pytest.mark.parametrize("text", ["name = 'x'\nepoch = 3", "name = ", "name = 'x'\nobjectives = []", "\x00"])
def test_checks_a_recipe(textkin: Textkin, tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    found = textkin("train", path, "--show")
    assert found.code == 4 and str(path) in found.error
    assert "did you mean 'siamese-lstm'" in textkin("train", "siamese-lstn", "--show").error
