"""transformers and textkin give equal results for a question-answering folder, whoever wrote it."""

import json
from shutil import copytree

import numpy as np
import pytest
import torch

from tests.models.interop import tiny, tiny_pairs
from tests.models.interop.tiny_readers import PASSAGES, QUESTIONS, ours, theirs, write_bare
from textkin.base.errors import ModelError
from textkin.models.inference.scorers import load_scorer
from textkin.models.inference.span_engine import SpanEngine
from textkin.models.inference.span_readers import load_reader
from textkin.models.model_folder import load_model, save_model
from textkin.networks.architectures.transformer_reader import TransformerReader

pytestmark = pytest.mark.torch


def outputs(folder):
    """The network's outputs for all questions."""
    model = load_model(folder)
    ids = [model.pipeline.ids(side) for side in (QUESTIONS, PASSAGES)]
    return SpanEngine(model.module, pad_id=model.pipeline.pad_id).logits(*ids)


def assert_theirs(folder, *, none):
    found = outputs(folder)
    for one, question, passage in zip(found, QUESTIONS, PASSAGES, strict=True):
        first, inside = theirs(folder, question, passage)
        np.testing.assert_allclose(np.stack([one.start, one.end]), inside, atol=1e-5)
        if none:
            assert one.none == pytest.approx(first.sum(), abs=1e-5)
        else:
            assert one.none is None
    assert max(np.ptp(one.start) for one in found) > 0.1  # logits differ, so that equal ones mean something


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert", "mpnet"])
def test_a_folder_of_transformers(family, tmp_path):
    folder = write_bare(tmp_path / "theirs", family, tokens={"model_max_length": 33})
    ours(folder, most=7, answers_none=True)
    assert_theirs(folder, none=True)
    model = load_model(folder)
    assert (model.architecture, model.module.most, model.pipeline.max_length) == ("reader", 7, 33)
    again = save_model(model, tmp_path / "ours")
    assert_theirs(again, none=True)
    saved = load_model(again)
    assert saved.pipeline.to_dict() == model.pipeline.to_dict()
    assert saved.arguments == model.arguments
    json.dumps(saved.arguments)
    for one, other in zip(outputs(folder), outputs(again), strict=True):
        np.testing.assert_array_equal(one.start, other.start)
        assert one.none == other.none
    assert load_reader(again).answers_none


def test_without_our_settings_there_is_always_an_answer(tmp_path):
    folder = write_bare(tmp_path / "theirs")
    assert_theirs(folder, none=False)
    reader = load_reader(folder)
    assert not reader.answers_none
    assert load_model(folder).module.most == 30
    answers = reader.read(QUESTIONS, PASSAGES, k=2)
    for found, passage in zip(answers, PASSAGES, strict=True):
        assert found[0].text == passage[found[0].start : found[0].end] != ""
        assert found[0].probability >= found[-1].probability


def test_a_long_passage_is_read_in_windows_that_fit(tmp_path):
    folder = write_bare(tmp_path / "theirs", "roberta")  # 38 tokens at most
    passage = " ".join(["over the dog"] * 60) + " my password " + " ".join(["again and again"] * 30)
    for question in ("Who?", "How do I reset my password, again and again and again and again? " * 4):
        (found,) = load_reader(folder).read([question], [passage])
        assert found[0].text == passage[found[0].start : found[0].end] != ""


def test_any_length_of_an_answer(tmp_path):
    folder = write_bare(tmp_path)
    ours(folder, most=None)
    assert load_model(folder).module.most is None


def change(folder, **values):
    tiny_pairs.change(folder / "config.json", **values)


def tensors(folder, spoil):
    from safetensors.torch import load_file, save_file

    found = load_file(folder / "model.safetensors")
    spoil(found)
    save_file(found, folder / "model.safetensors", metadata={"format": "pt"})


BROKEN = [
    (lambda folder: change(folder, auto_map={"AutoModel": "x.X"}), "asks for code"),
    (lambda folder: change(folder, textkin=[30]), "textkin is .*expected an object"),
    (lambda folder: change(folder, textkin={"most": 0}), "most is 0, expected a whole number from 1"),
    (lambda folder: change(folder, textkin={"answers_none": 1}), "answers_none is 1, expected true or false"),
    (lambda folder: tensors(folder, lambda t: t.pop("qa_outputs.bias")), "tensors are missing, such as qa"),
    (
        lambda folder: tensors(folder, lambda t: t.update({"qa_outputs.weight": torch.ones(3, tiny.WIDTH)})),
        "can't be read as a transformer",
    ),
    (lambda folder: (folder / "tokenizer.json").unlink(), r"tokenizer\.json"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write_bare(tmp_path_factory.mktemp("whole") / "theirs")


@pytest.mark.parametrize(("spoil", "message"), BROKEN, ids=[message[:25] for _, message in BROKEN])
def test_a_folder_that_is_not_what_it_must_be(spoil, message, whole, tmp_path):
    folder = copytree(whole, tmp_path / "broken")
    spoil(folder)
    with pytest.raises(ModelError, match=message):
        load_model(folder)


def test_a_head_of_three_outputs_is_refused(tmp_path):
    folder = write_bare(tmp_path, num_labels=3)
    with pytest.raises(ModelError, match="its network doesn't read texts alone"):
        load_model(folder)


def test_a_network_that_writes_is_refused(tmp_path):
    from transformers import BartConfig, BartForQuestionAnswering

    write_bare(tmp_path)
    sizes = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 16}
    BartForQuestionAnswering(BartConfig(vocab_size=300, **sizes, **heads)).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="writes as well as it reads"):
        load_model(tmp_path)


def test_a_reader_is_no_scorer(whole):
    assert isinstance(load_model(whole).module, TransformerReader)
    with pytest.raises(ModelError, match="compare texts"):
        load_scorer(whole)
    with pytest.raises(ModelError, match="which points at no answers"):
        load_reader(tiny_pairs.write_bare(whole.with_name("scores")))
