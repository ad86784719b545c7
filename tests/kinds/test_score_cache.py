import numpy as np
import pytest

from tests.models.test_model_folder import TEXTS, made
from textkin.kinds.score_cache import cache
from textkin.models.inference.scorers import NeuralEncoder, load_scorer
from textkin.models.model_folder import save_model

pytestmark = pytest.mark.torch


class Network:
    def __init__(self):
        self.caches = []

    def cache_in(self, path):
        self.caches.append(path)


class Together:
    name = "together"

    def __init__(self, *members):
        self.members = members


def test_members_of_members_are_found(tmp_path):
    one, two, other = Network(), Network(), object()
    cache([Together(Together(one), other), two, other], tmp_path / "c")
    assert one.caches == two.caches == [tmp_path / "c"]
    cache([one], None)
    assert len(one.caches) == 1


def test_a_trained_encoder_says_what_it_said(tmp_path, monkeypatch):
    folder = save_model(made(), tmp_path / "model")
    plain = load_scorer(folder).encode(TEXTS)
    first = load_scorer(folder)
    cache([first], tmp_path / "c")
    np.testing.assert_array_equal(first.encode(TEXTS), plain)
    monkeypatch.setattr(NeuralEncoder, "stream", lambda *_, **__: iter(()))  # nothing is recomputed
    again = load_scorer(folder)
    cache([again], tmp_path / "c")
    np.testing.assert_array_equal(again.encode(TEXTS), plain)
    cosine = np.vecdot(plain[0], plain[1])
    np.testing.assert_allclose(again.score([(TEXTS[0], TEXTS[1])]), cosine, rtol=1e-6)


def test_what_is_in_memory_only_keeps_nothing(tmp_path):
    model = made()
    cache([NeuralEncoder(model.module, model.pipeline, name="small")], tmp_path / "c")
    assert not (tmp_path / "c").exists()
