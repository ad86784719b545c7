"""The built-in transformer computes without torch until there is enough for it."""

import pickle
import sys
from functools import cache

import numpy as np
import pytest

import textkin as tk
from textkin.base.hub import MINILM, located
from textkin.kinds.systems import load
from textkin.models import packed_encoder, torch_loading
from textkin.models.inference.scorers import NeuralEncoder
from textkin.models.light_transformer import LightTransformer
from textkin.models.packed_encoder import PackedEncoder
from textkin.models.passports.checking import compare, require
from textkin.models.passports.making import passport_of
from textkin.models.self_check import SelfCheck
from textkin.vectors.batched_encoding import Adjustable, Streams, in_precision

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TEXTS = ["How old are you?", "What is your age?", "How old are you?", "Where is the cat?"]


@cache
def light():
    return LightTransformer(located(MINILM), name="minilm")


@cache
def vectors():
    return load(MINILM).encode(TEXTS)


@pytest.fixture
def repaid_by(monkeypatch):
    """An encoder for which so many texts repay torch."""
    monkeypatch.setattr(packed_encoder, "may_have_bf16", lambda: True)

    def made(texts):
        monkeypatch.setattr(packed_encoder, "_REPAY", texts)
        return PackedEncoder(light())

    return made


@pytest.fixture
def encoder(repaid_by):
    return repaid_by(1_000)


def has_network(encoder):
    return "network" in vars(encoder)


def test_few_texts_need_no_torch(encoder):
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors(), atol=1e-6)
    np.testing.assert_allclose(encoder.encode(TEXTS[1]), vectors()[1], atol=1e-6)
    (score,) = encoder.score([(TEXTS[0], TEXTS[1])])
    assert score == pytest.approx(vectors()[0] @ vectors()[1], abs=1e-6)
    assert encoder.score((TEXTS[0], TEXTS[1])) == pytest.approx(score)
    np.testing.assert_allclose(encoder.network_vectors(TEXTS), vectors(), atol=1e-6)
    assert encoder.token_vectors(TEXTS[:1])[0].shape == (7, 384)
    assert (encoder.dim, encoder.max_tokens, encoder.name) == (384, 254, "minilm")
    assert encoder.lengths(TEXTS).tolist() == [5, 5, 5, 5]
    assert not has_network(encoder)


def test_torch_takes_over_once_it_repays_its_loading(repaid_by):
    encoder = repaid_by(6)
    encoder.encode(TEXTS)
    assert not has_network(encoder)
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors(), atol=1e-6)
    assert has_network(encoder) and isinstance(encoder.network, NeuralEncoder)


def test_without_bfloat16_it_repays_later(repaid_by, monkeypatch):
    monkeypatch.setattr(packed_encoder, "may_have_bf16", lambda: False)
    monkeypatch.setattr(packed_encoder, "_REPAY_IN_FP32", 6)
    encoder = repaid_by(0)
    encoder.encode(TEXTS)
    assert encoder.check(["How old are you?"] * 4_682) == SelfCheck("fp32")
    assert not has_network(encoder)
    encoder.encode(TEXTS)
    assert has_network(encoder)


def test_one_that_stays_light_never_loads_torch(repaid_by):
    encoder = repaid_by(0)
    encoder.stay_light()
    np.testing.assert_allclose(encoder.encode(TEXTS), vectors(), atol=1e-6)
    assert not has_network(encoder)


def test_without_a_torch_that_works_it_stays_as_it_is(repaid_by, monkeypatch):
    monkeypatch.setattr(torch_loading, "has_torch", lambda: False)
    encoder = repaid_by(0)
    encoder.encode(TEXTS)
    encoder.load_loops()
    assert not has_network(encoder)


@pytest.mark.parametrize(("repay", "with_torch"), [(6, True), (100, False)])
def test_windows_come_in_order(repaid_by, repay, with_torch):
    encoder = repaid_by(repay)
    assert isinstance(encoder, Streams)
    found = list(encoder.stream([TEXTS[:3], TEXTS[3:], TEXTS, TEXTS[:1]]))
    assert [len(one) for one in found] == [3, 1, 4, 1]
    expected = np.concatenate([vectors(), vectors(), vectors()[:1]])
    np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-6)
    assert has_network(encoder) == with_torch


def test_precision_is_measured_for_many_texts_only(encoder, monkeypatch):
    asked = []
    monkeypatch.setattr(
        NeuralEncoder, "check", lambda self, texts: asked.append(len(texts)) or SelfCheck("fp32", texts=9)
    )
    assert isinstance(encoder, Adjustable)
    settled, words = in_precision(encoder, "auto", TEXTS)
    assert settled is encoder and words == "fp32, without a check"
    in_precision(encoder, "auto", [])
    assert not has_network(encoder)
    in_precision(encoder, "auto", ["How old are you?"] * 4_681)
    assert asked == []
    in_precision(encoder, "auto", ["How old are you?"] * 4_682)  # 7 tokens each: 32,774
    assert asked == [4_682]


def test_scores_of_one_that_chooses_are_exact(encoder):
    choosing = encoder.choosing()
    assert choosing.as_scored is encoder and encoder.as_scored is encoder
    assert choosing.computing("fp32") is encoder
    np.testing.assert_allclose(choosing.encode(TEXTS), vectors(), atol=1e-6)
    assert choosing.network.as_scored is encoder.network


def test_it_goes_to_another_process(encoder):
    again = pickle.loads(pickle.dumps(encoder))
    assert isinstance(again, PackedEncoder) and again.folder == encoder.folder
    np.testing.assert_array_equal(again.encode(TEXTS), encoder.encode(TEXTS))


def test_loading_takes_it_until_torch_is_there(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    assert isinstance(load(MINILM), PackedEncoder)
    monkeypatch.setattr("textkin.kinds.systems.scorers.finds_torch", lambda: False)
    assert isinstance(load(MINILM), LightTransformer)
    monkeypatch.undo()
    assert isinstance(load(MINILM), NeuralEncoder)


def test_its_passport_is_that_of_torch(encoder):
    with_torch, without = (passport_of(one, folder=located(MINILM)) for one in (load(MINILM), encoder))
    checked = require(compare(with_torch, without))
    assert checked.settings == () and checked.changed == ()


def test_attention_is_that_of_torch(encoder):
    ours, theirs = (tk.attention(*TEXTS[:2], one).maps for one in (encoder, load(MINILM)))
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)
    assert len(encoder.attention(*TEXTS[:2])) == len(ours)
