"""sentence-transformers' CrossEncoder and textkin give equal results for a folder, whoever wrote it."""

import json
from shutil import copytree

import numpy as np
import pytest
import torch

from tests.models.interop.tiny_pairs import PAIRS, change, logits, theirs, write_bare, write_theirs
from textkin.base.errors import ModelError
from textkin.models.inference.scorers import NeuralClassifier, NeuralScorer, load_scorer, match_texts
from textkin.models.model_folder import load_model, save_model
from textkin.models.weights import load_tensors, save_tensors

pytestmark = pytest.mark.torch


def outputs(folder, pairs=PAIRS):
    model = load_model(folder)
    return match_texts(model.module, model.pipeline, pairs)


def assert_same(folder, tmp_path):
    """Compare the folder in both libraries, and textkin's copy of it again in both."""
    found = outputs(folder)
    np.testing.assert_allclose(found, logits(folder), atol=1e-5)
    ours = save_model(load_model(folder), tmp_path / "ours")
    np.testing.assert_array_equal(outputs(ours), found)
    np.testing.assert_allclose(found, logits(ours), atol=1e-5)
    first, again = load_model(folder), load_model(ours)
    assert again.pipeline.to_dict() == first.pipeline.to_dict()
    kept = {key: value for key, value in again.arguments.items() if key != "activation"}
    assert kept == {key: value for key, value in first.arguments.items() if key != "activation"}
    assert again.facts.classes == first.facts.classes
    json.dumps(again.arguments)
    return found, ours


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_both_layouts(family, tmp_path):
    folder = write_theirs(tmp_path / "theirs", family, max_length=21)
    found, ours = assert_same(folder, tmp_path)
    assert np.ptp(found) > 0.1  # scores differ, so that equal ones mean something
    assert load_model(folder).pipeline.max_length == 21
    assert isinstance(load_scorer(folder), NeuralScorer)
    bare = write_bare(tmp_path / "bare", family, tokens={"model_max_length": 21})
    np.testing.assert_array_equal(assert_same(bare, tmp_path / "again")[0], found)
    assert not (ours / "modules.json").exists()


def test_without_token_types(tmp_path):
    folder = write_bare(tmp_path / "bare", tokens={"model_input_names": ["input_ids", "attention_mask"]})
    found, _ = assert_same(folder, tmp_path)
    assert np.abs(found - outputs(write_bare(tmp_path / "typed"))).max() > 0.1


def test_classes_and_their_names(tmp_path):
    names = {0: "contradiction", 1: "entailment", 2: "neutral"}
    labels = {name: place for place, name in names.items()}
    folder = write_theirs(tmp_path / "theirs", outputs=3, id2label=names, label2id=labels)
    found, ours = assert_same(folder, tmp_path)
    for scorer in (load_scorer(folder), load_scorer(ours)):
        assert isinstance(scorer, NeuralClassifier)
        assert scorer.labels == ("contradiction", "entailment", "neutral")
    shares = theirs(ours).predict(PAIRS, apply_softmax=True, show_progress_bar=False)
    np.testing.assert_allclose(load_scorer(ours).classify(PAIRS), shares, atol=1e-5)
    assert found.shape == (len(PAIRS), 3)
    assert theirs(ours).config.id2label == names


@pytest.mark.parametrize("place", ["settings", "config", "old"])
def test_the_activation_is_kept_and_never_applied(place, tmp_path):
    relu = "torch.nn.modules.activation.ReLU"
    folder = write_theirs(tmp_path / "theirs") if place == "settings" else write_bare(tmp_path / "bare")
    match place:
        case "settings":
            change(folder / "config_sentence_transformers.json", activation_fn=relu)
        case "config":
            change(folder / "config.json", sentence_transformers={"activation_fn": relu})
        case _:
            change(folder / "config.json", sbert_ce_default_activation_function=relu)
    found, ours = assert_same(folder, tmp_path)
    assert found.min() < 0
    for one in (folder, ours):
        np.testing.assert_allclose(
            theirs(one).predict(PAIRS, show_progress_bar=False), np.maximum(found[:, 0], 0), atol=1e-5
        )
    plain = save_model(load_model(write_bare(tmp_path / "plain")), tmp_path / "plain-ours")
    assert isinstance(theirs(plain).activation_fn, torch.nn.Sigmoid)


def test_a_score_depends_on_its_pair_alone(tmp_path):
    scorer = load_scorer(write_bare(tmp_path, "roberta"))
    together = scorer.score(PAIRS)
    alone = np.concatenate([scorer.score([pair]) for pair in PAIRS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(scorer.score(PAIRS[::-1]), together[::-1], atol=1e-5)


def tensors(folder, spoil):
    found = load_tensors(folder / "model.safetensors")
    spoil(found)
    from safetensors.torch import save_file

    save_file(found, folder / "model.safetensors", metadata={"format": "pt"})


def modules(folder, kind):
    found = json.loads((folder / "modules.json").read_text())
    found.append({"idx": 1, "name": "1", "path": "1_x", "type": f"sentence_transformers.{kind}"})
    (folder / "modules.json").write_text(json.dumps(found))


BROKEN = [
    (lambda folder: change(folder / "config.json", auto_map={"AutoModel": "x.X"}), "asks for code"),
    (lambda folder: change(folder / "tokenizer_config.json", auto_map={"A": "x.X"}), "asks for code"),
    (
        lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
        "never loads pickled weights",
    ),
    (lambda folder: (folder / "tokenizer.json").unlink(), r"tokenizer\.json"),
    (lambda folder: tensors(folder, lambda t: t.pop("classifier.weight")), "tensors are missing, such as cl"),
    (lambda folder: tensors(folder, lambda t: t.pop("bert.pooler.dense.weight")), "are missing, such as be"),
    (
        lambda folder: tensors(folder, lambda t: t.update({"classifier.weight": torch.zeros(2, 5)})),
        "can't be read as a transformer",
    ),
    (
        lambda folder: modules(folder, "cross_encoder.modules.LogitScore"),
        "has the modules Transformer, LogitScore",
    ),
    (
        lambda folder: change(folder / "sentence_bert_config.json", transformer_task="text-generation"),
        "transformer_task is 'text-generation'",
    ),
    (
        lambda folder: change(
            folder / "config_sentence_transformers.json", prompts={"q": "Query: "}, default_prompt_name="q"
        ),
        "puts a prompt before pairs",
    ),
    (
        lambda folder: change(folder / "config.json", sentence_transformers="x"),
        "sentence_transformers is not a JSON object|can't be read",
    ),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_theirs(tmp_path_factory.mktemp("whole") / "theirs")


@pytest.mark.parametrize(("spoil", "message"), BROKEN, ids=[message[:25] for _, message in BROKEN])
def test_a_folder_that_is_not_what_it_must_be(spoil, message, whole, tmp_path):
    folder = copytree(whole, tmp_path / "broken")
    spoil(folder)
    with pytest.raises(ModelError, match=message):
        load_model(folder)


def test_checkpoints_hold_what_is_learnt_alone(whole, tmp_path):
    module = load_model(whole).module
    save_tensors(tmp_path / "checkpoint.safetensors", module.state_dict())
    saved = load_tensors(tmp_path / "checkpoint.safetensors")
    assert all(name.startswith("backbone.") for name in saved)
