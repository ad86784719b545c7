import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.invisible_characters import cleaned, folded, tidied


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain text, 10", "plain text, 10"),
        ("Pay\u200bPal\u00ad \ufeff", "PayPal "),
        ("Zoe\u0301", "Zo\u00e9"),
        ("\ufb01le \uff11\uff12", "file 12"),
        ("10\u00b2 m\u00b3 10\u207b\u00b3", "10^2 m^3 10^-3"),
        ("H\u2082O 10\u2082", "H2O 10_2"),
        ("1\u00bd \u00bd \u00bd2 \u00bc\u00be", "1 1/2 1/2 1/2 2 1/4 3/4"),
        ("2\u2460", "2 1"),
        ("Apple\u2122", "Apple"),
    ],
)
def test_cleaned(text, found):
    assert cleaned(text) == found


def test_what_is_cleaned_has_no_character_that_nobody_sees():
    assert tidied(" a\u200b \n\u00ad b\u0301\x00 ") == "a b\u0301"
    assert len(tidied("Zoe\u0301")) == 3


@pytest.mark.parametrize(
    ("one", "other"), [("\u0130stanbul", "istanbul"), ("yar\u0131n", "YARIN"), ("Stra\u00dfe", "STRASSE")]
)
def test_case_is_folded(one, other):
    assert folded(one) == folded(other)


@given(st.text())
def test_cleaned_text_is_in_compatibility_form(text):
    found = cleaned(text)
    assert unicodedata.normalize("NFKC", found) == found
    assert cleaned(found) == found
