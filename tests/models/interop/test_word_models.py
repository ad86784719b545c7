"""Old models of sentence-transformers: word vectors, an LSTM, a pooling."""

import json
import warnings

import numpy as np
import pytest
import torch

from tests.models.interop.tiny import theirs
from textkin.base.errors import ModelError
from textkin.models.inference.scorers import load_scorer
from textkin.models.model_folder import load_model, save_model

pytestmark = pytest.mark.torch

WORDS = ["PADDING_TOKEN", "the", "cat", "sat", "dog", "Dog", "router", "!", "reset"]
TEXTS = ["the cat sat", "Router (reset) !!", "DOG dog Dog. and nothing", "cat", "reset reset router the cat"]


def write(folder, *tail, lower=False, max_length=1000):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import WordEmbeddings
    from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer

    torch.manual_seed(0)
    table = torch.randn(len(WORDS), 6)
    tokenizer = WhitespaceTokenizer(WORDS, stop_words=["the", "nothing"], do_lower_case=lower)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = WordEmbeddings(tokenizer, table, max_seq_length=max_length)
        SentenceTransformer(modules=[first, *(make() for make in tail)], device="cpu").save(
            str(folder), create_model_card=False
        )
    return folder


def modules(cell, pooling):
    from sentence_transformers.sentence_transformer import modules as kinds

    made = [] if cell is None else [lambda: kinds.LSTM(6, 5, num_layers=2, bidirectional=cell == "bilstm")]
    width = {None: 6, "lstm": 5, "bilstm": 10}[cell]
    return [*made, lambda: kinds.Pooling(width, pooling)], width


@pytest.mark.parametrize("pooling", ["mean", "max", "lasttoken"])
@pytest.mark.parametrize("cell", [None, "lstm", "bilstm"])
def test_word_vectors_and_lstm(cell, pooling, tmp_path):
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    tail, width = modules(cell, pooling)
    folder = write(tmp_path / "theirs", *tail, lambda: Dense(width, 4), Normalize)
    expected = theirs(folder).encode(TEXTS)
    np.testing.assert_allclose(load_scorer(folder).network_vectors(TEXTS), expected, atol=1e-6)
    saved = save_model(load_model(folder), tmp_path / "ours")
    np.testing.assert_allclose(load_scorer(saved).network_vectors(TEXTS), expected, atol=1e-6)
    assert load_model(saved).arguments["train_embedding"] is False


@pytest.mark.parametrize("lower", [False, True])
def test_words_are_found_alike(lower, tmp_path):
    folder = write(tmp_path, *modules(None, "mean")[0], lower=lower, max_length=3)
    tokenizer = theirs(folder)[0].tokenizer
    found = load_model(folder).pipeline.ids([*TEXTS, "", "...", "!!! The THE the! nothing"])
    expected = [tokenizer.tokenize(text)[:3] for text in [*TEXTS, "", "...", "!!! The THE the! nothing"]]
    assert [row.tolist() for row in found] == expected


def test_what_has_no_counterpart(tmp_path):
    from sentence_transformers.sentence_transformer.modules import CNN, Pooling

    folder = write(tmp_path / "cnn", lambda: CNN(6, 3), lambda: Pooling(9))
    with pytest.raises(ModelError) as error:
        load_model(folder)
    assert str(error.value.path).endswith("modules.json")
    folder = write(tmp_path / "both", lambda: Pooling(6, ("mean", "max")))
    with pytest.raises(ModelError, match="joins 2 poolings"):
        load_model(folder)
    folder = write(tmp_path / "words", lambda: Pooling(6))
    path = folder / "wordembedding_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "tokenizer_class": "a.b.PhraseTokenizer"}))
    with pytest.raises(ModelError, match="'PhraseTokenizer' has no counterpart"):
        load_model(folder)


def test_weights_that_don_t_fit(tmp_path):
    folder = write(tmp_path, *modules("lstm", "mean")[0])
    path = folder / "1_LSTM" / "lstm_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "hidden_dim": 4}))
    with pytest.raises(ModelError, match=r"tensor .* has shape \[20\], the architecture wants \[16\]"):
        load_model(folder)
    (folder / "1_LSTM" / "model.safetensors").rename(folder / "1_LSTM" / "pytorch_model.bin")
    with pytest.raises(ModelError) as error:
        load_model(folder)
    assert str(error.value.path).endswith("1_LSTM/model.safetensors")
