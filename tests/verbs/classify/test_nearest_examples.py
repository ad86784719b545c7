"""The nearest examples, against a scan of all scores."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.kinds.systems import load_encoder
from textkin.text.baselines import build
from textkin.verbs.classify.nearest_examples import NOTHING, nearest_examples

WORDS = ["red", "blue", "door", "car", "the", "of", "rain", "xyz"]
texts = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=14
)


class Pairwise:
    """A scorer of pairs alone, with many ties."""

    name = "pairwise"

    def score(self, pairs):
        return np.array([len(set(a.split()) & set(b.split())) for a, b in pairs], dtype=np.float32)


def slow(scorer, asked, examples, labels, *, lexical):
    """First and second of each text, by its scores with all examples, one at a time."""
    for text in asked:
        scores = [float(scorer.score([(text, example)])[0]) for example in examples]
        order = sorted(range(len(examples)), key=lambda one: (-scores[one], one))
        order = [one for one in order if not lexical or scores[one] > 0]
        first = order[0] if order else NOTHING
        others = [one for one in order if labels[one] != labels[first]]
        yield scores, first, (others[0] if others else NOTHING)


def check(scorer, asked, examples, labels, *, lexical=False):
    found = nearest_examples(scorer, asked, examples, np.array(labels))
    expected = slow(scorer, asked, examples, labels, lexical=lexical)
    for row, (scores, first, second) in enumerate(expected):
        for number, mine, value in (
            (first, found.first[row], found.score[row]),
            (second, found.second[row], found.second_score[row]),
        ):
            if number == NOTHING:
                assert mine == NOTHING and math.isnan(value)
                continue
            assert value == pytest.approx(scores[number], abs=1e-6)
            # Where two are equal but for rounding, either may be the one.
            assert mine == number or scores[mine] == pytest.approx(scores[number], abs=1e-6)


@cache
def in_the_box():
    return load_encoder()


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(texts, texts, st.data())
def test_pairs_words_and_vectors_agree_with_every_score(asked, examples, data):
    some = st.lists(st.integers(0, 3), min_size=len(examples), max_size=len(examples))
    labels = data.draw(some)
    check(Pairwise(), asked, examples, labels)
    check(build("bm25", fit_texts=[*asked, *examples]), asked, examples, labels, lexical=True)
    check(in_the_box(), asked, examples, labels)


def test_ties_go_to_the_first_example():
    examples, labels = ["a b", "c a", "a d", "e"], np.array([1, 0, 1, 2])
    found = nearest_examples(Pairwise(), ["a"], examples, labels)
    assert (found.first.tolist(), found.second.tolist()) == ([0], [1])
    lexical = build("tfidf", fit_texts=["red"])
    found = nearest_examples(lexical, ["red"], ["red", "red", "red"], np.array([2, 1, 0]))
    assert (found.first.tolist(), found.second.tolist()) == ([0], [1])


def test_the_second_label_behind_many_of_the_first():
    """Deeper than the initial search."""
    examples = [f"red car {number}" for number in range(60)] + ["red rain"]
    labels = np.array([5] * 60 + [7])
    for scorer in (load_encoder(), build("tfidf", fit_texts=examples)):
        found = nearest_examples(scorer, ["a red car"], examples, labels)
        assert labels[found.first[0]] == 5 and found.second.tolist() == [60]


def test_one_label_has_no_second():
    for scorer in (Pairwise(), load_encoder()):
        found = nearest_examples(scorer, ["red", "blue"], ["red", "blue"], np.array([3, 3]))
        assert found.first.tolist() == [0, 1] and found.second.tolist() == [NOTHING] * 2


def test_blocks_of_pairs(monkeypatch):
    asked, examples = [f"red {n} door" for n in range(9)], ["door", "red blue", "4"]
    whole = nearest_examples(Pairwise(), asked, examples, np.array([0, 1, 2]))
    monkeypatch.setattr("textkin.verbs.classify.nearest_examples.CHUNK", 4)
    parts = nearest_examples(Pairwise(), asked, examples, np.array([0, 1, 2]))
    assert whole.first.tolist() == parts.first.tolist()
    assert whole.second_score.tolist() == parts.second_score.tolist()


def test_scores_that_are_no_numbers_are_refused():
    class Broken(Pairwise):
        def score(self, pairs):
            return np.full(len(pairs), np.nan, dtype=np.float32)

    with pytest.raises(DataError) as error:
        nearest_examples(Broken(), ["a"], ["b"], np.array([0]))
    assert (error.value.params, error.value.expected) == (("pairwise",), "finite numbers")
