"""Counts of terms."""

import pytest
from hypothesis import given

from tests.scorers.lexical import FITTED, words
from textkin.errors import DataError
from textkin.scorers.analysers import analyser_of
from textkin.scorers.terms import Terms


@given(fitted=FITTED)
def test_counts_are_those_of_the_words(fitted):
    terms = Terms(fitted, analyser=analyser_of("plain"))
    counts, lengths = terms.counts(fitted)
    taken = [words(text) for text in fitted]
    known = {word for text in taken for word in text}
    assert lengths.tolist() == [len(text) for text in taken]
    assert counts.shape == (len(fitted), len(known))
    assert sorted(counts.toarray().sum(axis=0).tolist()) == sorted(
        sum(text.count(word) for text in taken) for word in known
    )
    assert sorted(terms.frequency.tolist()) == sorted(sum(word in text for text in taken) for word in known)
    assert terms.mean_length == pytest.approx(sum(map(len, taken)) / len(fitted))


def test_unknown_words_count_for_the_length_only():
    counts, lengths = Terms(["red sky"], analyser=analyser_of("plain")).counts(["red zebra zebra", ""])
    assert counts.toarray().tolist() == [[1, 0], [0, 0]]
    assert lengths.tolist() == [3, 0]


@pytest.mark.parametrize("analyser", ["plain", "characters", "english"])
@pytest.mark.parametrize("texts", [[], ["", "?"]])
def test_texts_without_terms_are_an_error(texts, analyser):
    if analyser == "characters" and "?" in texts:
        return  # a question mark is a chunk of characters
    with pytest.raises(DataError, match="no words"):
        Terms(texts, analyser=analyser_of(analyser))
