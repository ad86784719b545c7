import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textkin.splits.keys import key_of, keys_of


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("How do I reset my Pass-word?", "howdoiresetmypassword"),
        ("  snake_case 42 ", "snakecase42"),
        ("Straße", "strasse"),
        ("ﬁne ①", "fine1"),
        ("CAFE\u0301", "café"),
        ("ok \u2764\ufe0f", "ok"),
        ("", ""),
    ],
)
def test_letters_and_digits_stay(text, key):
    assert key_of(text) == key


def test_texts_without_letters_keep_apart():
    assert key_of(" ??? ") == "???"
    assert len({key_of(text) for text in ("???", "!!!", "😀", "😢", "a")}) == 5
    assert key_of("？？？") == key_of("???")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\U0001f1e9\U0001f1ea 1\ufe0f\u20e3", "\U0001f1eb\U0001f1f7 1\ufe0f\u20e3"),  # flags, keycaps
        ("\U0001f600 10", "\U0001f622 10"),
        ("5 + 3", "5 < 3"),
        ("$5", "\u20ac5"),
        ("\U0001f3f4\U000e0067\U000e0062 2", "\U0001f3f4\U000e0066\U000e0072 2"),  # flags by their tags
    ],
)
def test_symbols_beside_digits_alone_keep_texts_apart(one, other):
    assert key_of(one) != key_of(other)
    assert key_of(one) == key_of(f" {one}! ")


def test_symbols_beside_letters_do_not():
    assert key_of("I \U0001f494 Berlin 1") == key_of("I Berlin 1")


def test_vowel_signs_belong_to_their_letters():
    assert key_of("की") != key_of("का")


@given(st.text())
@example("e-\u0301")
def test_a_key_has_letters_or_is_all_there_is(text):
    key = key_of(text)
    if any(map(str.isalnum, unicodedata.normalize("NFKC", text))):
        assert any(map(str.isalnum, key))
        assert not any(character.isspace() or character in "?!-_'\"" for character in key)
    else:
        assert not any(map(str.isalnum, key))


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_short_way_for_ascii_agrees_with_the_long_one(text):
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = any(map(str.isalpha, folded))
    kept = [one for one in folded if one.isalnum() or (not letters and unicodedata.category(one)[0] == "S")]
    there = any(map(str.isalnum, folded))
    assert key_of(text) == ("".join(kept) if there else folded.strip())


def test_keys_of_distinct_texts():
    assert keys_of(["A!", "b", "A!"]) == {"A!": "a", "b": "b"}
