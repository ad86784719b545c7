"""Small model folders of every kind, written once into a work folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.data.readers.texts import Texts
from textkin.data.splits.training_texts import Seen
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.no_answer import NoAnswerRule, SavedNoAnswer
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, save_model
from textkin.networks.architectures.table import build
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import build_vocabulary
from textkin.verbs.phrases.indexing import index_phrases

TEXTS = ("how do I reset my password", "what is a router", "the cat sat on the mat", "password", "cat")
READERS: tuple[str, ...] = (
    "textkin-bidaf",
    "textkin-phrases",
    "textkin-reader",
    "textkin-phrases-transformer",
)
READERS += ("foreign-reader",)
"""Folders of readers."""
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_WORDS = sorted({word.lower() for text in TEXTS for word in text.split()})


def write_models(place: Path) -> None:
    """Write a folder of each kind: textkin's, with its manifest, and others', without one."""
    for name, model in _models():
        save_model(model, place / f"textkin-{name}")
    for name in ("transformer", "cross-encoder", "classifier", "static", "reader"):
        folder = save_model(dict(_models())[name], place / f"foreign-{name}")
        (folder / "textkin.json").unlink()
    _bare_transformer(place / "foreign-bare")
    _model2vec(place / "model2vec")
    _word_model(place / "word-model")
    for folder in place.iterdir():
        (folder / "README.md").unlink(missing_ok=True)


def write_indexes(place: Path) -> None:
    """Write a phrase index of each kind: dense rows with and without cells, and sparse ones."""
    place.mkdir(parents=True)
    torch.manual_seed(0)
    model = save_model(dict(_models())["phrases"], place.parent / "phrases-model")
    texts = tuple(f"{a} and {b}" for a in TEXTS for b in TEXTS)
    passages = Texts(texts=texts, ids=tuple(f"p{number}" for number in range(len(texts))))
    kinds: tuple[tuple[str, str, PhraseIndexOptions], ...] = (
        ("dense", str(model), PhraseIndexOptions()),
        ("distances", str(model), PhraseIndexOptions(metric="l2")),
        ("cells", str(model), PhraseIndexOptions(cells=4, probe=2)),
        ("sparse", "tfidf", PhraseIndexOptions()),
    )
    for name, encoder, options in kinds:
        index_phrases(passages, place / name, encoder, options=options)


def _models() -> Iterator[tuple[str, Model]]:
    torch.manual_seed(0)
    words = WordPipeline(build_vocabulary([text.lower().split() for text in TEXTS]))
    rows = {"size": words.size, "pad_id": words.pad_id, "zero_ids": [0]}
    bag = _model("siamese", {**rows, "cell": "mean", "dim": 6, "token_weights": True}, words)
    learnt = Seen.of([(TEXTS[0], TEXTS[1])])
    yield "bag", replace(bag, facts=replace(bag.facts, seen=learnt, calibration=Platt(1.0, 0.5)))
    yield "lstm", _model("siamese", {**rows, "cell": "bilstm", "dim": 6, "hidden": 4, "dense": 3}, words)
    grams = WordPipeline(words.vocabulary, ngrams=(2, 3), ngram_buckets=20)
    yield "cnn", _model("siamese", {**rows, "size": grams.size, "cell": "cnn", "dim": 6, "hidden": 4}, grams)
    kept = StopWordPipeline(_WORDS, stop_words=["the"])
    yield (
        "stop-words",
        _model("siamese", {"size": kept.size, "pad_id": kept.pad_id, "dim": 5, "hidden": 4}, kept),
    )
    yield "matcher", _model("esim", {**rows, "dim": 6, "hidden": 4}, words)
    classes = {**rows, "dim": 6, "hidden": 4, "outputs": 3}
    yield "classes", _model("decomposable-attention", classes, words, classes=("a", "b", "c"))
    text = _tokenizer().to_str()
    tokens = len(_SPECIAL) + len(_WORDS)
    plain = TokenizerPipeline(text, max_length=20)
    yield "static", _model("static", {"size": plain.size, "dim": 6, "token_weights": True}, plain)
    roles = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    framed = TokenizerPipeline(text, max_length=20, drop_unknown=False, special_tokens=roles)
    config = _bert(tokens)
    dense = [{"width": 6, "bias": True, "activation": "tanh"}]
    yield "transformer", _model("transformer", {"backbone": config, "dense": dense, "truncate": 4}, framed)
    yield "late-interaction", _model("late-interaction", {"backbone": config, "projection": 4}, framed)
    both = PairPipeline(framed)
    joined = {"backbone": config, "joint": both.joint.to_dict(), "max_length": 20, "truncate": "head"}
    joined |= {"token_types": True}
    yield "cross-encoder", _model("cross-encoder", {**joined, "outputs": 1}, both)
    yield "classifier", _model("cross-encoder", {**joined, "outputs": 3}, both, classes=("a", "b", "c"))
    rule = SavedNoAnswer(
        NoAnswerRule(Platt(1.0, -0.5), 0.4, "f1"), "dev.json", figures={"F1": (0.5, 0.4, 0.6)}
    )
    words_of = {**rows, "dim": 6, "hidden": 4, "answers_none": True}
    bidaf = _model("bidaf", words_of, words)
    yield "bidaf", replace(bidaf, facts=replace(bidaf.facts, no_answer=rule))
    yield "phrases", _model("piqa", {**rows, "dim": 6, "hidden": 4, "heads": 2, "answers_none": True}, words)
    pointing = {key: value for key, value in joined.items() if key not in ("max_length", "truncate")}
    yield "reader", _model("reader", {**pointing, "answers_none": True}, both)
    before, after = (tokens.tolist() for tokens in framed.frame)
    frame = {"before": before, "after": after, "pad_id": framed.pad_id}
    yield "phrases-transformer", _model("piqa-transformer", {"backbone": config, "frame": frame}, framed)


def _model(
    architecture: str, arguments: dict[str, Any], pipeline: TextPipeline, *, classes: tuple[str, ...] = ()
) -> Model:
    module = build(architecture, **arguments).eval()
    for name, weight in module.named_parameters():
        if weight.ndim == 2 and "LayerNorm" not in name:
            torch.nn.init.normal_(weight, std=0.3)
    return Model(
        ModelFacts("small", classes=classes, provenance={"seed": 0}),
        architecture,
        arguments,
        module,
        pipeline,
    )


def _bert(tokens: int) -> dict[str, Any]:
    return {
        "model_type": "bert",
        "vocab_size": tokens,
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 12,
        "max_position_embeddings": 24,
    }


def _tokenizer() -> Tokenizer:
    names = {word: place for place, word in enumerate((*_SPECIAL, *_WORDS))}
    made = Tokenizer(models.WordPiece(names, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(list(_SPECIAL))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", names["[CLS]"]), ("[SEP]", names["[SEP]"])],
    )
    return made


def _bare_transformer(folder: Path) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    folder.mkdir(parents=True)
    sizes: dict[str, Any] = {
        "dim": 8,
        "n_layers": 1,
        "n_heads": 2,
        "hidden_dim": 12,
        "max_position_embeddings": 24,
    }
    DistilBertModel(DistilBertConfig(vocab_size=len(_SPECIAL) + len(_WORDS), **sizes)).save_pretrained(folder)
    _tokenizer().save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 20, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def _model2vec(folder: Path) -> None:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    tokens = len(_SPECIAL) + len(_WORDS)
    tensors = {
        "embeddings": rng.normal(size=(tokens - 2, 6)).astype(np.float32),
        "weights": rng.uniform(0.5, 1, size=tokens).astype(np.float32),
        "mapping": np.minimum(np.arange(tokens), tokens - 3),
    }
    save_file(tensors, folder / "model.safetensors")
    _tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))


def _word_model(folder: Path) -> None:
    """Word vectors with an LSTM and a pooling, as old versions of sentence-transformers saved them."""
    kinds = {"WordEmbeddings": "0_Words", "LSTM": "1_LSTM", "Pooling": "2_Pooling", "Dense": "3_Dense"}
    entries = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for place, (kind, path) in enumerate(kinds.items())
    ]
    lstm = torch.nn.LSTM(6, 4, num_layers=1, bidirectional=True)
    dense = torch.nn.Linear(8, 5)
    rng = np.random.default_rng(0)
    layers = {f"encoder.{name}": weight.detach().numpy() for name, weight in lstm.named_parameters()}
    linear = {f"linear.{name}": weight.detach().numpy() for name, weight in dense.named_parameters()}
    vectors = {"emb_layer.weight": rng.normal(size=(len(_WORDS), 6)).astype(np.float32)}
    for path, tensors in (("0_Words", vectors), ("1_LSTM", layers), ("3_Dense", linear), ("2_Pooling", None)):
        (folder / path).mkdir(parents=True)
        if tensors is not None:
            save_file(tensors, folder / path / "model.safetensors")
    activation = "torch.nn.modules.activation.Tanh"
    configs: dict[str, Any] = {
        "modules.json": entries,
        "config_sentence_transformers.json": {"prompts": {}, "similarity_fn_name": None},
        "0_Words/wordembedding_config.json": {
            "tokenizer_class": "a.WhitespaceTokenizer",
            "max_seq_length": 20,
        },
        "0_Words/whitespacetokenizer_config.json": {
            "vocab": _WORDS,
            "stop_words": ["the"],
            "do_lower_case": True,
        },
        "1_LSTM/lstm_config.json": {
            "hidden_dim": 4,
            "num_layers": 1,
            "bidirectional": True,
            "word_embedding_dimension": 6,
        },
        "2_Pooling/config.json": {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True},
        "3_Dense/config.json": {
            "in_features": 8,
            "out_features": 5,
            "bias": True,
            "activation_function": activation,
        },
    }
    for name, value in configs.items():
        (folder / name).write_text(json.dumps(value))
