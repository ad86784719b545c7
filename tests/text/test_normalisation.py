import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.text.normalisation import STEPS, normaliser


def test_steps_apply_in_their_order():
    assert normaliser(("lower", "alnum", "squeeze"))("  What's UP, Doc? 42 ") == "what s up doc 42"
    assert normaliser(("alnum", "lower"))("What") == " hat"
    assert normaliser(())(" As It Is ") == " As It Is "


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ("nfkc", "ﬁve Ｆull ①", "five Full 1"),
        ("strip-accents", "Élan naïve Žižek", "Elan naive Zizek"),
        ("lower", "ÄB", "äb"),
        ("squeeze", "\ta\u00a0 b\n", "a b"),
    ],
)
def test_each_step(step, text, expected):
    assert normaliser((step,))(text) == expected


def test_an_unknown_step_is_named_with_its_neighbour():
    with pytest.raises(UsageError) as error:
        normaliser(("nfkc", "lowr"))
    assert error.value.params == ("normalise",)


@given(st.text())
def test_every_step_twice_is_once(text):
    for name in STEPS:
        step = normaliser((name,))
        assert step(step(text)) == step(text), name


@given(st.text())
def test_alnum_keeps_length_and_nothing_else(text):
    result = normaliser(("alnum",))(text)
    assert len(result) == len(text)
    assert re.fullmatch("[a-z0-9 ]*", result)


@given(st.text())
def test_no_accent_is_left(text):
    parts = unicodedata.normalize("NFD", normaliser(("strip-accents",))(text))
    assert not any(unicodedata.combining(part) for part in parts)
