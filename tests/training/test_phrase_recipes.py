"""Phrase recipes: their start, and that they learn; the model finds its reader's answers."""

import numpy as np
import pytest
import torch

from tests.models.interop import tiny
from textkin.base.errors import ConfigError
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet
from textkin.models.inference.phrase_encoders import load_phrase_encoder
from textkin.models.inference.span_readers import load_reader
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import assemble, continued
from textkin.training.transfer import begin
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

PRETRAINED = ["spans-piqa-contextual", "spans-piqa-transformer"]
COLOURS, THINGS = ["red", "blue", "green", "brown"], ["house", "car", "dog", "lamp"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny.write_bare(tmp_path_factory.mktemp("start") / "bert")


def small(name, *, arguments=None, **training):
    recipe = load_recipe(name)
    changes = {"epochs": 8, "learning_rate": 3e-3, "warmup_steps": 0, **training}
    [objective] = recipe.objectives
    updates = {
        "training": recipe.training.model_copy(update=changes),
        "objectives": (objective.model_copy(update={"batch_size": 8}),),
        "text": recipe.text.model_copy(update={"max_length": 30, "oov_buckets": 4})
        if name not in PRETRAINED
        else recipe.text.model_copy(update={"max_length": 30}),
    }
    given = {"hidden": 8, "dim": 16} if name not in PRETRAINED else {}
    given |= {"hidden": 8} if name.endswith("contextual") else {}
    model = recipe.model.model_copy(
        update={"arguments": {**recipe.model.arguments, **given, **(arguments or {})}}
    )
    return recipe.model_copy(update={**updates, "model": model})


def rooms(name, turn):
    """Passages in which everything has a colour, and questions about the colours."""
    passages, asked = {}, []
    for number in range(8):
        colours = [COLOURS[(number * turn + place) % 4] for place in range(4)]
        text = ", ".join(f"the {thing} is {colour}" for thing, colour in zip(THINGS, colours, strict=True))
        key = f"{name}{number}"
        passages[key] = Passage(passage_id=key, title="", text=f"{key}: {text}")
        thing = THINGS[number % 4]
        start = passages[key].text.index(f"{thing} is ") + len(thing) + 4
        answer = Span(start, colours[number % 4])
        asked.append(SpanQuestion(f"{key}?", f"what is the {thing} like in {key}", key, (answer,)))
    return SpanSet(passages, tuple(asked), name)


TRAIN, DEV = rooms("t", 1), rooms("d", 3)


@pytest.mark.parametrize(
    "name", ["spans-piqa", "spans-piqa-attention", "spans-piqa-contextual", "spans-piqa-transformer"]
)
def test_a_recipe_learns_and_its_phrases_are_those_of_its_reader(name, encoder, tmp_path):
    start = encoder if name in PRETRAINED else None
    # Tokenizers are retrained each time, not always equally; some need more epochs than others.
    run = train(small(name, epochs=24), Material(TRAIN, DEV, start=start), out=tmp_path / "run", device="cpu")
    assert run.evaluations[-1].loss < 0.97 * run.evaluations[0].loss
    apart, reader = load_phrase_encoder(run.model), load_reader(run.model)
    passages = [DEV.passages[question.passage_id].text for question in DEV]
    questions = [question.question for question in DEV]
    asked = apart.questions(questions)
    for phrases, vector, best in zip(
        apart.phrases(passages), asked, reader.read(questions, passages), strict=True
    ):
        scores = phrases.vectors @ vector
        assert scores.max() == pytest.approx(best[0].score, abs=1e-4)
        runner_up = np.sort(scores)[-2]
        if scores.max() - runner_up > 1e-4:
            assert tuple(phrases.offsets[scores.argmax()].tolist()) == (best[0].start, best[0].end)


def test_characters_are_read(tmp_path):
    made = assemble(small("spans-piqa"), ["the house is red"], seed=0)
    assert made.arguments["unit_size"] == 4096
    assert made.module.characters is not None


@pytest.mark.parametrize("name", PRETRAINED)
def test_a_network_is_taken_over_and_the_rest_seeded(name, encoder):
    start = load_model(encoder)
    given = {key: tensor.clone() for key, tensor in start.module.backbone.state_dict().items()}
    made, same, other = (continued(small(name), start, seed=seed) for seed in (1, 1, 2))
    prefix = "states.backbone." if name.endswith("contextual") else "backbone."
    weights, again, others = (one.module.state_dict() for one in (made, same, other))
    for key, tensor in given.items():
        assert torch.equal(weights[prefix + key], tensor)
    assert all(torch.equal(weights[key], again[key]) for key in weights)
    drawn = {key for key in weights if not torch.equal(weights[key], others[key])}
    assert drawn and not any(key.startswith(prefix) for key in drawn)
    assert made.pipeline.max_length == 30
    # The model that was started from is still one that can be trained.
    assert all(
        one.requires_grad for key, one in start.module.backbone.named_parameters() if "pooler" not in key
    )


@pytest.mark.parametrize("name", PRETRAINED)
@pytest.mark.parametrize("between", ["reader", "cross-encoder"])
def test_models_of_two_texts_give_their_network(name, between, encoder):
    start = begin(between, load_model(encoder), seed=0).model
    made = continued(small(name), start, seed=1)
    prefix = "states.backbone." if name.endswith("contextual") else "backbone."
    weights = made.module.state_dict()
    given = start.module.encoder.state_dict()
    for key, tensor in given.items():
        assert torch.equal(weights[prefix + key], tensor)
    assert made.taken_over is not None
    assert made.taken_over.loaded >= len(given)
    head = "qa_outputs" if between == "reader" else "classifier"
    assert {key.split(".")[1] for key in made.taken_over.left if key.startswith("backbone.")} >= {head}


def test_two_towers_start_alike(encoder):
    recipe = small("spans-piqa-transformer", arguments={"shared": False, "width": 6, "prior": True})
    made = continued(recipe, load_model(encoder), seed=1).module
    assert made.width == 6
    assert made.learns_priors
    for key, tensor in made.backbone.state_dict().items():
        assert torch.equal(made.asking.state_dict()[key], tensor)


@pytest.mark.parametrize("name", PRETRAINED)
def test_what_is_not_the_start_s_is_not_said_to_be_left(name, encoder):
    start = load_model(encoder)
    found = continued(small(name), start, seed=0).taken_over
    assert found.left == ()
    assert found.loaded == len(start.module.backbone.state_dict())
    assert found.anew and not any(key.startswith(("backbone.", "asking.", "states.")) for key in found.anew)


def test_what_starts_where(encoder):
    with pytest.raises(ConfigError) as error:
        assemble(small("spans-piqa-contextual"), ["a"], seed=0)
    assert (error.value.params, error.value.value) == (("start",), None)
    with pytest.raises(ConfigError) as error:
        continued(small("spans-piqa"), load_model(encoder), seed=0)
    assert (error.value.params, error.value.value) == (("start",), "transformer")
    made = begin("piqa-transformer", load_model(encoder), seed=0).model
    assert begin("piqa-transformer", made, seed=0).model is made
