"""Model folders that need a user's own code."""

import json
import sys

import pytest

from tests.own_modules import NET
from textkin.base.errors import ModelError
from textkin.models.inference.scorers import scorer_of
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, load_model, save_model
from textkin.models.provenance import hash_of_scorer
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import build_vocabulary

pytestmark = pytest.mark.torch

SPLIT = "\n\ndef split(text: str) -> list[str]:\n    return text.split()\n"


@pytest.fixture
def saved(own_module, tmp_path):
    """The folder of a model with an own network and an own tokeniser, and its module's name."""
    name = own_module(NET + SPLIT)
    pipeline = WordPipeline(build_vocabulary([["a", "b"]]), tokenise=f"{name}:split")
    arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id}
    module = build(f"{name}:Net", **arguments)
    return save_model(
        Model(ModelFacts("net"), f"{name}:Net", arguments, module, pipeline), tmp_path / "model"
    ), name


def test_it_opens_where_its_code_is(saved):
    folder, name = saved
    noted = json.loads((folder / "textkin.json").read_text())["code"]
    assert [one["path"] for one in noted] == [f"{name}:Net", f"{name}:split"]
    assert len({one["sha256"] for one in noted}) == 1
    scores = scorer_of(load_model(folder)).score([("a b", "b"), ("a", "a")])
    assert scores.shape == (2,)


def test_without_its_code_it_says_what_is_missing(saved, tmp_path):
    folder, name = saved
    (tmp_path / "own" / f"{name}.py").unlink()
    del sys.modules[name]
    with pytest.raises(ModelError, match=f"a module {name}"):
        load_model(folder)


def test_changed_code_is_told(saved, tmp_path, capsys):
    folder, name = saved
    before = hash_of_scorer(folder)
    load_model(folder)
    assert "changed" not in capsys.readouterr().err
    with (tmp_path / "own" / f"{name}.py").open("a") as file:
        file.write("# a remark\n")
    load_model(folder)
    assert f"{name} has changed since" in capsys.readouterr().err
    assert hash_of_scorer(folder) == before


def test_code_that_is_not_noted_is_not_run(saved):
    folder, name = saved
    del sys.modules[name]
    file = folder / "textkin.json"
    manifest = json.loads(file.read_text())
    manifest["code"] = manifest["code"][1:]
    file.write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="isn't noted"):
        load_model(folder)
    assert name not in sys.modules


def test_the_code_of_a_model_folder_is_not_run(saved, tmp_path, monkeypatch):
    folder, name = saved
    (tmp_path / "own" / f"{name}.py").rename(folder / f"{name}.py")
    del sys.modules[name]
    monkeypatch.syspath_prepend(str(folder))
    with pytest.raises(ModelError, match="outside of model folders"):
        load_model(folder)
    assert name not in sys.modules
