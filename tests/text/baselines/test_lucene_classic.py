"""Lucene's classic similarity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import lucene
from textkin.base.errors import DataError
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.lucene_parts import norm_of

WORDS = st.lists(st.sampled_from(["the", "red", "red", "blue", "grey", "sky", "x.y", "z_1"]), max_size=9).map(
    " ".join
)
TEXT = st.text(alphabet="aAbé ,.?'1_\tß", max_size=25)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8)
FITTED = st.lists(st.one_of(TEXT, WORDS), min_size=1, max_size=8).map(lambda texts: [*texts, "ab ba red"])
SIDES = st.one_of(PAIRS, st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))


@pytest.mark.slow
@given(fitted=FITTED, pairs=SIDES)
@settings(max_examples=150)
def test_is_what_lucene_computes_bit_for_bit(fitted, pairs):
    indexed = [lucene.terms(text) for text in fitted]
    scorer = LuceneClassic.fit(fitted)
    scores = scorer.score(pairs)
    assert scores.dtype == np.float32
    expected = [lucene.score(lucene.terms(query), lucene.terms(text), indexed) for query, text in pairs]
    assert scores.tolist() == [float(one) for one in expected]


def test_an_index_of_one_document_gives_the_published_scores():
    scorer = LuceneClassic.fit(["at the system level"])
    document = "at the system level"
    queries = [document, "at the tissue level", "the AND NOT", "tissue"]
    found = scorer.score([(query, document) for query in queries])
    np.testing.assert_allclose(found, [0.27122, 0.02813, 0, 0], atol=5e-6)


def test_a_word_that_the_query_repeats_is_a_clause_each_time():
    scorer = LuceneClassic.fit(["red sky", "blue sky", "green"])
    once, twice = scorer.score([("red blue", "red sky"), ("red red blue", "red sky")])
    idf = np.log(3 / 2) + 1
    norm = 0.625
    assert once == pytest.approx(1 / 2 * idf**2 / np.sqrt(2 * idf**2) * norm)
    assert twice == pytest.approx(2 / 3 * 2 * idf**2 / np.sqrt(3 * idf**2) * norm)


def test_words_without_frequency_count_as_those_of_no_text():
    scorer = LuceneClassic.fit(["red sky", "blue sky"])
    known, unknown = scorer.score([("red zebra", "red"), ("red zebra", "zebra")])
    assert unknown > known > 0
    assert scorer.score([("red", "red")])[0] > known


def test_norms_have_three_bits_of_mantissa():
    lengths = np.array([0, 1, 2, 3, 4, 5, 7, 16, 17, 100, 1_000_000])
    expected = [0, 1, 0.625, 0.5, 0.5, 0.4375, 0.375, 0.25, 0.21875, 0.09375, 0.0009765625]
    assert norm_of(lengths).tolist() == expected
    lengths = np.arange(1, 5000)
    singles = (1 / np.sqrt(lengths)).astype(np.float32)
    assert norm_of(lengths).tolist() == [lucene.byte315(float(one)) for one in singles]


def test_more_pairs_than_a_chunk(monkeypatch):
    texts = [f"word{number % 7} word{number % 3} other" for number in range(40)]
    pairs = list(zip(texts, reversed(texts), strict=True))
    scorer = LuceneClassic.fit(texts)
    expected = scorer.score(pairs).tolist()
    monkeypatch.setattr("textkin.text.baselines.lucene_classic.CHUNK", 7)
    assert scorer.score(pairs).tolist() == expected
    assert scorer.score([]).shape == (0,)


def test_nothing_to_count():
    with pytest.raises(DataError) as error:
        LuceneClassic.fit(["", "the AND"])
    assert (error.value.params, error.value.value) == (("texts",), 2)
