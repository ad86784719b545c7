import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.text.static_folders import TOKENS, table, wordpiece, write
from textkin.base.errors import ModelError
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.static_embeddings import load_static, save_static

TEXTS = ["The cats sat?", "the dog", "é dog", "cats cats sat the dog ? dog", "cat"]


def test_a_plain_folder(tmp_path):
    loaded = load_static(write(tmp_path, {"embeddings": table()}, normalize=True))
    assert loaded.matrix.tolist() == table().tolist()
    assert (loaded.weights, loaded.mapping, loaded.normalize) == (None, None, True)
    assert list(loaded.pipeline.tokens) == TOKENS
    assert loaded.pipeline.ids(["The cats sat, dog"])[0].tolist() == [3, 4, 5, 6, 8]


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_other_types_become_float32_without_a_scale(tmp_path, dtype):
    loaded = load_static(write(tmp_path, {"embeddings": table(dtype)}))
    assert loaded.matrix.dtype == np.float32
    np.testing.assert_array_equal(loaded.matrix, table(dtype).astype(np.float32))


def test_weights_and_mapping_are_folded_into_token_vectors(tmp_path):
    mapping = np.array([0, 0, 1, 2, 2, 1, 0, 2, 1, 0], dtype=np.int32)
    weights = np.linspace(0, 1, len(TOKENS))
    tensors = {"embeddings": table(rows=3), "mapping": mapping, "weights": weights}
    loaded = load_static(write(tmp_path, tensors))
    np.testing.assert_allclose(loaded.token_vectors, table(rows=3)[mapping] * weights[:, None], rtol=1e-6)


@pytest.mark.parametrize("inside", [".", "0_StaticEmbedding"])
def test_the_layout_of_sentence_transformers(tmp_path, inside):
    home = write(tmp_path / inside, {"embedding.weight": table()})
    (home / "config.json").unlink()
    (tmp_path / "config_sentence_transformers.json").write_text("{}")
    modules = [{"type": "sentence_transformers.models.StaticEmbedding"}, {"type": "a.b.Normalize"}]
    assert not load_static(tmp_path).normalize
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    loaded = load_static(tmp_path)
    assert loaded.normalize
    assert loaded.matrix.tolist() == table().tolist()


def test_a_truncated_or_foreign_file_is_named(tmp_path):
    folder = write(tmp_path, {"embeddings": table()})
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    for content in (whole[:-7], whole[:20], b"", pickle.dumps({"embeddings": 1})):
        path.write_bytes(content)
        with pytest.raises(ModelError) as error:
            load_static(folder)
        assert str(error.value.path).endswith("model.safetensors")
    path.unlink()
    with pytest.raises(ModelError) as error:
        load_static(folder)
    assert str(error.value.path).endswith("model.safetensors")
    save_file({"bert.encoder.weight": table()}, path)
    with pytest.raises(ModelError, match=r"no static embedding: .* found bert\.encoder\.weight"):
        load_static(folder)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"embeddings": table(rows=4)}, "embeddings has 4 rows, the tokenizer 10 tokens"),
        ({"embeddings": table()[0]}, r"shape \[6\], expected rows and columns"),
        ({"embeddings": table() * np.nan}, "largest number of the embedding is nan, nan with weights"),
        ({"embeddings": table(), "weights": np.ones(3)}, "weights has 3 rows"),
        ({"embeddings": table(rows=2), "mapping": np.full(10, 2)}, "rows beyond the 2"),
        ({"embeddings": table(rows=2), "mapping": np.zeros(9, dtype=int)}, "mapping has 9 rows"),
    ],
)
def test_parts_that_don_t_fit_each_other(tmp_path, tensors, message):
    with pytest.raises(ModelError, match=message):
        load_static(write(tmp_path, tensors))


@pytest.mark.parametrize("content", ["", "{}", "[1", None])
def test_a_broken_tokenizer_is_named(tmp_path, content):
    write(tmp_path, {"embeddings": table()}, tokenizer=wordpiece())
    path = tmp_path / "tokenizer.json"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(ModelError) as error:
        load_static(tmp_path)
    assert str(error.value.path).endswith("tokenizer.json")


def test_a_broken_config_is_named(tmp_path):
    write(tmp_path, {"embeddings": table()})
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError) as error:
        load_static(tmp_path)
    assert str(error.value.path).endswith("config.json")


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("stored", ["float32", "float16", "int8"])
def test_model2vec_opens_what_is_saved(tmp_path, stored, mapped):
    from model2vec import StaticModel

    mapping = np.array([0, 0, 1, 2, 2, 1, 0, 2, 1, 0]) if mapped else None
    loaded = load_static(
        write(
            tmp_path / "a",
            {"embeddings": table(rows=3 if mapped else len(TOKENS))}
            | ({"mapping": mapping} if mapped else {}),
            max_length=5,
            normalize=True,
        )
    )
    loaded = replace(loaded, weights=np.linspace(0.5, 1, len(TOKENS), dtype=np.float32))
    (tmp_path / "b").mkdir()
    save_static(loaded, tmp_path / "b", stored=stored)
    theirs = StaticModel.from_pretrained(tmp_path / "b", force_download=False)
    again = load_static(tmp_path / "b")
    assert (theirs.embedding.dtype.name, theirs.normalize, theirs.max_length) == (stored, True, None)
    assert theirs.tokenize(TEXTS) == [row.tolist() for row in again.pipeline.ids(TEXTS)]
    # model2vec computes in the stored type.
    exact = 1e-3 if stored == "float16" else 1e-6
    np.testing.assert_allclose(theirs.encode(TEXTS), StaticEncoder(again).encode(TEXTS), atol=exact)
    cosines = np.vecdot(StaticEncoder(again).encode(TEXTS), StaticEncoder(loaded).encode(TEXTS))
    assert cosines[:-1].min() > (0.999 if stored == "int8" else 1 - 1e-6)


@pytest.mark.torch
def test_sentence_transformers_counts_unknown_tokens(tmp_path):
    from sentence_transformers import SentenceTransformer

    write(tmp_path / "theirs", {"embedding.weight": table()})
    (tmp_path / "theirs/config.json").unlink()
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}]
    (tmp_path / "theirs/modules.json").write_text(json.dumps(modules))
    read = load_static(tmp_path / "theirs")
    (tmp_path / "ours").mkdir()
    save_static(read, tmp_path / "ours")
    for folder in ("theirs", "ours"):
        theirs = SentenceTransformer(str(tmp_path / folder), device="cpu", local_files_only=True)
        found = StaticEncoder(load_static(tmp_path / folder)).encode(TEXTS[:-1])
        expected = theirs.encode(TEXTS[:-1], normalize_embeddings=True)
        np.testing.assert_allclose(expected, found, rtol=1e-6, atol=1e-5)


@pytest.mark.torch
def test_sentence_transformers_gives_the_direction_of_a_saved_embedding(tmp_path):
    from sentence_transformers import SentenceTransformer

    read = load_static(write(tmp_path / "a", {"embeddings": table()}, normalize=True))
    (tmp_path / "b").mkdir()
    save_static(read, tmp_path / "b")
    theirs = SentenceTransformer(str(tmp_path / "b"), device="cpu", local_files_only=True)
    np.testing.assert_allclose(theirs.encode(TEXTS), StaticEncoder(read).encode(TEXTS), atol=1e-6)


def test_further_modules_are_refused(tmp_path):
    write(tmp_path, {"embeddings": table()})
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in ("StaticEmbedding", "Dense")]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ModelError) as error:
        load_static(tmp_path)
    assert str(error.value.path).endswith("modules.json")
