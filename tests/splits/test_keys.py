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
    assert key_of(text) == ("".join(filter(str.isalnum, folded)) or folded.strip())


def test_keys_of_distinct_texts():
    assert keys_of(["A!", "b", "A!"]) == {"A!": "a", "b": "b"}
