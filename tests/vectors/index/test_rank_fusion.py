from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import fusing
from textkin.base.errors import DataError, UsageError
from textkin.data.records import Run
from textkin.measures.decisions.combination import Linear
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks
from textkin.vectors.index.rank_fusion import Pool, fuse

LISTS = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 4).map(float), max_size=8)
RUNS = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), LISTS), min_size=1, max_size=4)
DEPTHS = st.none() | st.integers(1, 5)


def queries(rankings):
    return dict.fromkeys(query for one in rankings for query in one)


def single(scores):
    """Single-precision numbers, in which a ranking compares them."""
    return {name: float(np.float32(score)) for name, score in scores.items()}


def expected(wanted, rankings, query, depth):
    """The ranking down to a depth; ties by the last ranking."""
    last = rankings[-1].get(query, {})
    listed = {one: last[one] for one in fusing.ranked(last, depth)}
    return fusing.decided(single(wanted), listed, depth)


@given(RUNS, DEPTHS, st.sampled_from([0.5, 10.0, 60.0]))
def test_reciprocal_rank_fusion(rankings, depth, k):
    runs = [Run.from_dict(one) for one in rankings]
    found = fuse(runs, ReciprocalRanks(len(runs), k), depth=depth).to_dict()
    assert list(found) == list(queries(rankings))
    for query, scores in found.items():
        wanted = fusing.reciprocal_ranks([one.get(query, {}) for one in rankings], k, depth)
        assert fusing.ranked(single(scores)) == expected(wanted, rankings, query, depth)
        assert scores == pytest.approx({name: wanted[name] for name in scores})


@given(RUNS, DEPTHS)
def test_weighted_fusion(rankings, depth):
    count = len(rankings)
    parts = [tuple(value + one for one in range(count)) for value in (0.5, 1.0, 0.25)]
    found = fuse([Run.from_dict(one) for one in rankings], Linear(*parts), depth=depth).to_dict()
    for query, scores in found.items():
        wanted = fusing.weighted([one.get(query, {}) for one in rankings], *parts, depth)
        assert fusing.ranked(single(scores)) == expected(wanted, rankings, query, depth)
        assert scores == pytest.approx({name: wanted[name] for name in scores})


def test_equal_scores_share_a_rank_and_the_last_ranking_decides():
    words = Run.from_dict({"q": {"a": 1.0, "b": 1.0, "c": 1.0}})
    assert fuse([words], ReciprocalRanks(1, 1)).to_dict()["q"] == pytest.approx(dict.fromkeys("abc", 1 / 3))
    vectors = Run.from_dict({"q": {"a": 0.9, "b": 0.1, "c": 0.5}})
    assert fusing.ranked(fuse([words, vectors], ReciprocalRanks(2)).to_dict()["q"]) == ["a", "c", "b"]


def test_equal_sums_go_by_the_last_ranking():
    words = Run.from_dict({"q": {"a": 1.0, "b": 2.0}, "r": {"a": 2.0, "b": 1.0}})
    vectors = Run.from_dict({"q": {"a": 0.9, "b": 0.1}, "r": {"a": 0.1, "b": 0.9}})
    found = fuse([words, vectors], ReciprocalRanks(2)).to_dict()
    assert [fusing.ranked(single(one)) for one in found.values()] == [["a", "b"], ["b", "a"]]
    assert found["q"]["a"] - found["q"]["b"] < 1e-8


def test_what_a_ranking_lacks():
    pool = Pool.of([Run.from_dict({"q": {"a": 2.0}}), Run.from_dict({"q": {"b": 3.0}, "r": {"a": 1.0}})])
    assert pool.query_ids == ("q", "r") and pool.doc_ids.tolist() == [b"a", b"b", b"a"]
    assert np.isnan(pool.scores).tolist() == [[False, True], [True, False], [True, False]]
    assert pool.questions.tolist() == [0, 0, 1]


def test_documents_below_the_depth_count_for_nothing():
    runs = [Run.from_dict({"q": {"a": 2.0, "b": 1.0}}), Run.from_dict({"q": {"b": 2.0, "c": 1.0}})]
    assert set(fuse(runs, ReciprocalRanks(2), depth=1).to_dict()["q"]) == {"b"}  # that the last one has
    assert set(fuse(runs, ReciprocalRanks(2)).to_dict()["q"]) == {"a", "b", "c"}


def test_what_can_not_be_fused():
    with pytest.raises(UsageError) as error:
        Pool.of([])
    assert error.value.value == (0, None)
    one = Run.from_dict({"q": {"a": 1.0}})
    with pytest.raises(UsageError) as error:
        Pool.of([one], depth=0)
    assert error.value.value == (1, 0)
    with pytest.raises(DataError) as error:
        Pool.of([one, replace(one, scores=np.array([np.nan]))])
    assert (error.value.params, error.value.value) == (("textkin",), ("q", "a"))


def test_nothing_found_at_all():
    empty = Run.from_dict({"q": {}})
    found = fuse([empty, empty], ReciprocalRanks(2))
    assert found.query_ids == ("q",) and len(found.scores) == 0
