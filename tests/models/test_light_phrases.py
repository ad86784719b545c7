"""The built-in encoder of phrases without torch gives the vectors of torch."""

import pickle
import sys
from functools import cache

import numpy as np
import pytest

from textkin.base.hub import PHRASES, located
from textkin.data import samples
from textkin.data.readers.datasets.squad import read_squad
from textkin.kinds.systems.phrases import phrase_encoder_of
from textkin.models import light_adapter
from textkin.models.inference.phrase_encoders import NeuralPhraseEncoder, load_phrase_encoder
from textkin.models.light_phrases import LightPhrases

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TOWN = read_squad(samples.path("town.json")).data
PASSAGES = [
    *(text for _, text in TOWN.texts[:24:6]),
    "",
    "?",
    "é 😀",
    " ".join(text for _, text in TOWN.texts[::9]),
]
QUESTIONS = [*(question for question, _ in TOWN.texts[:24:6]), "?", "How " * 700]


@cache
def light():
    return LightPhrases(located(PHRASES))


@cache
def heavy():
    return load_phrase_encoder(located(PHRASES))


def test_vectors_are_those_of_torch():
    ours, theirs = light().phrases(PASSAGES), heavy().phrases(PASSAGES)
    for one, other in zip(ours, theirs, strict=True):
        assert one.offsets.tolist() == other.offsets.tolist()
        np.testing.assert_allclose(one.vectors, other.vectors, atol=2e-4)
        np.testing.assert_allclose(one.priors, other.priors, atol=2e-4)
    tokens = zip(light().phrase_tokens(PASSAGES), heavy().phrase_tokens(PASSAGES), strict=True)
    for one, other in tokens:
        assert one.offsets.tolist() == other.offsets.tolist()
        assert one.lengths.tolist() == other.lengths.tolist()
        np.testing.assert_allclose(one.vectors, other.vectors, atol=2e-4)
    np.testing.assert_allclose(light().questions(QUESTIONS), heavy().questions(QUESTIONS), atol=2e-4)
    assert "network" not in vars(light())


def test_it_says_of_itself_what_torch_says():
    for name in ("name", "dim", "nothing"):
        assert getattr(light(), name) == getattr(heavy(), name)
    assert light().model.seen.hashes.tolist() == heavy().model.seen.hashes.tolist() != []


def test_torch_takes_over_where_much_is_encoded(monkeypatch):
    monkeypatch.setattr(light_adapter, "_REPAY", 60)
    encoder = LightPhrases(located(PHRASES))
    few = encoder.questions(QUESTIONS[:1])
    assert "network" not in vars(encoder)
    encoder.phrases(PASSAGES[:2])
    assert "network" in vars(encoder)
    np.testing.assert_allclose(encoder.questions(QUESTIONS[:1]), few, atol=2e-4)


def test_another_process_opens_it_again():
    again = pickle.loads(pickle.dumps(light()))
    assert isinstance(again, LightPhrases) and "network" not in vars(again)
    assert np.array_equal(again.questions(QUESTIONS[:2]), light().questions(QUESTIONS[:2]))


def test_torch_opens_it_where_it_is_loaded(monkeypatch):
    assert isinstance(phrase_encoder_of(PHRASES), NeuralPhraseEncoder)
    monkeypatch.delitem(sys.modules, "torch")
    assert isinstance(phrase_encoder_of(PHRASES), LightPhrases)
