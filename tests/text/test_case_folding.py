"""The comparable form of texts' words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import analysed as reference
from textkin.text.case_folding import compatible, is_mark, marks, word_form
from textkin.text.unspaced_scripts import has_paired, is_paired, is_word, pairs_of

SIGNS = "aé1½²³₂₃™㎏Ⓐⓑ①℃№ ﬁİıΣςße\u0301\u200b\u00ad\ufe0f\u20e3𝐦مُـ⽇密"


@given(st.one_of(st.text(alphabet=SIGNS, max_size=10), st.text(max_size=10)))
def test_is_the_form_of_the_slow_way(text):
    if not any(unicodedata.category(char) == "Cn" or ord(char) >= 0xE0000 for char in text):
        assert word_form(text).split() == reference.word_form(text).split()


@given(st.text(max_size=12))
def test_nothing_changes_twice(text):
    assert word_form(word_form(text)) == word_form(text)
    assert compatible(compatible(text)) == compatible(text)


def test_spellings_of_one_text_have_one_form():
    for one, other in [
        ("Tiếng Việt", unicodedata.normalize("NFD", "Tiếng Việt")),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("한국", unicodedata.normalize("NFD", "한국")),
        ("ⓗⓔⓛⓛⓞ", "hello"),
        ("⽇本", "日本"),
        ("می\u200cخواهم", "میخواهم"),
    ]:
        assert word_form(one).split() == word_form(other).split()


def test_numbers_and_signs_join_nothing():
    assert compatible("10² 10³ x²³ CO₂ m²").split() == ["10", "2", "10", "3", "x23", "CO2", "m2"]
    assert compatible("2½ ①② 5㎏ Windows™").split() == ["2", "1\u20442", "1", "2", "5", "kg", "Windows", "TM"]
    assert compatible("1⁄2 ﬁne") == "1⁄2 fine"


def test_marks_are_those_of_unicode():
    assert is_mark("\u0301") and is_mark("\u093f") and not is_mark("a") and not is_mark("\u20e3")
    assert len(marks()) > 1500 and all(map(is_mark, marks()))


@pytest.mark.parametrize(("char", "paired", "word"), [("密", 1, 1), ("한", 1, 1), ("の", 1, 0), ("ก", 1, 0)])
def test_scripts_without_blanks(char, paired, word):
    assert (is_paired(char), is_word(char), has_paired(f"a {char}")) == (paired, word, paired)


def test_digits_and_other_scripts_are_no_pairs():
    assert not any(map(is_paired, "a1๑၁០é가"[:-1] + "אकα・。"))
    assert list(pairs_of("の")) == ["の"] and list(pairs_of("のか")) == ["のか"]
