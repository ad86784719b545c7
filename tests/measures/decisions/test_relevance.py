from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import relevance as slow
from textkin.base.errors import DataError, ModelError
from textkin.base.json_records import restored
from textkin.measures.decisions.relevance import (
    Hits,
    RelevanceModel,
    answered,
    cross_fitted_relevance,
    fit_logistic,
    fit_relevance,
    query_features,
)


def drawn(queries=120, k=5, seed=0):
    """Hits with a known probability of relevance: it follows from the first feature."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(queries * k, 3))
    features[:, 2] = 7.0  # uninformative
    truth = 1 / (1 + np.exp(2.0 - 1.5 * features[:, 0]))
    relevant = (rng.random(len(truth)) < truth).astype(float)
    return Hits(features, ("one", "two", "three"), np.repeat(np.arange(queries), k)), relevant, truth


def test_the_loss_is_the_least():
    hits, relevant, _ = drawn(20)
    found = fit_logistic(hits.features, relevant)
    rows = (hits.features - np.array(found.locations)) / np.array(found.scales)
    least = slow.penalised_loss(rows, relevant, found.weights, found.intercept)
    assert found.scales[2] == 1.0 and found.weights[2] == 0.0
    for place in range(4):
        for step in (-1e-3, 1e-3):
            moved = [*found.weights, found.intercept]
            moved[place] += step
            assert slow.penalised_loss(rows, relevant, moved[:3], moved[3]) > least


def test_probabilities_come_near_the_truth():
    hits, relevant, truth = drawn(2000)
    model = fit_relevance(hits, relevant)
    assert np.abs(model.of_hits(hits) - truth).max() < 0.05
    any_hit = 1 - np.prod(1 - truth.reshape(-1, 5), axis=1)
    assert np.abs(model.of_queries(model.of_hits(hits), hits.questions) - any_hit).mean() < 0.04


@given(st.lists(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4), min_size=1, max_size=5))
def test_features_of_queries(probabilities):
    flat = np.concatenate([np.array(one) for one in probabilities])
    questions = np.repeat(np.arange(len(probabilities)) * 3, [len(one) for one in probabilities])
    found = query_features(flat, questions)
    for row, one in zip(found, probabilities, strict=True):
        assert row == pytest.approx(slow.query_features(one))


def test_sure_hits_stay_finite():
    assert np.isfinite(query_features(np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]))).all()


def test_answered():
    assert answered(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])).tolist() == [1, 0]


def test_a_query_is_told_by_what_others_gave():
    hits, relevant, _ = drawn(30)
    groups = hits.questions // 2
    before = cross_fitted_relevance(hits, relevant, groups=groups)
    turned = relevant.copy()
    turned[groups == 0] = 1 - turned[groups == 0]
    after = cross_fitted_relevance(hits, turned, groups=groups)
    own, queries = groups == 0, np.arange(30) < 2
    assert before.of_hits[own].tolist() == after.of_hits[own].tolist()
    assert before.of_queries[queries].tolist() == after.of_queries[queries].tolist()
    assert before.of_hits[~own].tolist() != after.of_hits[~own].tolist()


def test_equal_hits_are_equal_and_fits_repeat():
    hits, relevant, _ = drawn(30)
    one, other = fit_relevance(hits, relevant), fit_relevance(hits, relevant)
    assert one == other
    twice = Hits(np.repeat(hits.features[:1], 7, axis=0), hits.names, np.zeros(7, dtype=np.int64))
    assert len(set(one.of_hits(twice).tolist())) == 1


def test_there_and_back():
    hits, relevant, _ = drawn(30)
    model = fit_relevance(hits, relevant)
    values = json.loads(json.dumps(asdict(model)))
    assert restored(RelevanceModel, values, finite=True) == model
    for damage in ({"hit": 3}, {"features": ["one"]}, {"answer": values["hit"]}):
        with pytest.raises(ValueError):
            restored(RelevanceModel, {**values, **damage}, finite=True)
    for key, value in (("scales", [1.0, 0.0, 1.0]), ("intercept", float("nan")), ("weights", "abc")):
        with pytest.raises(ValueError):
            restored(RelevanceModel, {**values, "hit": {**values["hit"], key: value}}, finite=True)


def test_what_can_not_be():
    hits, relevant, _ = drawn(30)
    model = fit_relevance(hits, relevant)
    with pytest.raises(ModelError, match="fit it again"):
        model.of_hits(Hits(hits.features, ("one", "two", "four"), hits.questions))
    with pytest.raises(DataError) as error:
        fit_relevance(hits, np.zeros(len(relevant)))
    assert (error.value.params, error.value.value) == (("labels",), 120)
    with pytest.raises(DataError, match="2 names"):
        Hits(hits.features, ("one", "two"), hits.questions)
    with pytest.raises(DataError) as error:
        Hits(np.array([[np.nan]]), ("one",), np.array([0]))
    assert (error.value.params, error.value.expected) == (("a ranking",), "finite numbers")
