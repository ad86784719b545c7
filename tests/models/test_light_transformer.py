"""The built-in transformer in NumPy: equal to torch, with all of an encoder's methods."""

import json
import math
import pickle
from functools import cache

import numpy as np
import pytest
from scipy.special import erf

from textkin.base.errors import ModelError
from textkin.base.hub import MINILM, located
from textkin.data.protocols import Encoder
from textkin.models.light_network import gelu
from textkin.models.light_transformer import LightTransformer
from textkin.models.packed_weights import PACKED, unpacked

TEXTS = ["How old are you?", "", "What is your age?", "超市 什么", "How old are you?", "word " * 300, "cat"]


@cache
def minilm():
    return LightTransformer(located(MINILM), name="minilm")


def by_definition(ids):
    """One text's vector, from the weights, in float64 and head by head."""
    weights = {name: tensor.astype(np.float64) for name, tensor in unpacked(located(MINILM) / PACKED).items()}

    def dense(rows, place):
        return rows @ weights[f"{place}.weight"].T + weights[f"{place}.bias"]

    def norm(rows, place):
        rows = rows - rows.mean(axis=1, keepdims=True)
        rows = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True) + 1e-12)
        return rows * weights[f"{place}.LayerNorm.weight"] + weights[f"{place}.LayerNorm.bias"]

    states = weights["embeddings.word_embeddings.weight"][ids]
    states = states + weights["embeddings.position_embeddings.weight"][: len(ids)]
    states = norm(states + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
    for layer in range(6):
        place = f"encoder.layer.{layer}"
        query, key, value = (
            dense(states, f"{place}.attention.self.{part}") for part in ("query", "key", "value")
        )
        looked = np.empty_like(states)
        for head in range(12):
            own = slice(32 * head, 32 * head + 32)
            powers = np.exp(query[:, own] @ key[:, own].T / math.sqrt(32))
            looked[:, own] = powers / powers.sum(axis=1, keepdims=True) @ value[:, own]
        looked = dense(looked, f"{place}.attention.output.dense")
        states = norm(states + looked, f"{place}.attention.output")
        wide = dense(states, f"{place}.intermediate.dense")
        wide *= 0.5 * (1 + erf(wide / math.sqrt(2)))
        states = norm(states + dense(wide, f"{place}.output.dense"), f"{place}.output")
    mean = states.mean(axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.slow
def test_vectors_are_those_of_the_definition():
    texts = ["How old are you?", "A man is playing a guitar, and someone listens."]
    ids = minilm()._pipeline.ids(texts)
    np.testing.assert_allclose(minilm().encode(texts), [by_definition(one) for one in ids], atol=2e-6)


@pytest.mark.slow
def test_a_text_has_its_vector_among_all_others():
    vectors = minilm().encode(TEXTS)
    assert vectors.shape == (len(TEXTS), minilm().dim) == (7, 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(minilm().encode([text])[0], vector, atol=1e-6)
    np.testing.assert_array_equal(vectors[0], vectors[4])
    assert minilm().encode([]).shape == (0, 384)


@pytest.mark.slow
def test_long_texts_are_cut():
    assert minilm().max_tokens == 254
    assert minilm().lengths(["word " * 300]).tolist() == [300]
    (left, right) = minilm().encode(["word " * 254, "word " * 254 + "cat"])
    np.testing.assert_allclose(left, right, atol=1e-6)


@pytest.mark.slow
def test_it_is_an_encoder_that_goes_to_another_process():
    assert isinstance(minilm(), Encoder)
    again = pickle.loads(pickle.dumps(minilm()))
    assert again.name == "minilm"
    pairs = [("How old are you?", "What is your age?"), ("How old are you?", "Where is the cat?")]
    alike, other = again.score(pairs)
    np.testing.assert_array_equal(again.score(pairs), minilm().score(pairs))
    assert alike > other + 0.5


def test_what_is_missing_or_broken_is_named(tmp_path):
    for item in located(MINILM).glob("*.json"):
        (tmp_path / item.name).write_bytes(item.read_bytes())
    with pytest.raises(ModelError) as error:
        LightTransformer(tmp_path, name="broken")
    assert str(error.value.path).endswith("model.int8.safetensors")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError) as error:
        LightTransformer(tmp_path, name="broken")
    assert (error.value.params, error.value.path.name) == (("num_hidden_layers",), "config.json")


@pytest.mark.parametrize(
    ("file", "key", "value", "words"),
    [
        ("config.json", "num_attention_heads", 7, "num_attention_heads is 7"),
        ("config.json", "num_attention_heads", 0, "num_attention_heads is 0"),
        ("config.json", "num_attention_heads", 3.5, "num_attention_heads is 3.5"),
        ("config.json", "num_hidden_layers", 5, "more than 5 layers"),
        ("config.json", "num_hidden_layers", 7, "no tensor"),
        ("config.json", "layer_norm_eps", "small", "layer_norm_eps"),
        ("config.json", "layer_norm_eps", None, "layer_norm_eps"),
        ("config.json", "hidden_act", "relu", "hidden_act is 'relu'"),
        ("config.json", "position_embedding_type", "relative_key", "position_embedding_type"),
        ("sentence_bert_config.json", "max_seq_length", 513, "max_seq_length is 513"),
        ("sentence_bert_config.json", "max_seq_length", "long", "max_seq_length"),
    ],
)
def test_settings_that_make_no_model(tmp_path, file, key, value, words):
    for item in located(MINILM).iterdir():
        if item.is_file():
            (tmp_path / item.name).symlink_to(item)
    values = json.loads((tmp_path / file).read_text()) | {key: value}
    (tmp_path / file).unlink()
    (tmp_path / file).write_text(json.dumps(values))
    with pytest.raises(ModelError, match=words):
        LightTransformer(tmp_path, name="broken")


def test_gelu_is_the_exact_one():
    rows = np.linspace(-8, 8, 4_001, dtype=np.float32)
    expected = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in rows.tolist()]
    gelu(rows)
    np.testing.assert_allclose(rows, expected, atol=1e-6)
