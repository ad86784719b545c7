"""Inheritance of recipe files from their bases, and errors in a base."""

from importlib import resources
from pathlib import Path

import pytest

from textkin.base.errors import ConfigError
from textkin.networks.recipes.files import bundled_recipes, merged, read_recipe_files
from textkin.networks.recipes.recipe import Recipe, load_recipe

BASE = """
name = "ours"
description = "means of words"

[text]
normalise = ["lower", "nfkc"]
min_count = 2

[model]
architecture = "siamese"
arguments = { cell = "mean", dim = 8 }

[[objectives]]
loss = "logistic"
rows = "pairs"

[[objectives]]
loss = "triplet-in-batch"

[training]
epochs = 3
patience = 2
"""


def write(folder: Path, **files: str) -> Path:
    """TOML files by name; returns the last one's path."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder / f"{name}.toml"


def refused(path: Path, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_recipe(path)


def test_tables_merge_key_by_key_and_everything_else_is_replaced(tmp_path):
    own = """
    base = "ours.toml"
    text.normalise = ["lower"]
    model.arguments.dim = 16
    training.epochs = 5
    objectives = [{ loss = "cosent", rows = "pairs" }]
    """
    assert load_recipe(write(tmp_path, ours=BASE, mine=own)) == Recipe.from_dict(
        {
            "name": "mine",
            "description": "means of words",
            "text": {"normalise": ["lower"], "min_count": 2},
            "model": {"architecture": "siamese", "arguments": {"cell": "mean", "dim": 16}},
            "objectives": [{"loss": "cosent", "rows": "pairs"}],
            "training": {"epochs": 5, "patience": 2},
        }
    )


def test_a_name_is_the_files_own(tmp_path):
    path = write(tmp_path, ours=BASE, mine='base = "ours.toml"', named='base = "mine.toml"\nname = "x"')
    assert load_recipe(tmp_path / "ours.toml").name == "ours"
    assert load_recipe(tmp_path / "mine.toml").name == "mine"
    assert load_recipe(path).name == "x"


def test_keys_of_the_base_are_left_out(tmp_path):
    own = 'base = "ours.toml"\nwithout = ["training.patience", "model.arguments"]\nmodel.arguments.dim = 4\n'
    recipe = load_recipe(write(tmp_path, ours=BASE, mine=own))
    assert (recipe.training.epochs, recipe.training.patience) == (3, None)
    assert recipe.model.arguments == {"dim": 4}


def test_a_base_is_bundled_or_seen_from_the_file_that_names_it(tmp_path, monkeypatch):
    write(tmp_path / "shared", ours='base = "deep/ours.toml"\ntext.min_count = 7')
    write(tmp_path / "shared" / "deep", ours='base = "siamese-bag"\ntraining.epochs = 9')
    path = write(tmp_path / "work", mine='base = "../shared/ours.toml"\n')
    monkeypatch.chdir(tmp_path / "shared")
    found = load_recipe(path)
    assert (found.text.min_count, found.training.epochs) == (7, 9)
    assert found.objectives == load_recipe("siamese-bag").objectives
    absolute = write(tmp_path, away=f"base = '{path}'")
    assert load_recipe(absolute).text == load_recipe(Path("../work/mine.toml")).text == found.text


def test_a_bundled_base_serves_own_files_and_is_no_recipe(tmp_path):
    recipe = load_recipe(write(tmp_path, mine='base = "bases/ranking"\nmodel.architecture = "knrm"'))
    assert recipe.task == "ranking"
    assert recipe.training == load_recipe("ranking-knrm").training
    assert not any("/" in name for name in bundled_recipes())
    for name in ("bases/ranking", "ranking"):
        refused(Path(name), "there is no recipe")


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ('base = "none.toml"', r"mine\.toml: base = 'none\.toml': there is no file .*none\.toml; .*seen"),
        ('base = "siamese-bga"', "mine.toml: base = 'siamese-bga' is neither .*; did you mean 'siamese-bag'"),
        ('base = "bases/rankings"', "did you mean 'bases/ranking'"),
        ('base = ["ours.toml"]', r"mine\.toml: base = \['ours\.toml'\]; give one"),
        ("base = 3", "mine.toml: base = 3; give one"),
        ("base = {}", "mine.toml: base = {}; give one"),
        ('base = "broken.toml"', "broken.toml is not TOML: .*line 1"),
        ('base = "latin.toml"', "latin.toml is not UTF-8 at byte 8"),
        ('base = "ours.toml"\nwithout = "text"', "mine.toml: without = 'text'; give a list"),
        ('base = "ours.toml"\nwithout = [1]', r"mine\.toml: without = \[1\]; give a list"),
        ('base = "ours.toml"\nwithout = ["training.patients"]', "did you mean 'training.patience'"),
        ('base = "ours.toml"\nwithout = ["objectives.0.rows"]', "its base has no key 'objectives.0.rows'"),
        ('without = ["text"]', r"mine\.toml: without = \['text'\], and there is no base; name a base"),
    ],
)  # fmt: skip
def test_wrong_bases(tmp_path, own, words):
    (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
    refused(write(tmp_path, ours=BASE, broken="name = \n", mine=own), words)


def test_bases_that_do_not_end(tmp_path):
    write(
        tmp_path,
        a='base = "b.toml"',
        b='base = "sub/../c.toml"',
        c='base = "./b.toml"',
        me='base = "me.toml"',
    )
    (tmp_path / "sub").mkdir()
    refused(
        tmp_path / "a.toml", r"in a circle: .*a\.toml -> .*b\.toml -> .*c\.toml -> .*b\.toml; take base out"
    )
    refused(tmp_path / "me.toml", r"in a circle: .*me\.toml -> .*me\.toml; ")
    write(tmp_path, **{f"n{at}": f'base = "n{at + 1}.toml"' for at in range(1, 9)}, n9=BASE)
    refused(tmp_path / "n1.toml", r"more than 8 files build on one another: .*n1\.toml -> .*n9\.toml; join")
    assert len(read_recipe_files(tmp_path / "n2.toml")) == 8


@pytest.mark.parametrize(
    ("ours", "own", "words"),
    [
        ("nmae = 1", "", r"ours\.toml: unknown key 'nmae'; did you mean 'name'"),
        ("", "training.epohcs = 1", r"mine\.toml: unknown key 'training\.epohcs'; did you mean 'epochs'"),
        ("training.epohcs = 1", "training.epochs = 1", r"ours\.toml: unknown key 'training\.epohcs'"),
        ("", "without_ = []", r"mine\.toml: unknown key 'without_'; did you mean 'without'"),
        ("training.epochs = 0", "training.patience = 1", r"ours\.toml: training\.epochs = 0"),
        ("training.epochs = 3", "training.epochs = 0", r"mine\.toml: training\.epochs = 0"),
        ("training.epochs = 3", "training = 0", r"mine\.toml: training = 0"),
        ("", "objectives = [{ rows = 'pairs' }]", r"mine\.toml: the key 'objectives\.0\.loss' is missing"),
        ("text.ngrams = [3, 5]", "text.spelling = 'ngrams'", r"mine\.toml: text: ngrams .* don't go with"),
    ],
)
def test_a_wrong_key_is_told_with_the_file_that_states_it(tmp_path, ours, own, words):
    small = "objectives = [{ loss = 'logistic' }]\n"
    refused(write(tmp_path, ours=f"{small}{ours}", mine=f"base = 'ours.toml'\n{own}"), words)


def test_every_bundled_base_serves_a_recipe():
    folder = resources.files("textkin.networks.recipes") / "bases"
    bases = {f"bases/{Path(item.name).stem}" for item in folder.iterdir()}
    assert bases == {file.name for name in bundled_recipes() for file in read_recipe_files(name)} - {
        *bundled_recipes()
    }


def flat(values, prefix=""):
    found = {}
    for key, value in values.items():
        found |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return found


@pytest.mark.parametrize("name", bundled_recipes())
def test_bundled_files_state_only_what_differs(name):
    files = read_recipe_files(name)
    for at, file in enumerate(files[:-1], start=1):
        inherited = flat(merged(files[at:]))
        assert [key for key, value in flat(file.values).items() if inherited.get(key) == value] == []


def test_a_byte_order_mark_is_read(tmp_path):
    (tmp_path / "mine.toml").write_text('\ufeffbase = "static"\ntraining.epochs = 1\n', encoding="utf-8")
    assert load_recipe(tmp_path / "mine.toml").training.epochs == 1
