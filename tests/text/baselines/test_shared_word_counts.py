"""Words by number: loops and Python find the same ones."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textkin.text.baselines import shared_word_counts as module
from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.shared_word_counts import read_words, terms_of_words

NAMES = ("plain", "characters", "english", "hindi")
MET = "aAbé ,.?'1_\tßİK\u0308\u0301\u0915\u093e\u00a0\u2028\x1c\u3000中文の한ดี😀\ud800ﬁ①"
TEXTS = st.lists(st.one_of(st.text(alphabet=MET, max_size=20), st.text(max_size=8)), max_size=6)
# Texts of a length that loops read, whatever comes before.
ALL_BY_LOOPS = 10**9


@given(texts=TEXTS, name=st.sampled_from(NAMES))
@example(texts=["\u0301\u0308", "\u0308ab a\u0308 a", "İİ x", "\ud83d", "\ude00 ab"], name="hindi")
def test_words_by_number_are_the_words(texts, name):
    analyser = analyser_of(name)
    for seen in (0, ALL_BY_LOOPS):
        read = read_words(texts, analyser, seen=seen)
        rows = [[read.words[number] for number in row.tolist()] for row in read.numbers.rows()]
        assert rows[: len(texts)] == [analyser.words(text) for text in texts]
        assert read.words == list(dict.fromkeys(word for text in texts for word in analyser.words(text)))


@given(texts=TEXTS)
@example(texts=["é a bc 中😀 \ud800abcdef"])
def test_terms_of_words_by_number_are_the_terms(texts):
    analyser = analyser_of("characters")
    words = list(dict.fromkeys(word for text in texts for word in analyser.words(text)))
    for seen in (0, ALL_BY_LOOPS):
        found = terms_of_words(words, analyser, seen=seen)
        rows = [[found.terms[number] for number in row.tolist()] for row in found.numbers.rows()]
        assert rows[: len(words)] == [analyser.terms(word) for word in words]
        assert found.terms == list(dict.fromkeys(term for word in words for term in analyser.terms(word)))


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_read_part_by_part(name, monkeypatch):
    monkeypatch.setattr("textkin.text.word_cache._AT_ONCE", 7)
    texts = ["ab cd ab", "é ef", "", "cd gh 中文", "a very long text that fills a part alone", "ab"]
    analyser = analyser_of(name)
    whole = read_words(texts, analyser)
    parts = read_words(texts, analyser, seen=ALL_BY_LOOPS)
    assert parts.words == whole.words
    assert parts.numbers.ids.tolist() == whole.numbers.ids.tolist()
    assert parts.numbers.ends.tolist() == whole.numbers.ends.tolist()
    terms = terms_of_words(whole.words, analyser)
    by_parts = terms_of_words(whole.words, analyser, seen=ALL_BY_LOOPS)
    assert by_parts.terms == terms.terms
    assert by_parts.numbers.ids.tolist() == terms.numbers.ids.tolist()


def test_long_texts_are_read_by_loops_from_the_start(monkeypatch):
    monkeypatch.setattr(module, "_CHARACTERS_FIRST", 5)
    read = read_words(["ab cd", "cd"], analyser_of("plain"))
    assert (read.words, read.numbers.ids.tolist()) == (["ab", "cd"], [0, 1, 1])
