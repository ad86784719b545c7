"""Training that continues from a model of another task: weights and messages."""

import json

import numpy as np
import pytest
import torch

from tests.models.interop import tiny, tiny_pairs, tiny_readers
from tests.training.test_transfer import small
from tests.verbs.train.test_recipes import premises, questions
from textkin.base.errors import ConfigError
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet
from textkin.measures.metrics.spans import SquadRules, score_answers
from textkin.models.inference.scorers import load_scorer
from textkin.models.inference.span_readers import load_reader
from textkin.models.model_folder import load_model
from textkin.networks.recipes.recipe import load_recipe
from textkin.training.assemble import continued
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

FACTS = [("dog", "lazy"), ("fox", "quick"), ("password", "secret"), ("router", "blue"), ("zebra", "striped")]


def spans():
    """Questions about what an animal or thing is: the answer is the word after "is"."""
    passages, asked = {}, []
    for number, (thing, colour) in enumerate(FACTS):
        text = f"As all know, the {thing} is {colour} and was so again."
        passages[f"p{number}"] = Passage(f"p{number}", "", text)
        span = Span(text.index(colour), colour)
        asked.append(SpanQuestion(f"q{number}", f"How is the {thing}?", f"p{number}", (span,)))
    return SpanSet(passages, tuple(asked), name="facts")


def reader_recipe(**training):
    return small("spans-reader", **{"epochs": 30, "learning_rate": 3e-3, **training})


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    torch.manual_seed(0)  # made before the seed of each test is set
    folder = tiny.write_bare(tmp_path_factory.mktemp("start") / "bert")
    made = tiny_pairs.tokenizer("bert")
    made.save(str(folder / "tokenizer.json"))
    tiny.backbone("bert", tokens=made.get_vocab_size()).save_pretrained(folder)
    return folder


def inner(module):
    return {name: tensor for name, tensor in module.state_dict().items() if "pooler" not in name}


def test_a_reader_learns_from_an_encoder_and_opens_elsewhere(encoder, tmp_path):
    recipe = reader_recipe(epochs=80)  # its tokenizer is learnt differently in each process
    run = train(recipe, Material(spans(), spans(), start=encoder), out=tmp_path, device="cpu")
    assert run.measure == "F1"
    assert run.evaluations[-1].loss < 0.9 * run.evaluations[0].loss
    assert run.taken_over.anew == ("backbone.qa_outputs.weight", "backbone.qa_outputs.bias")
    reader = load_reader(run.model)
    texts = [spans().passages[one.passage_id].text for one in spans()]
    answers = reader.read([one.question for one in spans()], texts)
    gold = {one.question_id: [one.answers[0].text] for one in spans()}
    told = {one.question_id: found[0].text for one, found in zip(spans(), answers, strict=True)}
    assert score_answers(gold, told, rules=SquadRules.V1).f1.mean() == pytest.approx(run.dev)
    text = texts[0]
    _, inside = tiny_readers.theirs(run.model, "How is the dog?", text)
    ids = [load_model(run.model).pipeline.ids([one]) for one in ("How is the dog?", text)]
    found = reader._engine.logits(*ids)[0]
    np.testing.assert_allclose(np.stack([found.start, found.end]), inside, atol=1e-5)
    # The result is read again unchanged.
    again = train(recipe, Material(spans(), spans(), start=encoder), out=tmp_path, device="cpu")
    assert again.taken_over == run.taken_over
    assert json.loads((tmp_path / "result.json").read_text())["taken_over"]["loaded"] > 0


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_between_readers_and_cross_encoders(family, tmp_path):
    reader = load_model(tiny_readers.write_bare(tmp_path / "reader", family))
    pairs = load_model(tiny_pairs.write_bare(tmp_path / "pairs", family))
    for start, recipe, anew, left in (
        (reader, "ranking-cross-encoder", ("classifier", "pre_classifier"), ("qa_outputs",)),
        (pairs, "spans-reader", ("qa_outputs",), ("classifier", "pre_classifier")),
    ):
        made, again = (continued(load_recipe(recipe), start, seed=seed) for seed in (1, 2))
        given, taken = inner(start.module.encoder), inner(made.module.encoder)
        assert given.keys() == taken.keys()
        assert all(torch.equal(given[name], taken[name]) for name in given)
        heads = [name.split(".")[1] for name in made.taken_over.anew if "pooler" not in name]
        assert set(heads) <= set(anew) and heads
        assert all(name.split(".")[1] in left for name in made.taken_over.left if "pooler" not in name)
        weights, others = made.module.state_dict(), again.module.state_dict()
        differ = {name for name in weights if not torch.equal(weights[name], others[name])}
        assert {name for name in made.taken_over.anew if name.endswith("weight")} <= differ
        assert differ <= set(made.taken_over.anew)
        assert made.module.token_types == start.module.token_types
        assert made.pipeline.max_length == start.pipeline.max_length


def test_a_reader_goes_on_from_a_reader_with_its_head(tmp_path):
    folder = tiny_readers.write_bare(tmp_path)
    tiny_readers.ours(folder, most=5, answers_none=True)
    start = load_model(folder)
    made = continued(load_recipe("spans-reader"), start, seed=0)
    assert not made.taken_over.anew and not made.taken_over.sentence()
    assert (made.module.most, made.module.answers_none) == (5, True)
    both = zip(made.module.parameters(), start.module.parameters(), strict=True)
    assert all(torch.equal(one, two) for one, two in both)


def test_what_has_no_head_for_answers_is_refused(tmp_path):
    from transformers import T5Config, T5EncoderModel

    tiny.write_bare(tmp_path)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    T5EncoderModel(T5Config(vocab_size=200, **sizes)).save_pretrained(tmp_path)
    with pytest.raises(ConfigError) as error:
        continued(load_recipe("spans-reader"), load_model(tmp_path), seed=0)
    assert (error.value.params, error.value.expected) == (("start",), "a model that can become a reader")


@pytest.fixture(scope="module")
def span_model(tmp_path_factory):
    """A reader like BiDAF, with other sizes than the recipes for sentences."""
    recipe = small("spans-bidaf", epochs=1)
    arguments = {"hidden": 7, "char_filters": 11, "dim": 13, "train_embedding": False}
    model = recipe.model.model_copy(update={"arguments": arguments})
    out = tmp_path_factory.mktemp("spans")
    return train(
        recipe.model_copy(update={"model": model}), Material(spans(), spans()), out=out, device="cpu"
    )


def test_bidaf_reads_characters(span_model):
    assert load_model(span_model.model).module.layers.characters is not None


def test_bidaf_t_starts_from_a_reader(span_model, tmp_path):
    start = load_model(span_model.model)
    recipe = small("ranking-bidaf-t", epochs=1)
    made = continued(recipe, start, seed=3)
    given, taken = start.module.layers.state_dict(), made.module.layers.state_dict()
    assert given.keys() == taken.keys()
    assert all(torch.equal(given[name], taken[name]) for name in given)
    assert made.pipeline is start.pipeline
    assert made.arguments["hidden"] == 7 and made.arguments["dim"] == 13
    assert made.taken_over.anew == ("output.weight", "output.bias")
    assert {name.split(".")[0] for name in made.taken_over.left} == {"first", "ending", "last"}
    assert made.taken_over.kept == ("hidden = 7",)
    assert "kept from that model: hidden = 7" in made.taken_over.sentence()
    run = train(
        recipe, Material(questions(), questions(4), start=span_model.model), out=tmp_path, device="cpu"
    )
    assert run.taken_over == continued(recipe, start, seed=0).taken_over
    assert np.isfinite(load_scorer(run.model).score([("How is the dog?", "It is lazy.")])).all()
    # A model of sentences starts another one, all of it, whatever the recipe's sizes are.
    again = continued(recipe, load_model(run.model), seed=0)
    assert not again.taken_over.anew
    assert again.taken_over.kept == ("hidden = 7",)


def test_a_classifier_goes_on_from_one_of_other_classes(tmp_path):
    recipe = small("classes-word-means", epochs=1, least_steps=0)
    first = train(recipe, Material(premises(), premises()), out=tmp_path / "first", device="cpu")
    assert first.taken_over is None
    data = premises()
    fewer = data.select([row for row, pair in enumerate(data) if pair.label != 2.0])
    fewer = type(data)(fewer.pairs, fewer.kind, data.classes[:2], name="fewer")
    run = train(recipe, Material(fewer, fewer, start=first.model), out=tmp_path / "then", device="cpu")
    assert run.taken_over.anew == run.taken_over.left
    weights = load_model(run.model).module.state_dict()
    assert {len(weights[name]) for name in run.taken_over.anew} == {2}
    assert 0 < len(run.taken_over.anew) < run.taken_over.loaded
    assert load_scorer(run.model).labels == data.classes[:2]
    same = train(recipe, Material(data, data, start=first.model), out=tmp_path / "same", device="cpu")
    assert not same.taken_over.sentence()


def test_what_can_t_start_says_so(span_model):
    with pytest.raises(ConfigError) as error:
        continued(load_recipe("ranking-esim"), load_model(span_model.model), seed=0)
    assert (error.value.params, error.value.value, error.value.expected) == (("start",), "bidaf", "esim")
