import numpy as np
import pytest
import torch

from tests.models.interop.tiny import backbone
from textkin.base.errors import UsageError
from textkin.base.hub import MINILM, located
from textkin.base.numba_cache import compiling
from textkin.data.protocols import Encoder, Side
from textkin.models.inference import scorers as module
from textkin.models.inference.scorers import NeuralEncoder, load_scorer
from textkin.models.self_check import SelfCheck
from textkin.networks.architectures.table import build
from textkin.networks.architectures.transformer import TransformerEncoder
from textkin.text.baselines.user_objects import given
from textkin.text.pipeline import WordPipeline
from textkin.text.vocabulary import Oov, build_vocabulary

pytestmark = pytest.mark.torch

TEXTS = ["a b c d e f g", "a", "", "c b a", "unseen words only", "b b", "g f e d c b a a b c d"] * 3


def encoder(**options):
    torch.manual_seed(0)
    pipeline = WordPipeline(build_vocabulary([list("abcdefg")], oov=Oov.ZERO))
    module = build(
        "siamese",
        size=pipeline.size,
        pad_id=pipeline.pad_id,
        zero_ids=list(pipeline.vocabulary.zero_ids),
        dim=5,
        hidden=4,
        **options,
    )
    return NeuralEncoder(module, pipeline, name="small"), module


@pytest.mark.parametrize(
    "options", [{}, {"cell": "cnn"}, {"mask": False}, {"cell": "bigru", "pooling": "max"}]
)
def test_company_changes_no_score(options, monkeypatch):
    model, _ = encoder(**options)
    pairs = [(a, b) for a in TEXTS[:7] for b in TEXTS[:7]]
    together = model.score(pairs)
    alone = np.concatenate([model.score([pair]) for pair in pairs])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    monkeypatch.setattr("textkin.models.inference.engine._Padded.tokens", 8)
    np.testing.assert_allclose(model.score(pairs), together, atol=1e-6)
    known = np.array([bool(a.strip()) for a in TEXTS[:7]])  # unknown tokens have a vector, too
    same = [index for index, (a, b) in enumerate(pairs) if a == b]
    np.testing.assert_allclose(together[same], known.astype(float), atol=1e-6)


def test_vectors_stand_in_the_order_of_the_texts():
    model, module = encoder(dropout=0.5)
    assert isinstance(model, Encoder)
    vectors = model.encode(TEXTS)
    assert vectors.shape == (21, model.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors[:7], vectors[7:14])
    np.testing.assert_array_equal(vectors, model.encode(TEXTS, side=Side.QUERY))
    np.testing.assert_allclose(vectors[1], model.encode(["a"])[0], atol=1e-6)
    assert (vectors[2] == 0).all()
    assert (model.network_vectors(TEXTS)[[2, 4]] == 0).all()
    assert np.linalg.norm(vectors[4]) == pytest.approx(1)  # of words that the network does not know
    assert module.training  # it was before
    assert model.encode([]).shape == (0, 4)
    assert model.score([]).shape == (0,)


def test_windows_change_nothing(monkeypatch):
    model, _ = encoder()
    vectors = model.encode(TEXTS)
    parts = list(model.stream([TEXTS[:4], [], TEXTS[4:]]))
    assert [len(part) for part in parts] == [4, 0, 17]
    np.testing.assert_allclose(np.concatenate(parts), vectors, atol=1e-6)
    monkeypatch.setattr("textkin.models.inference.scorers.WINDOW", 2)
    np.testing.assert_allclose(model.encode(TEXTS), vectors, atol=1e-6)
    assert list(model.stream([])) == []


def test_one_window_needs_no_thread(monkeypatch):
    model, module = encoder(dropout=0.5)
    vectors = model.encode(TEXTS)
    set_to = []
    monkeypatch.setattr("textkin.models.inference.scorers.ThreadPoolExecutor", None)
    monkeypatch.setattr(type(module), "train", lambda self, mode=True: set_to.append(mode))
    for part in module.modules():
        part.training = False
    np.testing.assert_array_equal(model.encode(TEXTS), vectors)
    assert set_to == []  # nothing was in training, so no mode was set


def test_precision_is_asked_for_and_checked():
    model, _ = encoder()
    assert model.computes == model.check(TEXTS).computes == "fp32"
    with pytest.raises(UsageError) as error:
        model.computing("bf16").encode(TEXTS)
    assert error.value.params == ("precision",)


def test_many_texts_are_encoded_in_the_precision_that_is_chosen(monkeypatch):
    network = TransformerEncoder(backbone=backbone("bert", tokens=60)).eval()
    pipeline = WordPipeline(build_vocabulary([list("abcdefg")], oov=Oov.ZERO))
    scored, told, checked = NeuralEncoder(network, pipeline, name="small"), [], []

    def check(*_, **named):
        checked.append(named)
        return SelfCheck("bf16", 2.0, 1.0, 9)

    monkeypatch.setattr(module, "_MANY", 100)
    monkeypatch.setattr(module, "self_check", check)
    monkeypatch.setattr(module, "remark", told.append)
    model, few, many = scored.choosing(), ["a b", "c"], ["a b c", "d e"] * 30
    assert model.as_scored is scored and given(model) is scored
    np.testing.assert_array_equal(model.encode(few), scored.encode(few))
    assert checked == []
    for _ in range(2):
        np.testing.assert_array_equal(model.encode(many), scored.computing("bf16").encode(many))
    assert (model.encode(many) != scored.encode(many)).any()
    assert len(checked) == len(told) == 1 and "bf16" in told[0]
    pairs = [("a b", "c d")] * 40
    assert model.score(pairs).tolist() == scored.score(pairs).tolist()


def test_what_has_one_precision_chooses_none():
    model, _ = encoder()
    assert model.choosing() is model.as_scored is model


def test_strings_are_not_taken_for_lists_of_letters():
    model, _ = encoder()
    assert np.array_equal(model.encode("one two"), model.encode(["one two"])[0])
    with pytest.raises(UsageError) as error:
        model.score(["ab", "cd"])
    assert error.value.params == ("pairs",)


def test_a_cosine_is_never_above_one(monkeypatch):
    model, _ = encoder()
    long = np.full((2, 4), 0.50001, dtype=np.float32)  # a unit vector but for its rounding
    monkeypatch.setattr(type(model), "encode", lambda *_: long)
    assert model.score([("a", "b")]).tolist() == [1.0]


@pytest.mark.slow
def test_few_tokens_go_through_loops_and_many_through_torch(monkeypatch):
    encoder = load_scorer(located(MINILM))
    few, many = ["How old are you?"], ["How old are you?", "word " * 40]
    exact = encoder._engine.vectors(encoder.pipeline.ids(many))
    taken = []
    monkeypatch.setattr(
        type(encoder._light),
        "means",
        lambda self, ids, *, by_loop: taken.append((len(ids), by_loop)) or np.ones((len(ids), 384)),
    )
    with compiling():  # nothing stands in for loops
        encoder.__dict__["_loops_pay"] = True
        np.testing.assert_allclose(encoder.encode(few), np.full((1, 384), 384**-0.5), rtol=1e-6)
        np.testing.assert_allclose(encoder.encode(many), exact, atol=1e-6)
        encoder.__dict__["_loops_pay"] = False
        np.testing.assert_allclose(encoder.network_vectors(few), exact[:1], atol=1e-6)
    assert taken == [(1, True)]


@pytest.mark.slow
def test_loops_are_only_for_packed_weights_in_fp32():
    encoder = load_scorer(located(MINILM))
    assert encoder._light is not None and encoder.choosing()._light is encoder._light
    assert encoder.computing("fp32")._light is not None
    trained = NeuralEncoder(encoder._module, encoder.pipeline, name="trained")
    assert trained._light is None
    trained.load_loops()
    rough = encoder.computing("fp32")
    rough.computes = "bf16"
    assert rough._light is None
    encoder.load_loops()
    (vector,) = encoder.encode(["How old are you?"])
    np.testing.assert_allclose(vector, trained.encode(["How old are you?"])[0], atol=1e-6)
