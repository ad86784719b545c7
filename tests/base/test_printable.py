import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.printable import HARMFUL, shortened, visible, visible_line


@given(st.text())
def test_nothing_acts_on_a_terminal_and_the_rest_stays(text):
    shown = visible(text)
    assert not HARMFUL.search(shown)
    assert not set("\t\n") & set(visible_line(text))
    assert re.sub(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\r", "", visible("a\x1b\u202e\x9b\rb")) == "ab"
    if not HARMFUL.search(text):
        assert shown == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\u202eabc\u2069", r"\u202eabc\u2069"),
        ("a\tb\nc\rd", "a\tb\nc\\rd"),
        ("שלום é 🙂 ‏", "שלום é 🙂 ‏"),
    ],
)
def test_escapes(text, shown):
    assert visible(text) == shown


@given(st.text(min_size=41), st.integers(min_value=8, max_value=40))
def test_long_texts_lose_their_middle(text, most):
    short = shortened(text, most)
    assert short.startswith(text[: most * 3 // 4]) and short.endswith(text[len(text) - most // 4 :])
    left = int(re.search(r"\[\.\.\. ([\d,]+) characters \.\.\.\]", short)[1].replace(",", ""))
    assert left == len(text) - most * 3 // 4 - most // 4
    assert shortened("abc", 3) == "abc"
