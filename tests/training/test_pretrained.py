"""Training that starts from a pretrained sentence encoder of another library."""

import socket

import numpy as np
import pytest

from tests.cli.conftest import write_pairs
from tests.models.interop.tiny import theirs, write_bare, write_theirs
from tests.text.static_folders import table, wordpiece, write
from textkin.base.errors import ConfigError
from textkin.cli import main
from textkin.models.inference.scorers import load_scorer
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import PRETRAINED, Recipe
from textkin.training.assemble import assemble, continued

pytestmark = pytest.mark.torch

RECIPE = """
name = "tiny"
[text]
max_length = {max_length}
[model]
architecture = "{architecture}"
[model.arguments]
{arguments}
[[objectives]]
loss = "multiple-negatives"
rows = "positives"
batch_size = 8
[training]
epochs = 2
optimiser = "adamw"
learning_rate = {rate}
"""


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def recipe(architecture="transformer", *, arguments="", max_length=12, rate=0.001):
    import tomllib

    text = RECIPE.format(architecture=architecture, arguments=arguments, max_length=max_length, rate=rate)
    return text, Recipe.from_dict(tomllib.loads(text))


def run(tmp_path, start, text):
    path = tmp_path / "tiny.toml"
    path.write_text(text)
    train, dev = write_pairs(tmp_path / "train.tsv"), write_pairs(tmp_path / "dev.tsv", start=20, stop=30)
    arguments = ["train", path, "--train", train, "--dev", dev, "--start", start, "--out", tmp_path / "run"]
    assert main([str(one) for one in [*arguments, "--device", "cpu"]]) == 0
    return tmp_path / "run" / "model"


@pytest.mark.parametrize("bare", [True, False])
def test_a_transformer_learns_and_opens_in_sentence_transformers(bare, tmp_path):
    start = (write_bare if bare else write_theirs)(tmp_path / "start")
    layer = 'dense = [{width = 8, activation = "identity"}]' if bare else ""
    model = run(tmp_path, start, recipe(arguments=layer)[0])
    texts = ["how do I repair router 1", "ways of repairing router 1", "where to sell ticket 7"]
    found, before = load_scorer(model).encode(texts), load_scorer(start).encode(texts)
    expected = theirs(model).encode(texts)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.shape[1] == (8 if bare else 32)
    assert bare or np.abs(found - before).max() > 0.01
    assert load_model(model).pipeline.max_length == 12
    assert run(tmp_path, start, recipe(arguments=layer)[0]) == model  # the finished run
    with pytest.raises(AssertionError):  # another start is another run
        run(tmp_path, write_bare(tmp_path / "other", "mpnet"), recipe(arguments=layer)[0])


def test_a_static_embedding_learns(tmp_path):
    start = write(tmp_path / "start", {"embeddings": table()}, tokenizer=wordpiece())
    text, _ = recipe("static", arguments="projection = 4\ntoken_weights = true", rate=0.05)
    # Of its ten tokens, none but the question mark and some letters are in these texts: enough to run.
    model = run(tmp_path, start, text)
    assert load_scorer(model).encode(["the cat"]).shape == (1, 4)
    assert theirs(model).encode(["the cat"]).shape == (1, 4)


def test_a_pretrained_architecture_needs_a_start():
    for architecture in PRETRAINED:
        with pytest.raises(ConfigError) as error:
            assemble(recipe(architecture)[1], ["a text"], seed=0)
        assert error.value.params == ("start",)


def test_what_a_recipe_changes(tmp_path):
    start = load_model(write_theirs(tmp_path / "start"))
    made = continued(recipe(arguments='pooling = ["first"]\ntruncate = 16', max_length=99)[1], start, seed=0)
    assert (made.module.pooling, made.module.dim) == (("first",), 16)
    assert made.pipeline.max_length == 40  # the network's number of positions
    assert made.arguments["backbone"] == start.arguments["backbone"]
    same = continued(recipe()[1], start, seed=0)
    for name, tensor in start.module.state_dict().items():
        assert (same.module.state_dict()[name] == tensor).all()
    with pytest.raises(ConfigError) as error:
        continued(recipe("siamese")[1], start, seed=0)
    assert (error.value.params, error.value.expected) == (("start",), "siamese")
    with pytest.raises(ConfigError) as error:
        continued(recipe(arguments="poling = 1")[1], start, seed=0)
    assert error.value.params == ("poling",)
