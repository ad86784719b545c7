from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.baselines.leave_one_out import left_out, without, word_places


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't re-use v1.2, ok?!", ["Don't", "re-use", "v1.2", ",", "ok", "?!"]),
        ("東京 2020", ["東", "京", "2020"]),
        ("naïve_x", ["naïve_x"]),
        ("e\u0301cole nai\u0308ve", ["e\u0301cole", "nai\u0308ve"]),
        ("नमस्ते दुनिया!", ["नमस्ते", "दुनिया", "!"]),
        ("שָׁלוֹם مَرْحَبًا", ["שָׁלוֹם", "مَرْحَبًا"]),
        ("می\u200cخواهم ok", ["می\u200cخواهم", "ok"]),
        ("ลัง か\u3099", ["ลั", "ง", "か\u3099"]),
        ("❤\ufe0f ok 👨\u200d👩", ["❤\ufe0f", "ok", "👨\u200d👩"]),
        ("  \n", []),
    ],
)
def test_words(text, words):
    assert [text[start:end] for start, end in word_places(text)] == words


@given(st.text(max_size=30))
def test_words_hold_all_but_blanks(text):
    places = word_places(text)
    assert all(start < end for start, end in places)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert not without(text, places).strip()


def test_what_each_word_is_worth():
    worth = {"red": 2.0, "cat": 3.0, "dog": 5.0}

    def score(pairs):
        return np.array([sum(worth.get(word, 0) for text in pair for word in text.split()) for pair in pairs])

    found = left_out(score, "red cat !", "a dog")
    assert (found.score, found.first, found.second) == (10.0, ("red", "cat", "!"), ("a", "dog"))
    assert found.of_first.tolist() == [2.0, 3.0, 0.0]
    assert found.of_second.tolist() == [0.0, 5.0]
    nothing = left_out(score, "", "")
    assert (nothing.score, nothing.first, nothing.of_second.tolist()) == (0.0, (), [])
