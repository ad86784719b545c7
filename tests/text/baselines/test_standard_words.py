"""Words as Lucene's StandardAnalyzer finds them."""

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import lucene
from textkin.text.baselines import standard_words as module
from textkin.text.baselines.lucene_parts import words_of
from textkin.text.baselines.standard_words import LONGEST, STOP_WORDS, standard_words

ALPHABET = "abß é日本あカナー12٣:.',;_\u0301\u200d -!"


@pytest.mark.slow
@given(text=st.text(alphabet=ALPHABET, max_size=30))
@settings(max_examples=500)
def test_words_lie_between_unicodes_boundaries(text):
    # A mark without a preceding character belongs to nothing; the rules leave open what it joins.
    text = text.lstrip("\u0301\u200d")
    assert standard_words(text) == lucene.words(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("U.S.A. at 3,000.5", ["u.s.a", "at", "3,000.5"]),
        ("carbon-carbon don't C++ a:b", ["carbon", "carbon", "don't", "c", "a:b"]),
        ("__x_1__ ___", ["__x_1__"]),
        ("กขค ひら 時々", ["กขค", "ひ", "ら", "時", "々"]),
        ('א"ב א\' ב"', ['א"ב', "א'", "ב"]),
        ("ΣΑΣ İx", ["σασ", "ix"]),
        ("AND NOT Or", ["and", "not", "or"]),
        ("\U0001f600 \u200b", []),
    ],
)
def test_examples(text, expected):
    assert standard_words(text) == expected


def test_long_words_are_cut_apart():
    assert [len(word) for word in standard_words("b " + "a" * 600 + " c")] == [1, 255, 255, 90, 1]
    # A run that would end in a joining sign is split before the sign, which then leads nowhere.
    assert standard_words("a" * 254 + ".b") == ["a" * 254, "b"]
    assert standard_words("a" * 253 + ".b") == ["a" * 253 + ".b"]
    # Letters outside the basic plane count as two.
    assert [len(word) for word in standard_words("\U00010400" * 200)] == [127, 73]
    assert LONGEST == 255


def test_the_stop_words_are_those_of_lucene():
    assert sorted(lucene.STOP_WORDS) == sorted(STOP_WORDS)
    assert len(STOP_WORDS) == 33
    assert words_of("The cat AND a dog") == ["cat", "dog"]


@pytest.mark.slow
def test_classes_are_those_of_unicode():
    regex = pytest.importorskip("regex")
    kinds = {
        "ALetter": "L",
        "Hebrew_Letter": "H",
        "Numeric": "N",
        "Katakana": "K",
        "Extend": "X",
        "Format": "X",
        "ZWJ": "X",
    }
    patterns = [(regex.compile(rf"\p{{WB={name}}}"), kind) for name, kind in kinds.items()]
    patterns += [(regex.compile(r"\p{Script=Han}"), "I"), (regex.compile(r"\p{Script=Hiragana}"), "J")]
    complex_context, classes = regex.compile(r"\p{LB=SA}"), module._classes()
    other = {0x1A7F, 0x3006, 0x19DA}  # Tai Tham's cryptogrammic dot; Unicode has changed its mind on two
    for char in map(chr, range(0x10000)):
        if unicodedata.category(char)[0] in "LM" or unicodedata.category(char) == "Nd":
            expected = next((kind for pattern, kind in patterns if pattern.match(char)), " ")
            expected = "C" if complex_context.match(char) else expected
            assert classes[ord(char)] == expected or ord(char) in other, hex(ord(char))


@pytest.mark.slow
def test_hostile_texts_take_no_longer_than_others():
    start = time.perf_counter()
    for text in ("_" * 300_000, "a:" * 100_000 + "!", "1," * 100_000, "_." * 100_000):
        standard_words(text)
    assert time.perf_counter() - start < 10
