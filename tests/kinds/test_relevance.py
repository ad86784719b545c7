from __future__ import annotations

import json

import numpy as np
import pytest

from tests.measures.decisions.test_relevance import drawn
from textkin.base.errors import DataError, ModelError, PromiseError
from textkin.kinds.relevance import JudgedHits, fit_for_goal
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.relevance import SavedRelevance, cross_fitted_relevance
from textkin.measures.intervals.sampling import Sampling

SAMPLING = Sampling(200, 100)
SYSTEMS = {"bm25": "a" * 64, "default": "b" * 64}


def judged(queries=300):
    hits, relevant, _ = drawn(queries)
    return JudgedHits(hits, relevant, SYSTEMS, depth=1000, k=5, name="dev", sha256="c" * 64)


@pytest.mark.slow
def test_figures_by_hand():
    given = judged()
    saved, found = fit_for_goal(given, Goal.parse("f1"), sampling=SAMPLING)
    told = cross_fitted_relevance(given.hits, given.relevant)
    has = given.relevant.reshape(-1, 5).any(axis=1)
    assert found.figures["relevant"].value == pytest.approx(given.relevant.mean())
    assert found.figures["answered"].value == pytest.approx(has.mean())
    bins = np.array_split(np.argsort(told.of_queries, kind="stable"), 10)
    off = sum(abs((told.of_queries[one] - has[one]).sum()) for one in bins) / len(has)
    assert found.figures["ECE of queries"].value == pytest.approx(off)
    for one in found.figures.values():
        assert one.low <= one.value <= one.high
    assert found.curve.risk[-1] == pytest.approx(1 - has.mean())
    assert found.curve.risk[0] <= found.curve.risk[-1]
    taken = told.of_hits >= np.float32(saved.threshold.threshold.value)
    assert saved.threshold.threshold.precision == pytest.approx(given.relevant[taken].mean(), abs=1e-3)


def test_a_promise_that_can_not_be_kept():
    with pytest.raises(PromiseError):
        fit_for_goal(judged(60), Goal.parse("precision=0.999"), sampling=SAMPLING)


def test_there_and_back(tmp_path):
    saved, _ = fit_for_goal(judged(), Goal.parse("precision=0.5"), sampling=SAMPLING)
    path = tmp_path / "relevance.json"
    saved.write(path)
    assert SavedRelevance.read(path) == saved
    assert saved.threshold.data_sha256 == "c" * 64
    saved.require(dict(SYSTEMS))
    with pytest.raises(ModelError, match="has changed"):
        saved.require({**SYSTEMS, "default": "d" * 64})
    values = json.loads(path.read_text())
    assert values["unjudged"] == "not relevant"
    for damage in ({"k": 0}, {"systems": []}, {"figures": 3}, {"threshold": {}}):
        path.write_text(json.dumps({**values, **damage}))
        with pytest.raises(DataError) as error:
            SavedRelevance.read(path)
        assert str(error.value.path).endswith("relevance.json")
    path.write_text(json.dumps({**values, "kind": "decision"}))
    with pytest.raises(DataError) as error:
        SavedRelevance.read(path)
    assert str(error.value.path).endswith("relevance.json")
