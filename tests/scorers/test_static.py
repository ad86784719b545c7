from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.text.static_folders import TOKENS, table, write
from textkin.protocols import Encoder
from textkin.scorers.static import StaticEncoder
from textkin.text.static import load_static

REAL = Path(__file__).parents[3] / "shared" / "data" / "vectors" / "potion-base-4m-int8"
TEXTS = [
    "The cats sat?",
    "",
    "zebra",
    "zebra dog zebra",
    "é É [CLS] the [PAD]",
    "the " * 700 + "dog",
    "\u0000the\u00a0cat\u4e2dsat\t\U0001f600",
    "x" * 5000 + " cat",
    "zebra " * 4 + "cat sat",
]


def theirs(folder, texts):
    model = StaticModel.from_pretrained(folder, force_download=False, max_length=None)
    return np.stack([model.encode(text) for text in texts])


def tensors(*, quantised, dtype="float32"):
    if not quantised:
        return {"embeddings": table(dtype)}
    mapping = np.array([0, 0, 1, 2, 2, 1, 0, 2, 1, 0])
    return {
        "embeddings": table(dtype, rows=3),
        "mapping": mapping,
        "weights": np.linspace(0.1, 2, len(TOKENS)),
    }


@pytest.mark.parametrize("config", [{}, {"normalize": True}, {"max_length": 4}, {"max_length": None}])
@pytest.mark.parametrize("quantised", [False, True])
def test_vectors_are_model2vec_s(tmp_path, quantised, config):
    folder = write(tmp_path, tensors(quantised=quantised), **config)
    ours = StaticEncoder(load_static(folder)).encode(TEXTS)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs(folder, TEXTS), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["int8", "float16"])
def test_small_types(tmp_path, dtype):
    folder = write(tmp_path, tensors(quantised=False, dtype=dtype), normalize=True)
    ours = StaticEncoder(load_static(folder)).encode(TEXTS)
    np.testing.assert_allclose(ours, theirs(folder, TEXTS), atol=2e-3 if dtype == "float16" else 1e-6)


def test_a_word_level_tokenizer(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "Cat": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = write(tmp_path, {"embeddings": table(rows=3)}, tokenizer=tokenizer)
    ours = StaticEncoder(load_static(folder)).encode(TEXTS)
    np.testing.assert_allclose(ours, theirs(folder, TEXTS), rtol=1e-4, atol=1e-5)


def test_scores_are_cosines_and_zero_for_unknown_texts(tmp_path):
    encoder = StaticEncoder(load_static(write(tmp_path, tensors(quantised=False))), name="potion")
    a, b = encoder.encode(["the cat", "dog sat"]).astype(float)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    scores = encoder.score([("the cat", "dog sat"), ("zebra", "dog"), ("", "")])
    np.testing.assert_allclose(scores, [expected, 0, 0], atol=1e-6)
    assert (encoder.name, encoder.dim) == ("potion", 6)
    assert isinstance(encoder, Encoder)
    assert encoder.encode([]).shape == (0, 6)


@given(st.lists(st.text(alphabet="thecatsdog ?é[]", max_size=20), min_size=1, max_size=6))
def test_a_text_has_one_vector_whatever_stands_beside_it(tmp_path_factory, texts):
    folder = tmp_path_factory.getbasetemp() / "static"
    if not folder.exists():
        write(folder, tensors(quantised=True), normalize=True)
    encoder = StaticEncoder(load_static(folder))
    assert encoder.encode(texts).tolist() == [encoder.encode([text])[0].tolist() for text in texts]


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real embedding")
def test_the_real_embedding():
    texts = [*TEXTS, "How do I reset my password?", "What is the capital of Côte d'Ivoire?", "[MASK] naïve…"]
    ours = StaticEncoder(load_static(REAL)).encode(texts)
    np.testing.assert_allclose(ours, theirs(REAL, texts), atol=1e-6)
