"""Static embeddings of model2vec and sentence-transformers as trainable encoders."""

import json
import warnings

import numpy as np
import pytest
import torch
from model2vec import StaticModel

from tests.models.interop.tiny import theirs
from tests.text.static_folders import TOKENS, table, write
from textkin.models.inference.scorers import load_scorer
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, load_model, save_model
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import build
from textkin.networks.batches.padded import TextBatch

pytestmark = pytest.mark.torch

TEXTS = ["The cats sat?", "a dog, the zebra", "é dog", "[PAD] cats cats sat the dog ? dog", "sat", "zebra"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_model2vec_folders(dtype, weighted, tmp_path):
    tensors = {"embeddings": table(dtype)}
    if weighted:
        tensors["weights"] = np.linspace(0.5, 1.5, len(TOKENS)).astype(np.float32)
    folder = write(tmp_path / "theirs", tensors, normalize=True)
    model = StaticModel.from_pretrained(folder, force_download=False)
    ours = load_model(folder)
    assert [row.tolist() for row in ours.pipeline.ids(TEXTS)] == model.tokenize(TEXTS)
    exact = 2e-3 if dtype == "float16" else 1e-6  # model2vec computes in the type of the table
    vectors = load_scorer(folder).network_vectors(TEXTS)
    np.testing.assert_allclose(vectors, model.encode(TEXTS), atol=exact)
    assert not vectors[-1].any()
    saved = save_model(ours, tmp_path / "ours")
    for found in (
        load_scorer(saved).network_vectors(TEXTS),
        StaticModel.from_pretrained(saved, force_download=False).encode(TEXTS),
        theirs(saved).encode(TEXTS),
    ):
        np.testing.assert_allclose(found, vectors, atol=1e-6)


def test_sentence_transformers_folders(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    from tests.text.static_folders import wordpiece

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = StaticEmbedding(wordpiece(), embedding_weights=table())
        SentenceTransformer(modules=[module], device="cpu").save(
            str(tmp_path / "theirs"), create_model_card=False
        )
    expected = theirs(tmp_path / "theirs").encode(TEXTS)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    saved = save_model(load_model(tmp_path / "theirs"), tmp_path / "ours")
    for folder in (tmp_path / "theirs", saved):
        np.testing.assert_allclose(load_scorer(folder).network_vectors(TEXTS), expected, atol=1e-6)
    lengths = np.linalg.norm(theirs(saved).encode(TEXTS), axis=1)
    assert lengths.std() > 0.1  # it was no unit vectors there, and still isn't


def test_what_was_learnt_is_in_the_saved_table(tmp_path):
    start = load_model(write(tmp_path / "start", {"embeddings": table()}, normalize=True))
    arguments = {**start.arguments, "projection": 4, "token_weights": True}
    module = build("static", **arguments)
    module.fill(start.module.table.detach(), None)
    batch = TextBatch.from_ids(start.pipeline.ids(TEXTS), pad_id=start.pipeline.pad_id)
    plain = torch.nn.functional.normalize(start.module.embedding.mean(batch.ids, batch.mask)[:, :4])
    torch.testing.assert_close(module(batch), plain)  # at first the leading dimensions
    with torch.no_grad():
        module.projection.weight.normal_()
        module.embedding.weights.uniform_(0.5, 2)
    expected = module.eval()(batch).detach().numpy()
    saved = save_model(
        Model(ModelFacts("new"), "static", arguments, module, start.pipeline), tmp_path / "new"
    )
    again = load_model(saved)
    assert (again.module.dim, again.module.projection, again.name) == (4, None, "new")
    for found in (
        load_scorer(saved).network_vectors(TEXTS),
        StaticModel.from_pretrained(saved, force_download=False).encode(TEXTS),
        theirs(saved).encode(TEXTS),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_padding_and_company_change_nothing():
    torch.manual_seed(0)
    model = StaticTower(size=9, dim=5, token_weights=True).eval()
    short, long = np.array([3, 0, 8], dtype=np.int32), np.arange(9, dtype=np.int32)
    together = model(TextBatch.from_ids([short, long, short[:0]], pad_id=0))
    torch.testing.assert_close(together[:1], model(TextBatch.from_ids([short], pad_id=0)), atol=1e-6, rtol=0)
    assert not together[2].any()
    weights = model.embedding.weights[short].unsqueeze(1)
    mean = (model.embedding.table[short] * weights).mean(dim=0)
    torch.testing.assert_close(together[0], mean / mean.norm())


def test_the_manifest_is_beside_the_files_of_other_libraries(tmp_path):
    saved = save_model(load_model(write(tmp_path / "a", {"embeddings": table()})), tmp_path / "b")
    names = {
        "README.md",
        "config.json",
        "model.safetensors",
        "modules.json",
        "textkin.json",
        "tokenizer.json",
    }
    assert {item.name for item in saved.iterdir()} == names
    manifest = json.loads((saved / "textkin.json").read_text())
    assert (manifest["architecture"], manifest["arguments"]["dim"]) == ("static", 6)


def test_real_text_gives_model2vec_s_tokens_and_vectors(tmp_path):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    from textkin.data.samples import path

    lines = path("questions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [line.split("\t")[2] for line in lines]
    texts += ["漢字 ünïcode [PAD] \u200b x 😀" * 40, "word " * 3000, ""]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=2000, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts[: len(texts) // 2], trainer)
    tensors = {"embeddings": table(rows=tokenizer.get_vocab_size(), dim=16)}
    folder = write(tmp_path, tensors, tokenizer=tokenizer, normalize=True)
    model = StaticModel.from_pretrained(folder, force_download=False, max_length=None)
    ours = load_model(folder)
    ids = [row.tolist() for row in ours.pipeline.ids(texts)]
    assert ids == model.tokenize(texts) and max(map(len, ids)) >= 3000
    np.testing.assert_allclose(load_scorer(folder).network_vectors(texts), model.encode(texts), atol=1e-6)
