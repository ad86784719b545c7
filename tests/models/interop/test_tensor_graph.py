"""Graphs on plain tensors, before any runtime: tokenizer outputs and graph outputs."""

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from tests.models.interop import tiny, tiny_pairs
from tests.text.static_folders import TOKENS, table, write
from textkin.base.errors import ModelError
from textkin.models.inference.scorers import load_scorer
from textkin.models.interop.tensor_graph import IDS, MASK, TYPES, Graph, example, graph_of
from textkin.models.model_folder import load_model
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.static import StaticTower
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.embedding import TokenTable
from textkin.networks.nn.token_layer import TokenLayer
from textkin.text.pipeline import WordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.vocabulary import build_vocabulary

pytestmark = pytest.mark.torch


def run(graph: Graph, texts) -> np.ndarray:
    """All texts in one batch, as with the tokenizer alone."""
    batch = Tokenizer.from_str(graph.tokenizer).encode_batch(texts)
    fields = {IDS: "ids", MASK: "attention_mask", TYPES: "type_ids"}
    inputs = [torch.tensor([getattr(one, fields[name]) for one in batch]) for name in graph.inputs]
    with torch.no_grad():
        return graph.module(*inputs).numpy()


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet", "distilbert"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_an_encoder_and_its_tokenizer(family, side, tmp_path):
    folder = tiny.write_bare(tmp_path / family, family, truncation_side=side, model_max_length=9)
    model = load_model(folder)
    graph = graph_of(model.module, model.pipeline)
    assert (graph.inputs, graph.output) == ((IDS, MASK), "sentence_embedding")
    np.testing.assert_allclose(run(graph, tiny.TEXTS), load_scorer(folder).encode(tiny.TEXTS), atol=1e-6)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_cross_encoder_and_its_tokenizer(family, tmp_path):
    folder = tiny_pairs.write_bare(tmp_path / family, family)
    model = load_model(folder)
    graph = graph_of(model.module, model.pipeline)
    assert graph.inputs == ((IDS, MASK, TYPES) if family == "bert" else (IDS, MASK))
    assert (graph.output, len(example(graph))) == ("logits", len(graph.inputs))
    expected = load_scorer(folder).score(tiny_pairs.PAIRS)
    np.testing.assert_allclose(run(graph, tiny_pairs.PAIRS)[:, 0], expected, atol=1e-5)


TEXTS = ["The cats sat?", "a dog, the zebra", "é dog", "[PAD] cats cats sat the dog ? dog", "sat", "zebra"]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_static_encoder_leaves_unknown_words_out(weighted, tmp_path):
    weights = {"weights": np.linspace(0.5, 1.5, len(TOKENS)).astype(np.float32)} if weighted else {}
    folder = write(tmp_path / "theirs", {"embeddings": table(), **weights}, max_length=5)
    model = load_model(folder)
    graph = graph_of(model.module, model.pipeline)
    vectors = run(graph, TEXTS)
    np.testing.assert_allclose(vectors, load_scorer(folder).network_vectors(TEXTS), atol=1e-6)
    assert vectors[:-1].any(axis=1).all() and not vectors[-1].any()


def bag(pipeline: TokenizerPipeline, **options) -> Siamese:
    made = Siamese(
        TokenTable(size=pipeline.size, pad_id=pipeline.pad_id, dim=6, token_weights=True),
        TokenLayer(cell="mean"),
        **options,
    ).eval()
    assert made.embedding.weights is not None
    torch.nn.init.uniform_(made.embedding.weights)
    return made


@pytest.mark.parametrize("truncate", Truncate)
def test_a_bag_of_tokens_is_a_static_encoder(truncate):
    pipeline = TokenizerPipeline(tiny.tokenizer("bert").to_str(), max_length=6, truncate=truncate)
    module = bag(pipeline)
    ids = pipeline.ids(tiny.TEXTS)
    with torch.no_grad():
        expected = module(TextBatch.from_ids(ids, pad_id=pipeline.pad_id)).numpy()
    np.testing.assert_allclose(run(graph_of(module, pipeline), tiny.TEXTS), expected, atol=1e-6)


def test_what_no_runtime_can_express_is_refused(tmp_path):
    pipeline = TokenizerPipeline(tiny.tokenizer("bert").to_str())
    for module in (bag(pipeline, dense=3), bag(pipeline, mask=False), bag(pipeline, pooling="max")):
        with pytest.raises(ModelError, match=r"no other runtime.*\(Siamese\)"):
            graph_of(module, pipeline)
    late = LateInteraction(backbone=tiny.backbone("bert", tokens=pipeline.size))
    with pytest.raises(ModelError, match=r"LateInteraction.*give a transformer"):
        graph_of(late, pipeline)
    trained = StaticTower(size=4, dim=2)
    with pytest.raises(ModelError, match="cut by textkin's own rules"):
        graph_of(trained, WordPipeline(build_vocabulary([["a", "b"]])))
