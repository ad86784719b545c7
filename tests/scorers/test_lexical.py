import re

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from tests.reference import pair_scores
from textkin.errors import DataError
from textkin.protocols import Scorer
from textkin.scorers.bm25 import Bm25
from textkin.scorers.tfidf import TfIdf

LETTERS = "aAbé ,.?'1_\tß"
TEXT = st.text(alphabet=LETTERS, max_size=25)
FITTED = st.lists(TEXT, min_size=1, max_size=8).map(lambda texts: [*texts, "ab ba ab"])
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8)
ANALYZERS = {"word": {}, "char": {"analyzer": "char_wb", "ngram_range": (3, 5)}}


def words(text):
    return re.findall(r"\b\w\w+\b", text.lower())


@pytest.mark.parametrize("analyzer", ANALYZERS)
@settings(max_examples=60)
@given(fitted=FITTED, pairs=PAIRS)
def test_tfidf_is_the_cosine_of_scikit_learn(analyzer, fitted, pairs):
    theirs = TfidfVectorizer(sublinear_tf=True, **ANALYZERS[analyzer]).fit(fitted)
    left, right = (theirs.transform(side) for side in zip(*pairs, strict=True))
    expected = left.multiply(right).sum(axis=1).ravel()
    scorer = TfIdf.fit(fitted, analyzer=analyzer)
    scores = scorer.score(pairs)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, np.asarray(expected)[0], atol=1e-6)
    assert scores.tolist() == [float(scorer.score([pair])[0]) for pair in pairs]


@given(fitted=FITTED, pairs=PAIRS)
@settings(max_examples=60)
def test_tfidf_is_what_the_formula_says(fitted, pairs):
    terms = [words(text) for text in fitted]
    expected = [pair_scores.tfidf_cosine(words(a), words(b), terms) for a, b in pairs]
    np.testing.assert_allclose(TfIdf.fit(fitted).score(pairs), expected, atol=1e-6)


def test_the_matrix_has_unit_rows_or_none():
    matrix = TfIdf.fit(["one two", "two three"]).documents(["two two one", "nothing known", ""])
    assert matrix.shape == (3, 3)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix.power(2).sum(axis=1), [1, 0, 0], atol=1e-6)


@given(fitted=FITTED, pairs=PAIRS, k1=st.sampled_from([0.9, 1.5]), b=st.sampled_from([0.0, 0.4, 0.75, 1.0]))
@settings(max_examples=60)
def test_bm25_is_what_the_formula_says(fitted, pairs, k1, b):
    terms = [words(text) for text in fitted]
    expected = [pair_scores.bm25(words(q), words(d), terms, k1=k1, b=b) for q, d in pairs]
    scorer = Bm25.fit(fitted, k1=k1, b=b)
    scores = scorer.score(pairs)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)
    assert scores.tolist() == [float(scorer.score([pair])[0]) for pair in pairs]


def test_unknown_words_make_a_document_longer_and_nothing_else():
    scorer = Bm25.fit(["red sky", "blue sky", "green"])
    plain, longer = scorer.score([("red", "red sky"), ("red zebra", "red sky zebra zebra")])
    assert plain > longer > 0
    assert longer == scorer.score([("red", "red sky sky sky")])[0]


def test_bm25_is_that_of_bm25s():
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


def test_chunks_and_repeated_texts_change_nothing(monkeypatch):
    generator = np.random.default_rng(1)
    texts = [" ".join(generator.choice(["red", "blue", "green", "sky"], 3)) for _ in range(9)]
    pairs = [(a, b) for a in texts for b in texts]
    for scorer in (TfIdf.fit(texts), TfIdf.fit(texts, analyzer="char"), Bm25.fit(texts)):
        whole = scorer.score(pairs)
        monkeypatch.setattr("textkin.scorers.pairs.CHUNK", 7)
        assert scorer.score(pairs).tolist() == whole.tolist()
        monkeypatch.undo()
        assert isinstance(scorer, Scorer)
        assert scorer.score([]).shape == (0,)


def test_fit_texts_without_words_are_an_error():
    for texts in ([], ["", "?"]):
        with pytest.raises(DataError, match="no words"):
            TfIdf.fit(texts)
        with pytest.raises(DataError, match="no words"):
            Bm25.fit(texts)
