"""Invalid folders: an error of models, never a crash, and no meaningless vectors."""

import json
import os
import shutil
from hashlib import sha256

import numpy as np
import pytest
from benchmarks.fuzzing.folders import READERS, TEXTS, write_models
from safetensors.numpy import load_file, save_file

from textkin.base.errors import ModelError
from textkin.kinds.systems import load, load_reader

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    write_models(place)
    return place


def change(path, key, value):
    found = json.loads(path.read_text())
    where = found
    *way, last = key
    for step in way:
        where = where[step]
    where[last] = value
    path.write_text(json.dumps(found))


WORDS, WORD_CONFIG = "whitespacetokenizer_config.json", "wordembedding_config.json"
FOUND_BY_FUZZING = [
    ("textkin-bag", "textkin.json", ("arguments", "size"), "many", "has .* ids, the architecture many rows"),
    (
        "foreign-transformer",
        "config.json",
        ("num_attention_heads",),
        -4,
        "-4 attention heads, expected 1 or more",
    ),
    ("textkin-bag", "textkin.json", ("text", "max_length"), 1e308, "max_length is 1e.308"),
    ("textkin-bag", "textkin.json", ("arguments", "dim"), 0, "holds no model that works"),
    ("textkin-lstm", "textkin.json", ("arguments", "hidden"), 5, "the architecture wants"),
    ("textkin-lstm", "textkin.json", ("arguments", "hidden"), 0, "can't be built: hidden is 0"),
    (
        "textkin-lstm",
        "textkin.json",
        ("arguments", "hidden"),
        10**12,
        "the architecture 'siamese' can't be built",
    ),
    ("textkin-lstm", "textkin.json", ("arguments", "layers"), 10**9, "layers is 1e.09, and there are 11"),
    ("textkin-lstm", "textkin.json", ("arguments", "dense"), -5, "negative dimension"),
    ("textkin-lstm", "textkin.json", ("text",), {"kind": "words"}, "the key 'vocabulary' is missing"),
    ("textkin-classes", "textkin.json", ("classes",), ["a"], "expected a name for each output"),
    (
        *("textkin-late-interaction", "textkin.json", ("arguments", "backbone", "num_hidden_layers")),
        *(2**40, "num_hidden_layers is"),
    ),
    (
        "textkin-late-interaction",
        "textkin.json",
        ("arguments", "backbone", "hidden_size"),
        0.5,
        "hidden_size",
    ),
    ("foreign-transformer", "config.json", ("num_hidden_layers",), 10**9, "num_hidden_layers is 1e.09"),
    ("foreign-transformer", "config.json", ("hidden_size",), "wide", "can't be read as a transformer"),
    ("foreign-transformer", "config_sentence_transformers.json", ("truncate_dim",), 0, "truncate_dim is 0"),
    ("foreign-transformer", "config_sentence_transformers.json", ("prompts",), [1], "prompts is"),
    ("foreign-transformer", "sentence_bert_config.json", ("max_seq_length",), "long", "max_seq_length is"),
    ("foreign-transformer", "2_Dense/config.json", ("out_features",), 0, "out_features is 0"),
    ("foreign-transformer", "modules.json", (0, "path"), "\0", "not a list of modules: a NUL in a path"),
    ("foreign-static", "modules.json", (0,), "StaticEmbedding", "is not a list of modules"),
    ("foreign-static", "tokenizer.json", ("model", "vocab", "cat"), 2**30, "their ids need"),
    (
        *(
            "foreign-cross-encoder",
            "tokenizer.json",
            ("post_processor", "pair", 0, "SpecialToken", "type_id"),
        ),
        *(1000, "gives the token type 1000, the network knows 2"),
    ),
    ("model2vec", "tokenizer.json", ("model", "unk_token"), "[GONE]", "Missing .* token"),
    ("foreign-bare", "tokenizer.json", ("post_processor", "special_tokens"), {}, "no entry found"),
    ("foreign-bare", "tokenizer.json", ("post_processor",), {"type": "Sequence"}, "not a tokenizer"),
    ("model2vec", "config.json", ("normalize",), "yes", "normalize is 'yes', expected true or false"),
    ("word-model", f"0_Words/{WORDS}", ("vocab",), {"cat": 1}, "vocab is .* expected a list of strings"),
    ("word-model", f"0_Words/{WORD_CONFIG}", ("max_seq_length",), "x", "max_seq_length is 'x'"),
    ("word-model", "1_LSTM/lstm_config.json", ("num_layers",), 0, "num_layers is 0"),
    ("word-model", "1_LSTM/lstm_config.json", ("hidden_dim",), 2.5, "hidden_dim is 2.5"),
]


@pytest.mark.parametrize(("kind", "file", "key", "value", "words"), FOUND_BY_FUZZING)
def test_settings_that_make_no_model(kind, file, key, value, words, written, tmp_path):
    folder = shutil.copytree(written / kind, tmp_path / "model")
    change(folder / file, key, value)
    with pytest.raises(ModelError, match=words):
        load(folder)


TENSORS = [
    ("model2vec", "model.safetensors", "weights", np.nan, "nan with weights, expected 1e-15 to"),
    ("model2vec", "model.safetensors", "weights", 1e38, "e.38 with weights"),
    ("model2vec", "model.safetensors", "embeddings", 0, "largest number of the embedding is 0"),
    ("model2vec", "model.safetensors", "weights", 1e-45, "e-45 with weights"),
    ("model2vec", "model.safetensors", "embeddings", (..., slice(0)), "expected rows and columns"),
    ("model2vec", "model.safetensors", "weights", (slice(None), None), "one number a token"),
    ("foreign-bare", "model.safetensors", "embeddings.word_embeddings.weight", np.inf, "'embeddings.word"),
    (
        "foreign-bare",
        "model.safetensors",
        "embeddings.LayerNorm.weight",
        1e-45,
        "LayerNorm.weight' is 1.4",
    ),
    ("foreign-transformer", "2_Dense/model.safetensors", "linear.weight", np.nan, "'linear.weight' is nan"),
    ("foreign-transformer", "2_Dense/model.safetensors", "linear.weight", "int8", "is of type torch.int8"),
    ("word-model", "0_Words/model.safetensors", "emb_layer.weight", (..., slice(0)), "vectors of shape"),
    ("word-model", "1_LSTM/model.safetensors", "encoder.weight_hh_l0", 1e38, "is 1e.38, expected 1e-15 to"),
]


@pytest.mark.parametrize(("kind", "file", "name", "change", "words"), TENSORS)
def test_tensors_that_give_no_vectors(kind, file, name, change, words, written, tmp_path):
    folder = shutil.copytree(written / kind, tmp_path / "model")
    tensors = load_file(folder / file)
    if isinstance(change, tuple):
        tensors[name] = np.ascontiguousarray(tensors[name][change])
    elif isinstance(change, str):
        tensors[name] = tensors[name].astype(change)
    else:
        tensors[name][...] = change
    save_file(tensors, folder / file)
    with pytest.raises(ModelError, match=words):
        load(folder)


def test_ids_without_a_token_between_others_have_rows(written, tmp_path):
    folder = shutil.copytree(written / "model2vec", tmp_path / "model")
    change(folder / "tokenizer.json", ("model", "vocab", "cat"), 40)
    with pytest.raises(ModelError, match=r"has .* rows, the tokenizer 41 tokens"):
        load(folder)


def test_files_that_nest_too_deep_and_pipes(written, tmp_path):
    for kind, name in (("textkin-bag", "textkin.json"), ("model2vec", "config.json")):
        folder = shutil.copytree(written / kind, tmp_path / kind)
        (folder / name).write_text("[" * 100_000)
        with pytest.raises(ModelError, match="can't be read as JSON"):
            load(folder)
    for kind in ("model2vec", "foreign-transformer", "foreign-static"):
        folder = shutil.copytree(written / kind, tmp_path / f"{kind}-pipe")
        (folder / "tokenizer.json").unlink()
        os.mkfifo(folder / "tokenizer.json")
        with pytest.raises(ModelError) as error:
            load(folder)
        assert str(error.value.path).endswith("tokenizer.json")


def test_names_that_no_folder_has(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for name in ("x" * 300, "a/" * 3_000, str(tmp_path / "loop")):
        with pytest.raises(ModelError, match="there is no model"):
            load(name)


def test_what_was_written_works(written):
    for folder in sorted(written.iterdir()):
        if folder.name in READERS:
            assert load_reader(folder).read(["what is a router"], [TEXTS[1]])[0], folder.name
            continue
        found = load(folder)
        if hasattr(found, "encode"):
            assert np.linalg.norm(found.encode(TEXTS), axis=1).min() > 0, folder.name


def test_half_characters_and_tokens_without_a_row(written, tmp_path):
    folder = shutil.copytree(written / "foreign-transformer", tmp_path / "half")
    change(folder / "config_sentence_transformers.json", ("prompts", "document"), "\ud800")
    with pytest.raises(ModelError) as error:
        load(folder)
    assert str(error.value.path).endswith("config_sentence_transformers.json")
    change(folder / "config_sentence_transformers.json", ("prompts", "document"), "\U0001f642 ")
    assert load(folder).encode(TEXTS).any()
    folder = shutil.copytree(written / "textkin-late-interaction", tmp_path / "rows")
    change(folder / "tokenizer.json", ("model", "vocab", "cat"), 40)
    manifest = json.loads((folder / "textkin.json").read_text())
    manifest["files"]["tokenizer.json"] = sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
    (folder / "textkin.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError) as error:
        load(folder)
    assert error.value.value == (41, 20)
