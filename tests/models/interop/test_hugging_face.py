"""Bare transformers: kinds, shards, and the tokenizer's files."""

import json
import os
import warnings

import numpy as np
import pytest
import torch

from tests.models.interop.tiny import TEXTS, WIDTH, theirs, tokenizer, write_bare
from textkin.base.errors import ModelError
from textkin.base.hub import located
from textkin.models.adapters import ADAPTER, merged, save_adapter
from textkin.models.inference.scorers import load_scorer
from textkin.models.interop.hugging_face import read_backbone
from textkin.models.model_folder import load_model, save_model
from textkin.models.packed_weights import PACKED, unpacked
from textkin.models.provenance import hash_of_model
from textkin.models.weights import save_tensors

pytestmark = pytest.mark.torch


def network(kind):
    from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM, T5Config, T5Model

    tokens = tokenizer("bert").get_vocab_size()
    heads = {"num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 48, "hidden_size": WIDTH}
    torch.manual_seed(1)
    match kind:
        case "masked":
            return BertForMaskedLM(BertConfig(vocab_size=tokens, **heads))
        case "causal":
            return LlamaForCausalLM(LlamaConfig(vocab_size=tokens, bos_token_id=0, eos_token_id=1, **heads))
        case _:
            sizes = {"d_model": WIDTH, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
            return T5Model(T5Config(vocab_size=tokens, **sizes))


def write(folder, kind, **saving):
    write_bare(folder, **({"model_input_names": ["input_ids", "attention_mask"]} if kind == "t5" else {}))
    for name in ("config.json", "model.safetensors"):
        (folder / name).unlink()
    made = network(kind)
    for weight in made.parameters():
        if weight.ndim == 2:
            torch.nn.init.normal_(weight, std=0.3)
    made.save_pretrained(folder, **saving)
    return folder


@pytest.mark.parametrize(("kind", "pooling"), [("masked", "mean"), ("causal", "last"), ("t5", "mean")])
def test_other_kinds(kind, pooling, tmp_path):
    folder = write(tmp_path / "bare", kind)
    model = load_model(folder)
    assert model.arguments["pooling"] == [pooling]
    vectors = load_scorer(folder).encode(TEXTS)
    saved = save_model(model, tmp_path / "ours")
    assert np.array_equal(load_scorer(saved).encode(TEXTS), vectors)
    expected = theirs(saved).encode(TEXTS)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    alone = np.concatenate([load_scorer(saved).encode([text]) for text in TEXTS[:3]])
    np.testing.assert_allclose(alone, vectors[:3], atol=1e-6)
    if kind != "causal":  # with other special tokens than the tokenizer's
        again = theirs(folder).encode(TEXTS)
        np.testing.assert_allclose(vectors, again / np.linalg.norm(again, axis=1, keepdims=True), atol=1e-5)
    save_tensors(tmp_path / "checkpoint.safetensors", model.module.state_dict())


def test_weights_in_several_files(tmp_path):
    folder = write(tmp_path / "bare", "masked", max_shard_size="20KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 2
    vectors = load_scorer(folder).encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    next(folder.glob("model-00002-*")).unlink()
    with pytest.raises(ModelError, match="can't be read as a transformer"):
        load_model(folder)


@pytest.mark.parametrize(
    ("settings", "special", "length", "start"),
    [
        ({"model_max_length": 6}, {}, 6, "[CLS]"),
        ({"model_max_length": 6, "truncation_side": "left"}, {}, 6, "[CLS]"),
        ({}, {"cls_token": {"content": "[MASK]", "lstrip": False}}, 40, "[MASK]"),
    ],
)
def test_settings_of_the_tokenizer(settings, special, length, start, tmp_path):
    folder = write_bare(tmp_path / "bare", **settings)
    if special:
        (folder / "special_tokens_map.json").write_text(json.dumps(special))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = load_model(folder).pipeline
    again = load_model(save_model(load_model(folder), tmp_path / "ours")).pipeline
    for pipeline in (first, again):
        assert pipeline.max_length == length
        assert pipeline.special_tokens["cls_token"] == start
        assert pipeline.truncate.value == ("tail" if "truncation_side" in settings else "head")
    assert [row.tolist() for row in first.ids(TEXTS)] == [row.tolist() for row in again.ids(TEXTS)]


def test_a_tokenizer_that_the_network_doesn_t_know(tmp_path):
    folder = write_bare(tmp_path)
    made = tokenizer("bert")
    made.add_tokens([f"new{number}" for number in range(9)])
    made.save(str(folder / "tokenizer.json"))
    with pytest.raises(ModelError, match=r"the tokenizer has \d+ tokens, the network \d+"):
        load_model(folder)


def test_adapters_are_refused_before_their_rules_are_read(tmp_path):
    folder = write_bare(tmp_path / "model")
    (folder / "adapter_config.json").write_text('{"peft_type": "LORA", "target_modules": "(a+)+$"}')
    with pytest.raises(ModelError, match=r"holds adapter_config\.json, and textkin reads no adapters; merge"):
        load_scorer(folder)


def test_pipes_are_read_by_nobody(tmp_path):
    folder = write_bare(tmp_path / "model")
    told = hash_of_model(folder)
    os.mkfifo(folder / "more.json")
    assert hash_of_model(folder) == told


def test_an_adapter_opens_as_the_network_it_was_made_from(tmp_path):
    from transformers import BertConfig, BertForQuestionAnswering

    config = BertConfig.from_pretrained(located("minilm"))
    torch.manual_seed(2)
    tuned = BertForQuestionAnswering(config).eval()
    base = {
        f"bert.{name}": torch.from_numpy(one) for name, one in unpacked(located("minilm") / PACKED).items()
    }
    base["bert.encoder.layer.3.output.dense.weight"] += 0.02 * torch.randn(384, 1) @ torch.randn(1, 1536)
    tuned.load_state_dict(base, strict=False)
    tuned.config.save_pretrained(tmp_path)
    state = {name: tensor.numpy() for name, tensor in tuned.state_dict().items()}
    save_adapter(tmp_path / ADAPTER, state, trunk="minilm")
    tuned.load_state_dict({name: torch.from_numpy(one) for name, one in merged(tmp_path / ADAPTER).items()})
    opened = read_backbone(tmp_path, kind=lambda _: BertForQuestionAnswering)
    ids = torch.randint(1_000, 2_000, (2, 12))
    with torch.inference_mode():
        found, expected = opened(input_ids=ids), tuned(input_ids=ids)
    torch.testing.assert_close(found.start_logits, expected.start_logits)
    torch.testing.assert_close(found.end_logits, expected.end_logits)
