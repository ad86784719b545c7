"""The built-in cross-encoders without torch give the scores of torch."""

import pickle
import sys

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import ModelError, UsageError
from textkin.base.hub import NLI, RANKER, READER, located
from textkin.data import samples
from textkin.data.protocols import Classifier, Scorer
from textkin.models import light_adapter
from textkin.models.inference.scorers import NeuralClassifier, NeuralScorer, load_scorer
from textkin.models.light_scorers import LightClassifier, LightScorer, light_scorer
from textkin.models.passports.checking import compare, require
from textkin.models.passports.making import passport_of

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PAIRS = [(a, b) for a, b, _ in samples.pairs("support-desk")][:20]
PAIRS += [PAIRS[0], ("", ""), ("word " * 300, "other " * 90), ("word", "other " * 300)]


@pytest.mark.parametrize(("name", "gives"), [(RANKER, "score"), (NLI, "classify")])
def test_outputs_are_those_of_torch(name, gives):
    light, heavy = light_scorer(located(name)), load_scorer(located(name))
    ours, theirs = (getattr(one, gives) for one in (light, heavy))
    np.testing.assert_allclose(ours(PAIRS), theirs(PAIRS), atol=5e-5)
    np.testing.assert_array_equal(ours(PAIRS)[20], ours(PAIRS)[0])
    np.testing.assert_allclose(ours(PAIRS[0]), theirs(PAIRS[0]), atol=5e-5)
    assert ours([]).shape == theirs([]).shape
    assert light.settings() == heavy.settings() and repr(light).split(":")[1] == repr(heavy).split(":")[1]
    for field in ("threshold", "calibration", "classes", "folder", "name"):
        assert getattr(light.model, field) == getattr(heavy.model, field)
    assert "network" not in vars(light)
    again = pickle.loads(pickle.dumps(light))
    assert type(again) is type(light)


def test_what_they_are():
    ranker, nli = light_scorer(located(RANKER)), light_scorer(located(NLI))
    assert isinstance(ranker, LightScorer) and isinstance(ranker, Scorer)
    assert isinstance(nli, LightClassifier) and isinstance(nli, Classifier)
    assert nli.labels == ("contradiction", "entailment", "neutral")
    with pytest.raises(UsageError) as error:
        nli.score(PAIRS)
    assert error.value.params == ("model",)
    with pytest.raises(ModelError, match="finds answers"):
        light_scorer(located(READER))


def test_torch_takes_over_where_much_is_read(monkeypatch):
    for name, gives in ((RANKER, "score"), (NLI, "classify")):
        light = light_scorer(located(name))
        first = getattr(light, gives)(PAIRS[:3])
        assert "network" not in vars(light)
        with monkeypatch.context() as patch:
            patch.setattr(light_adapter, "_REPAY", 40)
            light = light_scorer(located(name))
            getattr(light, gives)(PAIRS[:1])
            assert "network" not in vars(light)
            second = getattr(light, gives)(PAIRS[:3])
        assert "network" in vars(light)
        np.testing.assert_allclose(first, second, atol=5e-5)


def test_loading_takes_them_until_torch_is_there(monkeypatch):
    assert isinstance(tk.load(RANKER), NeuralScorer) and isinstance(tk.load(NLI), NeuralClassifier)
    monkeypatch.delitem(sys.modules, "torch")
    assert isinstance(tk.load(RANKER), LightScorer) and isinstance(tk.load(NLI), LightClassifier)
    monkeypatch.undo()
    ours, theirs = (
        tk.attention(*PAIRS[0], one).maps for one in (light_scorer(located(RANKER)), tk.load(RANKER))
    )
    assert len(ours) == len(theirs) > 0


def test_their_passports_are_those_of_torch():
    folder = located(RANKER)
    with_torch, without = (passport_of(load(folder), folder=folder) for load in (load_scorer, light_scorer))
    checked = require(compare(with_torch, without))
    assert checked.settings == () and checked.changed == ()


def test_known_outputs_are_kept_with_torch(tmp_path):
    light = light_scorer(located(RANKER))
    light.cache_in(tmp_path / "cache.db")
    np.testing.assert_array_equal(light.score(PAIRS[:2]), light.score(PAIRS[:2]))
    assert any(tmp_path.iterdir())
