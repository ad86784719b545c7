"""Training with a user's own parts, from Python, recipes and the command line."""

import json
import sys
from copy import deepcopy
from functools import partial

import numpy as np
import pytest

import textkin as tk
from tests.own_modules import NET, TOWER
from tests.verbs.making import rows, write_pairs
from textkin.base.errors import ConfigError, UsageError
from textkin.base.import_path import imported
from textkin.cli import main
from textkin.networks.recipes.recipe import Recipe, load_recipe
from textkin.verbs.train.own_parts import with_parts

LOSS = '''

def squared(scores, labels, *, power: float = 2.0):
    """A loss for the tests."""
    return (scores.sigmoid() - labels).abs().pow(power).mean()

def bad(scores, labels):
    return scores.detach().mean()

def halves(text: str) -> list[str]:
    return [part for word in text.split() for part in (word[:3], word[3:]) if part]
'''
RECIPE = """
name = "{name}"
{more}
[model]
architecture = "{path}"
arguments = {{ {arguments} }}
[text]
tokenise = "{tokenise}"
[[objectives]]
loss = "{loss}"
rows = "pairs"
[training]
epochs = 2
learning_rate = 0.05
"""
ROWS = rows()
TRAIN, DEV = ROWS[:60], ROWS[60:90]
SHORT = Recipe.from_dict(
    {"name": "short", "objectives": [{"loss": "logistic", "rows": "pairs"}], "training": {"epochs": 2}}
)


def test_options_replace_the_parts_of_a_recipe():
    recipe = load_recipe("pairs-esim")
    assert with_parts(recipe, architecture=None, loss=None, tokenise=None) == recipe
    found = with_parts(recipe, architecture="knrm", loss="hinge(margin=0.5)", tokenise="treebank")
    assert (found.name, found.model.architecture, found.model.arguments) == ("knrm", "knrm", {})
    assert (found.objectives[0].loss, found.objectives[0].arguments) == ("hinge", {"margin": 0.5})
    assert (found.text.tokenise, found.training) == ("treebank", recipe.training)
    with pytest.raises(UsageError) as error:
        with_parts(load_recipe("quora-multitask"), architecture=None, loss="hinge", tokenise=None)
    assert error.value.params == ("loss",)


@pytest.mark.torch
def test_a_class_and_functions_are_trained_and_opened(own_module, tmp_path):
    name = own_module(NET + LOSS)
    part = lambda one: imported(f"{name}:{one}", kind="loss")  # noqa: E731
    run = tk.train(
        TRAIN,
        SHORT,
        dev=DEV,
        out=tmp_path / "run",
        architecture=partial(part("Net"), dim=4),
        loss=partial(part("squared"), power=1.5),
        tokenise=part("halves"),
    )
    assert (run.name, len(run.evaluations)) == ("Net", 2)
    manifest = json.loads((run.model / "textkin.json").read_text())
    assert (manifest["architecture"], manifest["arguments"]["dim"]) == (f"{name}:Net", 4)
    assert [one["path"] for one in manifest["code"]] == [f"{name}:Net", f"{name}:halves"]
    assert manifest["provenance"]["recipe"]["objectives"][0]["arguments"] == {"power": 1.5}
    scores = tk.load(run.model).score([(a, b) for a, b, _ in DEV])
    assert np.isfinite(scores).all()
    again = tk.train(
        TRAIN,
        SHORT,
        dev=DEV,
        out=tmp_path / "again",
        architecture=f"{name}:Net(dim=4)",
        loss=f"{name}:squared(power=1.5)",
        tokenise=f"{name}:halves",
    )
    assert [one.dev for one in again.evaluations] == [one.dev for one in run.evaluations]


@pytest.mark.torch
def test_a_network_of_texts_is_an_encoder(own_module, tmp_path):
    path = f"{own_module(TOWER)}:Tower"
    run = tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path, architecture=path)
    assert np.linalg.norm(tk.load_encoder(run.model).encode([TRAIN[0][0]])) == pytest.approx(1, abs=1e-5)


@pytest.mark.torch
def test_a_recipe_names_them_and_classes_are_told_apart(own_module, tmp_path):
    name = own_module(NET + LOSS)
    file = tmp_path / "own.toml"
    values = {"path": f"{name}:Net", "arguments": "dim = 4", "tokenise": f"{name}:halves"}
    file.write_text(RECIPE.format(name="own", more='task = "classes"', loss="cross-entropy", **values))
    data = [(a, b, "same" if label else "other") for a, b, label in ROWS]
    run = tk.train(data[:60], file, dev=data[60:90], out=tmp_path / "run")
    assert json.loads((run.model / "textkin.json").read_text())["classes"] == ["other", "same"]


@pytest.mark.torch
def test_a_command_finds_them_in_the_current_directory(own_module, tmp_path, monkeypatch):
    name = own_module(NET + LOSS, tmp_path, found=False)
    write_pairs(tmp_path / "train.tsv", TRAIN)
    write_pairs(tmp_path / "dev.tsv", DEV)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.toml").write_text(SHORT.to_toml())
    words = f"train --train train.tsv short.toml --dev dev.tsv --out run --architecture {name}:Net(dim=4)"
    assert main([*words.split(), "--loss", f"{name}:squared"]) == 0
    del sys.modules[name]
    assert main(["score", "dev.tsv", "--model", "run/model"]) == 0


@pytest.mark.torch
def test_changed_code_is_another_run_unless_nothing_was_learnt(own_module, tmp_path):
    name = own_module(NET + LOSS)
    options = {"dev": DEV, "out": tmp_path / "run", "architecture": f"{name}:Net"}
    with pytest.raises(UsageError) as error:
        tk.train(TRAIN, SHORT, loss=f"{name}:bad", **options)
    assert error.value.value == "a number without gradient"
    tk.train(TRAIN, SHORT, loss=f"{name}:squared", **options)
    with (tmp_path / "own" / f"{name}.py").open("a") as file:
        file.write("# another one\n")
    with pytest.raises(UsageError) as error:
        tk.train(TRAIN, SHORT, loss=f"{name}:squared", **options)
    assert error.value.params == ("out",)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("wrong", "param"),
    [
        ({"architecture": "no_such_module:Net"}, "architecture"),
        ({"architecture": "textwrap:dedent"}, "architecture"),
        ({"loss": "no_such_module:loss"}, "loss"),
        ({"loss": lambda scores, labels: scores.mean()}, "loss"),
        ({"tokenise": "textwrap:dedent"}, "tokenise"),
    ],
)
def test_a_wrong_part_is_refused_by_its_option(tmp_path, wrong, param):
    with pytest.raises(UsageError) as error:
        tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path / "run", **wrong)
    assert error.value.params == (param,)
    assert not (tmp_path / "run" / "run.json").exists()


@pytest.mark.torch
def test_a_network_gives_its_class_and_its_options(own_module, tmp_path, capsys):
    net = imported(f"{own_module(NET)}:Net", kind="architecture")
    run = tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path / "run", model=deepcopy(net(5, pad_id=0, dim=4)))
    same = tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path / "same", model=partial(net, dim=4))
    assert [(one.dev, one.loss) for one in run.evaluations] == [
        (one.dev, one.loss) for one in same.evaluations
    ]
    assert json.loads((run.model / "textkin.json").read_text())["arguments"]["dim"] == 4
    assert "weights" in capsys.readouterr().err


@pytest.mark.torch
def test_a_network_of_another_base_and_a_wrong_option_are_refused(own_module, tmp_path):
    net = imported(f"{own_module(NET)}:Net", kind="architecture")
    with pytest.raises(UsageError) as error:
        tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path / "run", model=net(5, 0).layer)
    assert (error.value.params, error.value.value) == (("architecture",), "Linear")
    with pytest.raises(ConfigError) as error:
        tk.train(TRAIN, SHORT, dev=DEV, out=tmp_path / "run", model=partial(net, width=3))
    assert error.value.params == ("width",)


@pytest.mark.torch
def test_word_vectors_fill_its_embedding(own_module, tmp_path):
    words = sorted({word for a, b, _ in TRAIN for word in f"{a} {b}".split()})
    file = tmp_path / "vectors.txt"
    file.write_text("".join(f"{word} 0.5 -0.5 {number}\n" for number, word in enumerate(words)))
    name = own_module(NET)
    frozen = SHORT.model_copy(update={"training": SHORT.training.model_copy(update={"learning_rate": 1e-9})})
    run = tk.train(TRAIN, frozen, dev=DEV, out=tmp_path / "run", architecture=f"{name}:Net", vectors=file)
    table = tk.load(run.model).loaded.module.network.words.weight.detach().numpy()
    assert sorted(table[:, 2].round().tolist())[-1] == len(words) - 1
    with pytest.raises(ConfigError, match="Embedding of"):
        tower = own_module(TOWER.replace("nn.Embedding(size, dim)", "nn.Embedding(size, 5)"))
        tk.train(TRAIN, frozen, dev=DEV, out=tmp_path / "t", architecture=f"{tower}:Tower", vectors=file)
