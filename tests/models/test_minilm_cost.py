"""The sentence about the better encoder: shown for the static one only, timed for many texts."""

import time

import pytest

from textkin.base.hub import MINILM, located
from textkin.data import samples
from textkin.models import minilm_cost
from textkin.models.light_transformer import LightTransformer
from textkin.models.minilm_cost import FEW, minilm_instead, seconds_a_text

TEXTS = [row[-1] for row in samples.rows("questions.tsv")]


@pytest.mark.parametrize("model", [MINILM, "runs/mine/model", "./default", object()])
def test_of_other_models_nothing_is_said(model):
    assert minilm_instead(TEXTS, model) is None


@pytest.mark.parametrize("model", [None, "default"])
def test_of_few_texts_nothing_is_timed(model, monkeypatch):
    monkeypatch.setattr(minilm_cost, "seconds_a_text", None)
    said = minilm_instead(TEXTS[:50], model)
    assert said is not None and said.endswith("`model=minilm` doesn't")
    assert minilm_instead([], model) == said


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.01, "less than a minute"),
        (0.06, "about a minute"),
        (1.5, "about 25 minutes"),
        (90, "about 1,500 minutes"),
    ],
)
def test_many_texts_are_told_in_minutes(seconds, words, monkeypatch):
    monkeypatch.setattr(minilm_cost, "seconds_a_text", lambda texts: seconds)
    said = minilm_instead(TEXTS[:50], None, FEW)
    assert said is not None and said.endswith(f"would take {words} for 1,000 texts")


@pytest.mark.slow
def test_what_is_foretold_is_what_it_takes():
    texts = TEXTS[:200]
    foretold = min(seconds_a_text(texts) for _ in range(2)) * len(texts)
    encoder = LightTransformer(located(MINILM), name=MINILM)
    start = time.perf_counter()
    encoder.encode(texts)
    took = time.perf_counter() - start
    assert 0.1 < foretold / took < 10  # other work may be on the cores


@pytest.mark.slow
def test_longer_texts_take_longer():
    # Other work may be on the cores for a moment, so each is taken at its fastest.
    long, short = (
        min(seconds_a_text(texts) for _ in range(3))
        for texts in ([text * 12 for text in TEXTS[:64]], TEXTS[:64])
    )
    assert long > 2 * short
