"""TF-IDF cosine."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.feature_extraction.text import TfidfVectorizer

from tests.reference import pair_scores
from tests.reference.analysed import word_form
from tests.text.baselines.lexical import FITTED, PAIRS, words
from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.tfidf import TfIdf

ANALYSERS = {
    "plain": {"analyzer": words},
    "characters": {"analyzer": "char_wb", "ngram_range": (3, 5), "preprocessor": word_form},
}


@pytest.mark.slow
@pytest.mark.parametrize("analyser", ANALYSERS)
@settings(max_examples=60)
@given(fitted=FITTED, pairs=PAIRS)
def test_is_the_cosine_of_scikit_learn(analyser, fitted, pairs):
    theirs = TfidfVectorizer(sublinear_tf=True, **ANALYSERS[analyser]).fit(fitted)
    left, right = (theirs.transform(side) for side in zip(*pairs, strict=True))
    expected = left.multiply(right).sum(axis=1).ravel()
    scorer = TfIdf.fit(fitted, analyser=analyser_of(analyser))
    scores = scorer.score(pairs)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, np.asarray(expected)[0], atol=1e-6)
    assert scores.tolist() == [float(scorer.score([pair])[0]) for pair in pairs]


@pytest.mark.slow
@given(fitted=FITTED, pairs=PAIRS)
@settings(max_examples=60)
def test_is_what_the_formula_says(fitted, pairs):
    terms = [words(text) for text in fitted]
    expected = [pair_scores.tfidf_cosine(words(a), words(b), terms) for a, b in pairs]
    np.testing.assert_allclose(TfIdf.fit(fitted).score(pairs), expected, atol=1e-6)


def test_the_matrix_has_unit_rows_or_none():
    matrix = TfIdf.fit(["one two", "two three"]).documents(["two two one", "nothing known", ""])
    assert matrix.shape == (3, 3)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix.power(2).sum(axis=1), [1, 0, 0], atol=1e-6)
