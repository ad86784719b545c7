import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from textkin.text.text_windows import windows_of


def cut(text, most, lengths):
    return [text[start:end] for start, end in windows_of(text, most, lengths)]


def words(texts):
    return np.array([len(text.split()) for text in texts])


def letters(texts):
    """A prompt of two tokens, then one token per letter; three letters in a row become one more."""
    return np.array([2 + len(text) + len(text) // 3 for text in texts])


def sentence(number, length):
    return " ".join(f"W{number}x{place}" for place in range(length)) + "."


def test_windows_are_whole_sentences_and_overlap():
    text = " ".join(sentence(number, 2) for number in range(10))
    found = cut(text, 8, words)
    assert found[0] == " ".join(sentence(number, 2) for number in range(4))
    assert found[1] == " ".join(sentence(number, 2) for number in range(2, 6))
    assert found[3] == " ".join(sentence(number, 2) for number in range(6, 10))
    assert len(found) == 4


def test_a_text_that_fits_is_one_window():
    assert cut("One two. Three four.", 8, words) == ["One two. Three four."]
    assert cut("", 8, words) == [""]


def test_long_sentences_are_parted_at_blanks_and_long_words_anywhere():
    text = " ".join(f"w{place}" for place in range(100))
    found = cut(text, 16, words)
    assert {word for window in found for word in window.split()} == set(text.split())
    assert all(len(window.split()) <= 16 for window in found)
    assert len(cut("x" * 100, 20, letters)) > 5


@pytest.mark.parametrize("lengths", [words, letters])
@given(text=st.text(alphabet="ab .?\n。é", max_size=120), most=st.integers(4, 30))
@example(text="。??????? \n\n?", most=11)  # a piece that doesn't fit next to the overlap
def test_windows_fit_stand_in_order_and_leave_nothing_out(lengths, text, most):
    spans = windows_of(text, most, lengths)
    assert (lengths([text[start:end] for start, end in spans]) <= most).all()
    covered = -1
    for start, end in spans:
        assert covered < end and not text[max(covered, 0) : start].strip()
        covered = end
    assert not text[covered:].strip()


def test_a_character_of_too_many_tokens_stands_alone():
    found = cut("ab", 1, lambda texts: np.array([3 * len(text) for text in texts]))
    assert found == ["a", "b"]
