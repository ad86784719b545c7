"""Word search by BM25, compared with the scorer of pairs and the definition."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.bm25 import Bm25
from textkin.vectors.index import bm25_postings as module
from textkin.vectors.index.bm25_postings import (
    PostingsBuilder,
    Statistics,
    WordQueries,
    keys_of,
    room_for,
)

texts = st.lists(
    st.lists(st.sampled_from(["ice", "fire", "sun", "the", "moon"]), max_size=6).map(" ".join), max_size=9
)
PLAIN = analyser_of("plain")
NOBODY = np.empty(0, dtype=np.int64)


def built(given_, places=None):
    builder = PostingsBuilder(PLAIN)
    builder.add(given_)
    return builder.built(np.arange(len(given_)) if places is None else np.array(places))


def searched(postings, query, depth, allowed=None, *, by_arrays=False):
    asked = WordQueries.of([PLAIN.terms_of(query)])
    terms, room = postings.terms(asked.keys), None if by_arrays else room_for(len(postings))
    documents, scores = postings.best(asked, terms, known(postings, terms), depth, room, allowed)
    found = documents.ravel() >= 0
    return documents.ravel()[found], scores.ravel()[found]


def counted(postings, removed):
    return postings.holders(postings.terms(keys_of(["ice", "sun", "none"])), removed).tolist()


def known(postings, terms):
    return Statistics(len(postings), int(postings.lengths.sum()), postings.holders(terms, NOBODY))


@given(texts, st.sampled_from(["ice", "sun moon ice", "the the fire", "none", ""]), st.integers(1, 12))
def test_scores_are_those_of_the_scorer(given_, query, depth):
    documents, scores = searched(built(given_), query, depth)
    expected = []
    if any(given_):
        pair_scores = Bm25.fit(given_).score([(query, text) for text in given_]).tolist()
        expected = sorted((-score, place) for place, score in enumerate(pair_scores) if score > 0)[:depth]
    assert len(documents) == len(expected)
    assert scores == pytest.approx([-score for score, _ in expected], rel=1e-5)
    assert sorted(zip(-scores, documents, strict=True)) == list(zip(-scores, documents, strict=True))


@given(
    texts.filter(len),
    st.sampled_from(["sun moon ice", "the the fire", "none"]),
    st.integers(1, 12),
    st.data(),
)
def test_arrays_find_what_loops_find(given_, query, depth, data):
    allowed = data.draw(st.none() | st.lists(st.booleans(), min_size=len(given_), max_size=len(given_)))
    mask = None if allowed is None else np.array(allowed)
    one, other = (searched(built(given_), query, depth, mask, by_arrays=by) for by in (False, True))
    assert [part.tolist() for part in one] == [part.tolist() for part in other]


@pytest.mark.parametrize("depth", [1, 10, 100])
def test_loops_find_the_best_by_rare_and_by_frequent_words(depth):
    draws = np.random.default_rng(depth)
    made = [" ".join(f"w{word}" for word in draws.zipf(1.4, size=8)) for _ in range(2000)]
    postings = built(made)
    kinds = postings.ceilings(known(postings, NOBODY)).rows >= 0
    assert 0 < kinds.sum() < len(kinds)
    for query in made[:40]:
        one, other = (searched(postings, query, depth, by_arrays=by) for by in (False, True))
        assert [part.tolist() for part in one] == [part.tolist() for part in other]


@given(texts.filter(len), st.randoms())
def test_the_order_in_which_texts_stand_changes_no_score(given_, draws):
    places = list(range(len(given_)))
    draws.shuffle(places)
    one, other = (searched(built(given_, order), "ice sun the", 20) for order in (None, places))
    assert dict(zip(np.array(places)[one[0]], one[1], strict=True)) == dict(zip(*other, strict=True))


def test_only_what_is_allowed_is_found_and_counted():
    postings = built(["ice", "ice sun", "ice", "sun"])
    allowed = np.array([False, True, True, True])
    assert searched(postings, "ice", 3, allowed)[0].tolist() == [2, 1]
    assert postings.holders(
        postings.terms(keys_of(["ice", "sun", "none"])), np.flatnonzero(~allowed)
    ).tolist() == [2, 2, 0]


@pytest.mark.parametrize("by_arrays", [False, True])
@pytest.mark.parametrize("removed", [[], [3], [0, 2, 5, 199], list(range(0, 200, 2)), list(range(200))])
def test_holders_are_counted_without_those_that_were_removed(removed, by_arrays, monkeypatch):
    monkeypatch.setattr(module, "arrays_do", lambda *_: by_arrays)
    given_ = ["ice" if place % 3 else "sun" for place in range(200)]
    postings = built(given_)
    left = [text for place, text in enumerate(given_) if place not in removed]
    found = postings.holders(
        postings.terms(keys_of(["ice", "sun", "none"])), np.array(removed, dtype=np.int64)
    )
    assert found.tolist() == [left.count("ice"), left.count("sun"), 0]


def test_room_is_clean_after_a_search():
    postings, room = built(["ice", "ice sun"]), room_for(2)
    asked = WordQueries.of([["ice"]])
    terms = postings.terms(asked.keys)
    statistics = known(postings, terms)
    first, again = (postings.best(asked, terms, statistics, 2, room)[1].tolist() for _ in range(2))
    assert first == again
    assert not room.worth.any()


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6), st.data())
def test_queries_are_parted_and_keep_their_words(queries, data):
    start = data.draw(st.integers(0, len(queries)))
    end = data.draw(st.integers(start, 9))
    part = WordQueries.of(queries).part(start, end)
    words = [part.keys[part.places[low:high]] for low, high in itertools.pairwise(part.offsets.tolist())]
    assert [one.tolist() for one in words] == [keys_of(query).tolist() for query in queries[start:end]]


def test_ceilings_are_kept_while_lengths_hardly_change():
    postings = built(["ice sun", "ice"])
    first = postings.ceilings(Statistics(1000, 5000, np.empty(0)))
    assert postings.ceilings(Statistics(1000, 5010, np.empty(0))) is first
    assert postings.ceilings(Statistics(1000, 4990, np.empty(0))) is first
    assert postings.ceilings(Statistics(1000, 5100, np.empty(0))) is not first
