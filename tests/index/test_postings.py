"""Words that are searched by BM25, beside the scorer of pairs and the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.index.postings import PostingsBuilder, Statistics, keys_of, words_of
from textkin.scorers.analysers import analyser_of
from textkin.scorers.bm25 import Bm25

texts = st.lists(
    st.lists(st.sampled_from(["ice", "fire", "sun", "the", "moon"]), max_size=6).map(" ".join), max_size=9
)
PLAIN = analyser_of("plain")


def built(given_, places=None):
    builder = PostingsBuilder(PLAIN)
    builder.add(given_)
    return builder.built(np.arange(len(given_)) if places is None else np.array(places))


def searched(postings, query, depth, allowed=None):
    keys = keys_of(words_of(query, PLAIN))
    statistics = Statistics(len(postings), int(postings.lengths.sum()), postings.holders(keys, None))
    return postings.best(keys, statistics, depth, postings.room(), allowed)


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
    assert postings.holders(keys_of(["ice", "sun", "none"]), allowed).tolist() == [2, 2, 0]


def test_room_is_clean_after_a_search():
    postings = built(["ice", "ice sun"])
    room = postings.room()
    keys = keys_of(["ice"])
    statistics = Statistics(2, 3, postings.holders(keys, None))
    first, again = (postings.best(keys, statistics, 2, room)[1].tolist() for _ in range(2))
    assert first == again
    assert not room.worth.any()
