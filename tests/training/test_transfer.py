"""Models that start with another architecture's network: transferred weights, and that they learn."""

import numpy as np
import pytest
import torch

from tests.models.interop import tiny
from tests.models.interop.tiny_pairs import PAIRS, logits, tokenizer, write_bare
from tests.verbs.train.test_recipes import graded, premises, questions
from textkin.base.errors import ConfigError
from textkin.data.records import LabelKind
from textkin.models.inference.scorers import NeuralClassifier, load_scorer, match_texts
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import continued
from textkin.training.transfer import begin
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

pytestmark = [pytest.mark.long, pytest.mark.torch]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def encoder(request, tmp_path_factory):
    """The folder of a sentence encoder."""
    folder = tiny.write_bare(tmp_path_factory.mktemp("start") / request.param, request.param)
    made = tokenizer(request.param)
    made.save(str(folder / "tokenizer.json"))
    tiny.backbone(request.param, tokens=made.get_vocab_size()).save_pretrained(folder)
    return folder


def small(name, **training):
    recipe = load_recipe(name)
    changes = {"epochs": 3, "learning_rate": 3e-3, "warmup_steps": 0, **training}
    return recipe.model_copy(update={"training": recipe.training.model_copy(update=changes)})


def test_a_cross_encoder_takes_over_the_network_and_seeds_the_head(encoder):
    start, recipe = load_model(encoder), load_recipe("ranking-cross-encoder")
    made, same, other = (continued(recipe, start, seed=seed) for seed in (1, 1, 2))
    given = start.module.backbone.state_dict()
    for name, tensor in made.module.encoder.state_dict().items():
        assert torch.equal(tensor, given[name])
    weights, again, others = (one.module.state_dict() for one in (made, same, other))
    assert all(torch.equal(weights[name], again[name]) for name in weights)
    head = [name for name in weights if not torch.equal(weights[name], others[name])]
    assert head and all(name.startswith("backbone.classifier") for name in head)
    assert made.module.token_types == ("bert" in encoder.name and "roberta" not in encoder.name)
    assert made.pipeline.max_length == made.arguments["max_length"] == start.pipeline.max_length
    assert all(parameter.requires_grad for parameter in made.module.parameters())
    wide = continued(load_recipe("classes-cross-encoder"), start, seed=1, outputs=3)
    assert wide.module.outputs == wide.arguments["outputs"] == 3


def test_the_recipe_says_how_long_a_pair_may_be(encoder):
    recipe = small("pairs-cross-encoder")
    recipe = recipe.model_copy(update={"text": recipe.text.model_copy(update={"max_length": 9})})
    made = continued(recipe, load_model(encoder), seed=0)
    assert made.pipeline.max_length == made.arguments["max_length"] == 9
    before = match_texts(made.module, made.pipeline, [("a b", "dog " * 9)])
    np.testing.assert_array_equal(before, match_texts(made.module, made.pipeline, [("a b", "dog " * 99)]))


def test_a_ranking_cross_encoder_learns_and_opens_elsewhere(encoder, tmp_path):
    run = train(
        small("ranking-cross-encoder", epochs=25),
        Material(questions(), questions(4), start=encoder),
        out=tmp_path / "run",
        device="cpu",
    )
    assert min(epoch.loss for epoch in run.evaluations[4:]) < run.evaluations[0].loss
    found = load_scorer(run.model).score(PAIRS)
    np.testing.assert_allclose(found[:, None], logits(run.model), atol=1e-5)
    # It is itself a start, with its head; a folder of transformers with a head is one too.
    again = continued(small("pairs-cross-encoder"), load_model(run.model), seed=5)
    scores = match_texts(again.module, again.pipeline, PAIRS)[:, 0]
    np.testing.assert_allclose(scores, found, atol=1e-6)


def test_pairs_and_classes(encoder, tmp_path):
    start = write_bare(tmp_path / "headed") if encoder.name == "bert" else encoder
    material = Material(graded(LabelKind.BINARY), graded(LabelKind.BINARY), start=start)
    run = train(small("pairs-cross-encoder", epochs=2), material, out=tmp_path / "pairs", device="cpu")
    assert run.measure == "AP"
    material = Material(premises(), premises(), start=start)
    run = train(small("classes-cross-encoder", epochs=2), material, out=tmp_path / "classes", device="cpu")
    classifier = load_scorer(run.model)
    assert isinstance(classifier, NeuralClassifier)
    assert classifier.labels == ("yes", "no", "maybe")
    powers = np.exp(logits(run.model))
    np.testing.assert_allclose(
        classifier.classify(PAIRS), powers / powers.sum(axis=1, keepdims=True), atol=1e-5
    )


def test_late_interaction_learns(encoder, tmp_path):
    run = train(
        small("ranking-late-interaction", epochs=25),
        Material(questions(), questions(4), start=encoder),
        out=tmp_path / "run",
        device="cpu",
    )
    assert min(epoch.loss for epoch in run.evaluations[4:]) < run.evaluations[0].loss
    model = load_model(run.model)
    assert model.module.projection.weight.shape == (128, tiny.WIDTH)
    assert begin("late-interaction", model, seed=0).model is model
    again = continued(small("ranking-late-interaction"), model, seed=9)
    np.testing.assert_array_equal(
        match_texts(again.module, again.pipeline, PAIRS)[:, 0], load_scorer(run.model).score(PAIRS)
    )


def test_what_can_t_begin_with_a_network(encoder, tmp_path):
    start = load_model(encoder)
    for name in ("cross-encoder", "late-interaction"):
        with pytest.raises(ConfigError) as error:
            continued(small("ranking-esim"), start, seed=0)
        assert (error.value.params, error.value.value) == (("start",), "transformer")
        assert begin(name, start, seed=0).model.architecture == name
    crossed = begin("cross-encoder", start, seed=0).model
    with pytest.raises(ConfigError) as error:
        continued(small("ranking-late-interaction"), crossed, seed=0)
    assert (error.value.params, error.value.value) == (("start",), "cross-encoder")
    recipe = small("ranking-cross-encoder")
    model = recipe.model.model_copy(update={"overlap": True})
    with pytest.raises(ConfigError) as error:
        continued(recipe.model_copy(update={"model": model}), start, seed=0)
    assert error.value.params == ("overlap",)


def test_a_kind_without_a_head_in_transformers(tmp_path):
    from transformers import T5Config, T5EncoderModel

    tiny.write_bare(tmp_path)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    T5EncoderModel(T5Config(vocab_size=200, **sizes)).save_pretrained(tmp_path)
    with pytest.raises(ConfigError) as error:
        continued(load_recipe("pairs-cross-encoder"), load_model(tmp_path), seed=0)
    assert error.value.params == ("start",)
    assert error.value.expected == "a model that can become a cross-encoder"
