"""BM25."""

from typing import get_args

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import pair_scores
from tests.text.baselines.lexical import FITTED, PAIRS, words
from textkin.text.baselines.bm25 import Bm25
from textkin.text.baselines.bm25_parameters import Bm25Parameters, Variant


@pytest.mark.slow
@given(
    fitted=FITTED,
    pairs=PAIRS,
    k1=st.sampled_from([0, 0.9, 1.5]),
    b=st.sampled_from([0.0, 0.4, 0.75]),
    variant=st.sampled_from(get_args(Variant)),
    delta=st.sampled_from([None, 0.2]),
)
@settings(max_examples=120)
def test_is_what_the_formula_says(fitted, pairs, k1, b, variant, delta):
    delta = delta if variant in ("plus", "l") else None
    terms = [words(text) for text in fitted]
    how = {"k1": k1, "b": b, "variant": variant, "delta": delta}
    expected = [pair_scores.bm25(words(q), words(d), terms, **how) for q, d in pairs]
    scorer = Bm25.fit(fitted, Bm25Parameters(**how))
    scores = scorer.score(pairs)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)
    assert scores.tolist() == [float(scorer.score([pair])[0]) for pair in pairs]


def test_unknown_words_make_a_document_longer_and_nothing_else():
    scorer = Bm25.fit(["red sky", "blue sky", "green"])
    plain, longer = scorer.score([("red", "red sky"), ("red zebra", "red sky zebra zebra")])
    assert plain > longer > 0
    assert longer == scorer.score([("red", "red sky sky sky")])[0]


@pytest.mark.parametrize(
    ("variant", "method"), [("robertson",) * 2, ("atire",) * 2, ("plus", "bm25+"), ("l", "bm25l")]
)
def test_variants_are_those_of_bm25s(variant, method):
    """For one word, since bm25s also counts absent words of a query in BM25+ and BM25L, unlike the papers."""
    generator = np.random.default_rng(4)
    texts = [" ".join(generator.choice(["a", "b", "c"], generator.integers(1, 15))) for _ in range(60)]
    texts += ["d", "e e"]
    theirs = bm25s.BM25(method=method, k1=0.9, b=0.4, delta=0.7)
    theirs.index([words(text) for text in texts], show_progress=False)
    delta = 0.7 if variant in ("plus", "l") else None
    ours = Bm25.fit(texts, Bm25Parameters(0.9, 0.4, variant, delta))
    for word in "abcde":
        there = [place for place, text in enumerate(texts) if word in text]
        found = ours.score([(word, texts[place]) for place in there])
        np.testing.assert_allclose(found, theirs.get_scores([word])[there], rtol=1e-5, atol=1e-6)


def test_is_that_of_bm25s():
    generator = np.random.default_rng(4)
    names = [f"w{i}" for i in range(40)]
    texts = [" ".join(generator.choice(names, generator.integers(1, 15))) for _ in range(60)]
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index([words(text) for text in texts], show_progress=False)
    ours = Bm25.fit(texts)
    for query in texts[:10]:
        expected = theirs.get_scores(words(query))
        np.testing.assert_allclose(
            ours.score([(query, text) for text in texts]), expected, rtol=1e-5, atol=1e-6
        )
