"""Labelled incoming texts of a collection."""

import numpy as np
import pytest

from textkin.base.errors import DataError
from textkin.measures.decisions.incoming_texts import Arrivals


def sample(texts=4000, *, seed=0, rate=0.5, wrong=0.2):
    """Scores of texts with a duplicate are higher; some of them meet another entry."""
    draws = np.random.default_rng(seed)
    known = draws.random(texts) < rate
    scores = np.clip(draws.normal(np.where(known, 0.8, 0.5), 0.1), -1, 1)
    right = known & (draws.random(texts) >= wrong * (1 - scores))
    scores[draws.random(texts) < 0.05] = -np.inf
    right &= np.isfinite(scores)
    return Arrivals(scores.astype(np.float32), right, known, np.arange(texts))


def test_it_comes_back_as_it_was():
    made = sample()
    again = Arrivals.from_dict(made.to_dict())
    for name in ("scores", "right", "known", "clusters"):
        assert np.array_equal(getattr(made, name), getattr(again, name))


def test_what_is_no_sample():
    values = sample(100).to_dict()
    for broken in ({}, {**values, "scores": "?"}, {**values, "kinds": values["clusters"]}):
        with pytest.raises(DataError, match="labelled sample can't be read"):
            Arrivals.from_dict(broken)


def test_both_kinds_are_needed():
    scores, yes = np.ones(3, dtype=np.float32), np.ones(3, dtype=bool)
    with pytest.raises(DataError, match="one without a duplicate"):
        Arrivals(scores, yes, yes, np.arange(3))
    with pytest.raises(DataError, match="one with a duplicate"):
        Arrivals(scores, ~yes, ~yes, np.arange(3))
    with pytest.raises(DataError, match="has no duplicate"):
        Arrivals(scores, yes, ~yes, np.arange(3))


@pytest.mark.parametrize("texts", [400, 40_000])
def test_probabilities_hold_at_another_base_rate(texts):
    curve = sample(texts).curve
    rare = sample(200_000, seed=1, rate=0.03)
    likely = curve.probability(rare.scores, base_rate=0.03)
    assert likely.mean() == pytest.approx(rare.right.mean(), abs=0.01)
    off = 0.12 if texts < 1000 else 0.08
    for low, high in ((0.0, 0.2), (0.2, 0.6), (0.6, 1.01)):
        some = (likely >= low) & (likely < high)
        assert likely[some].mean() == pytest.approx(rare.right[some].mean(), abs=off)


def test_nothing_near_is_no_duplicate():
    assert sample().curve.probability(np.array([-np.inf]), base_rate=0.5).tolist() == [0.0]


def test_no_number_of_texts_makes_sure():
    scores = np.concatenate((np.full(2000, 0.9), np.full(2000, 0.1))).astype(np.float32)
    known = scores > 0.5
    curve = Arrivals(scores, known, known, np.arange(4000)).curve
    [likely] = curve.probability(np.array([0.9]), base_rate=0.001)
    assert likely == pytest.approx(4001 / (4001 + 999), abs=0.01)
