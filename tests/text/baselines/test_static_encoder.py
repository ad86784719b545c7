from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.text.static_folders import TOKENS, table, write
from textkin.data.protocols import Encoder
from textkin.kinds.systems import load_encoder
from textkin.models.inference.scorers import load_scorer
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.static_embeddings import load_static

pytestmark = pytest.mark.torch

REAL = Path(__file__).parents[4] / "shared" / "data" / "vectors" / "potion-base-4m-int8"
TEXTS = [
    "The cats sat?",
    "",
    "é É [CLS] the [PAD]",
    "the " * 700 + "dog",
    "\u0000the\u00a0cat sat\t",
]
# Scripts and symbols that no English tokenizer knows; unassigned characters among them.
STRANGE = st.text(
    st.sampled_from(
        "超市什么时候开门ร้านเปิดกี่โมงمتىيفتحاالمتجرприветवहघर"
        "\U0001f494\u2764\U0001f525\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\u200d\U0001f3fd\U0001f3f4"
        "\U000e0067\U000e0065\U000e007f\u0378\ufdd0\ue000\U0003fffd"
    ),
    min_size=1,
    max_size=6,
)


def known(encoder, texts):
    """The texts without unknown tokens, as model2vec drops those."""
    unknown = encoder.unknown(texts)
    found = [text for place, text in enumerate(texts) if place not in unknown]
    assert len(found) >= 2
    return found


def theirs(folder, texts):
    """The directions of model2vec's vectors, ignoring their lengths."""
    model = StaticModel.from_pretrained(folder, force_download=False, max_length=None)
    return unit(np.stack([model.encode(text) for text in texts]))


def unit(rows):
    """Rows of length 1, by the definition; zeros stay zeros."""
    lengths = np.linalg.norm(rows.astype(float), axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros(rows.shape), where=lengths > 0)


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
    encoder = StaticEncoder(load_static(folder))
    texts = known(encoder, TEXTS)
    ours = encoder.encode(texts)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs(folder, texts), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layout", ["model2vec", "sentence-transformers"])
def test_vectors_have_length_1_where_a_folder_asks_for_none(tmp_path, layout):
    name = {"model2vec": "embeddings", "sentence-transformers": "embedding.weight"}[layout]
    folder = write(tmp_path, {name: 3 * table()}, normalize=False)
    encoder = load_encoder(folder)
    assert not load_static(folder).normalize  # it is saved unchanged
    for vectors in (encoder.encode(TEXTS), encoder.network_vectors(TEXTS), load_scorer(folder).encode(TEXTS)):
        lengths = np.linalg.norm(vectors, axis=1)
        np.testing.assert_allclose(lengths, [0.0 if text == "" else 1.0 for text in TEXTS], atol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "float16"])
def test_small_types(tmp_path, dtype):
    folder = write(tmp_path, tensors(quantised=False, dtype=dtype), normalize=True)
    encoder = StaticEncoder(load_static(folder))
    texts = known(encoder, TEXTS)
    np.testing.assert_allclose(
        encoder.encode(texts), theirs(folder, texts), atol=2e-3 if dtype == "float16" else 1e-6
    )


def test_a_word_level_tokenizer(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "Cat": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = write(tmp_path, {"embeddings": table(rows=3)}, tokenizer=tokenizer)
    encoder = StaticEncoder(load_static(folder))
    texts = known(encoder, ["the Cat", "Cat Cat the", ""])
    np.testing.assert_allclose(encoder.encode(texts), theirs(folder, texts), rtol=1e-4, atol=1e-5)


def test_what_is_unknown_adds_a_vector_of_its_own(tmp_path):
    read = load_static(write(tmp_path, {"embeddings": table()}))
    vectors, own = table(), read.unknown_vectors
    ours = StaticEncoder(read).encode(["zebra dog zebra", "cat"])
    expected = unit(np.stack([2 * own.of("zebra") + vectors[8], vectors[4]]))
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-6)
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.linalg.norm(own.of("zebra")) == pytest.approx(np.median(lengths), rel=1e-4)


@pytest.mark.parametrize("layout", ["embeddings", "embedding.weight"])
def test_texts_that_differ_in_what_is_unknown_do_not_score_1(tmp_path, layout):
    folder = write(tmp_path, {layout: table()})
    if layout == "embedding.weight":
        (folder / "config.json").unlink()
    encoder = StaticEncoder(load_static(folder))
    pairs = [("the zebra", "the yak"), ("\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7"), ("超市", "咖啡")]
    assert encoder.score(pairs).max() < 0.9
    assert encoder.score([(a, a) for a, _ in pairs]).min() == pytest.approx(1)


def test_what_is_unknown_is_looked_up_again_in_its_compatible_form(tmp_path):
    encoder = StaticEncoder(load_static(write(tmp_path, {"embeddings": table()})))
    for text, copy in [
        ("the cats sat", "the ｃａｔｓ sat"),
        ("the cats sat?", "𝐭𝐡𝐞 ⓒⓐⓣⓢ sat？"),
        ("the é dog", "the e\u0301 dog"),
        ("cat dog zebra", "ｃａｔ dog ｚｅｂｒａ"),  # the spelling of the unknown rest
    ]:
        np.testing.assert_allclose(encoder.encode(copy), encoder.encode(text), rtol=1e-6)
        assert encoder.unknown([copy]) == encoder.unknown([text])
    known, odd = encoder.encode(["cat dog"] * 2 + ["ﬁ dog"])[1:]
    assert not np.allclose(known, odd)


def test_the_encoder_in_the_box_knows_ligatures_and_wide_letters():
    pairs = [
        ("The efficient office finds floods", "The eﬃcient oﬃce ﬁnds ﬂoods"),
        ("full width text", "ｆｕｌｌ ｗｉｄｔｈ ｔｅｘｔ"),
        ("The cost is 5 kg per m2", "The cost is 5 ㎏ per ㎡"),
    ]
    np.testing.assert_allclose(in_the_box().score(pairs), 1, atol=1e-5)
    assert in_the_box().score([("108 people", "10⁸ people")])[0] < 0.9


@cache
def in_the_box():
    return load_encoder()


@given(STRANGE, STRANGE, st.sampled_from(["{}", "I {} Berlin", "{} where do I park my car?", "go{}od"]))
def test_the_encoder_in_the_box_tells_apart_what_it_does_not_know(one, other, frame):
    encoder = in_the_box()
    a, b = frame.format(one), frame.format(other)
    unknown = encoder.unknown([a, b])
    parts = [unknown[place].parts if place in unknown else () for place in (0, 1)]
    (score,) = encoder.score([(a, b)])
    if sorted(parts[0]) != sorted(parts[1]):
        assert score < 0.9999


def test_scores_are_cosines(tmp_path):
    encoder = StaticEncoder(load_static(write(tmp_path, tensors(quantised=False))), name="potion")
    a, b = encoder.encode(["the cat", "dog sat"]).astype(float)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    scores = encoder.score([("the cat", "dog sat"), ("", "dog"), ("", "")])
    np.testing.assert_allclose(scores, [expected, 0, 0], atol=1e-6)
    assert (encoder.name, encoder.dim) == ("potion", 6)
    assert isinstance(encoder, Encoder)
    assert encoder.encode([]).shape == (0, 6)


@given(st.lists(st.text(alphabet="thecatsdog ?é[]猫犬\u0301", max_size=20), min_size=1, max_size=6))
def test_a_text_has_one_vector_whatever_stands_beside_it(tmp_path_factory, texts):
    folder = tmp_path_factory.getbasetemp() / "static"
    if not folder.exists():
        write(folder, tensors(quantised=True), normalize=True)
    encoder = StaticEncoder(load_static(folder))
    assert encoder.encode(texts).tolist() == [encoder.encode([text])[0].tolist() for text in texts]


@pytest.mark.skipif(not REAL.is_dir(), reason="needs the real embedding")
def test_the_real_embedding():
    texts = [*TEXTS, "How do I reset my password?", "What is the capital of Côte d'Ivoire?", "[MASK] naïve…"]
    encoder = StaticEncoder(load_static(REAL))
    texts = known(encoder, texts)
    np.testing.assert_allclose(encoder.encode(texts), theirs(REAL, texts), atol=1e-6)


def test_an_encoder_is_named_with_its_size():
    assert repr(load_encoder("default")) == "<StaticEncoder: default, 128 dimensions, any length>"
