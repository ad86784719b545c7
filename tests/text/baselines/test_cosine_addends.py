"""Scores as sums: invariants of every additive scorer."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.data.token_attributions import AddsUp, TokenShares
from textkin.kinds.systems import load
from textkin.text.baselines import build
from textkin.text.baselines.cosine_addends import scaled_to, unit_sum
from textkin.text.baselines.mean_vectors import MeanVectors
from textkin.text.word_vectors import VectorFile

TEXTS = [
    "How do I reset my password? 😀",
    "I forgot the pässword of Zürichtown, résumé",
    " 東京は日本 Токио",
    "",
    "Why? why why not",
    "xqzzt",
]


def mean_vectors(*, sif: bool) -> MeanVectors:
    rng = np.random.default_rng(3)
    words = ("how", "password", "forgot", "why", "not", "my")
    vectors = VectorFile(words, rng.normal(size=(len(words), 6)).astype(np.float32))
    return MeanVectors.fit_sif(vectors, TEXTS) if sif else MeanVectors(vectors)


def scorer_of(name):
    if name == "default":
        return load(name)
    if name.startswith("mean-vectors"):
        return mean_vectors(sif=name.endswith("sif"))
    return build(name, fit_texts=TEXTS)


NAMES = ["default", "tfidf", "tfidf-char", "bm25", "bm25:english", "mean-vectors", "mean-vectors-sif"]


@cache
def the_default():
    return load("default")


@pytest.mark.parametrize("name", NAMES)
def test_shares_are_the_score(name):
    scorer = scorer_of(name)
    assert isinstance(scorer, AddsUp) and scorer.adds_up
    for a in TEXTS:
        for b in TEXTS:
            shares = TokenShares.of(scorer.addends(a), scorer.addends(b, second=True))
            assert shares.score == pytest.approx(float(scorer.score([(a, b)])[0]), abs=1e-6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_shares_are_the_score_of_any_texts(a, b):
    for scorer in (the_default(), build("tfidf-char", fit_texts=[a, b, "some words"])):
        shares = TokenShares.of(scorer.addends(a), scorer.addends(b, second=True))
        assert shares.score == pytest.approx(float(scorer.score([(a, b)])[0]), abs=1e-6)


def test_a_term_is_parted_among_its_words():
    scorer = build("bm25", fit_texts=["cat cat dog", "dog bird", "fish"])
    shares = TokenShares.of(scorer.addends("cat bird cat"), scorer.addends("cat dog cat", second=True))
    assert shares.first == ("cat", "bird", "cat")
    assert shares.shares[0, 0] == shares.shares[0, 2] == shares.shares[2, 0] == shares.shares[2, 2] > 0
    assert not shares.shares[1].any() and not shares.shares[:, 1].any()


def test_tokens_stand_as_in_the_text_and_unknown_ones_last():
    found = load("default").addends("The PÄSSWORD 😀 resets")
    assert found.texts[0] == "The" and found.texts[-1] == "😀"
    assert "".join(found.texts[:-1]) == "ThePÄSSWORDresets"


def test_sums_of_a_length():
    rows = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert np.linalg.norm(unit_sum(("a", "b"), rows).rows.sum(axis=0)) == pytest.approx(1.0)
    assert np.linalg.norm(scaled_to(2.0, rows).sum(axis=0)) == pytest.approx(2.0)
    assert not unit_sum(("a", "b"), np.array([[1.0, 0.0], [-1.0, 0.0]])).rows.any()
