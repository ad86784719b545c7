from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import fusing, relevance
from textkin.base.errors import UsageError
from textkin.collection.search.rank_fusion import best_hits, features_of
from textkin.data.records import Qrels, Run
from textkin.vectors.index.rank_fusion import Pool, relevance_in

LISTS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 4).map(float), max_size=6)
RUNS = st.lists(st.dictionaries(st.sampled_from(["q1", "q2"]), LISTS, min_size=1), min_size=1, max_size=3)
QUERIES = {"q1": "one two three", "q2": ""}


@given(RUNS, st.none() | st.integers(1, 4))
def test_features(rankings, depth):
    pool = Pool.of([Run.from_dict(one) for one in rankings], depth=depth)
    names = [f"r{number}" for number in range(len(rankings))]
    rows = np.arange(len(pool.doc_ids))[::-1]
    found = features_of(pool, rows, rankings=names, queries=QUERIES)
    assert len(found.names) == 4 * len(names) + 1 and found.names[0] == "r0: score"
    for values, row, question in zip(found.features, rows, found.questions, strict=True):
        query, document = pool.query_ids[question], pool.doc_ids[row].decode()
        words = len(QUERIES[query].split())
        assert values == pytest.approx(relevance.features(rankings, query, words, document, depth))


@given(st.dictionaries(st.sampled_from(["q1", "q2"]), LISTS), st.integers(1, 4))
def test_the_best_hits(scores, k):
    pool = Pool.of([Run.from_dict(scores)])
    rows = best_hits(pool, pool.scores[:, 0], k)
    found = [(pool.query_ids[pool.questions[row]], pool.doc_ids[row].decode()) for row in rows]
    assert found == [(query, one) for query, own in scores.items() for one in fusing.ranked(own, k)]


def test_judgements_of_a_pool():
    pool = Pool.of([Run.from_dict({"q1": {"a": 1.0, "b": 2.0, "c": 0.5}, "q2": {"a": 1.0}})])
    qrels = Qrels.from_dict({"q3": {"a": 1}, "q1": {"b": 2, "c": -1, "z": 1}})
    assert relevance_in(pool, qrels).tolist() == [0, 2, 0, 0]


def test_what_can_not_be():
    pool = Pool.of([Run.from_dict({"q1": {"a": 1.0}})])
    with pytest.raises(UsageError) as error:
        best_hits(pool, pool.scores[:, 0], 0)
    assert (error.value.params, error.value.value) == (("k",), 0)
    with pytest.raises(UsageError, match="2 names of 1"):
        features_of(pool, np.array([0]), rankings=["one", "two"], queries=QUERIES)
