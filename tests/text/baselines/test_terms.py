"""Counts of terms."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.baselines.lexical import FITTED, words
from textkin.base.errors import DataError
from textkin.text.baselines import build
from textkin.text.baselines import terms as module
from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.shared_word_counts import read_words
from textkin.text.baselines.terms import FitTexts, Terms


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
    with pytest.raises(DataError) as error:
        Terms(texts, analyser=analyser_of(analyser))
    assert (error.value.params, error.value.value) == (("texts",), len(texts))


@given(texts=FITTED, others=FITTED, name=st.sampled_from(["plain", "characters", "english"]))
def test_what_is_kept_is_what_would_be_read(texts, others, name):
    try:
        fresh = Terms(texts, analyser=analyser_of(name))
    except DataError:
        return
    kept = FitTexts(texts).terms(name)
    assert kept.frequency.tolist() == fresh.frequency.tolist()
    assert kept.mean_length == fresh.mean_length
    for asked in (texts, texts[::-1], texts[:1] * 3, others, [*texts, *others], []):
        (counts, lengths), (own, own_lengths) = kept.counts(asked), fresh.counts(asked)
        assert lengths.tolist() == own_lengths.tolist()
        for field in ("indptr", "indices", "data"):
            assert getattr(counts, field).tolist() == getattr(own, field).tolist()
        assert counts.data.dtype == own.data.dtype == np.float32


def test_baselines_read_texts_once_together(monkeypatch):
    read = []
    monkeypatch.setattr(module, "read_words", lambda texts, *_, **__: read.append(texts) or slow(texts))
    slow = partial(read_words, analyser=analyser_of("plain"))
    texts = FitTexts(["red sky", "blue sky"])
    scorers = [build(name, fit_texts=texts) for name in ("tfidf", "bm25", "tfidf")]
    for scorer in scorers:
        scorer.documents(list(texts))
    assert read == [["red sky", "blue sky"]]
    scorers[0].documents(["a third one"])
    assert len(read) == 2


def test_texts_to_fit_on_are_a_sequence():
    texts = FitTexts(("a", "b", "c"))
    assert (len(texts), texts[1], list(texts), list(texts[1:])) == (3, "b", ["a", "b", "c"], ["b", "c"])
    with pytest.raises(DataError) as error:
        FitTexts(("?", "!")).terms("plain")
    assert (error.value.params, error.value.value) == (("texts",), 2)
