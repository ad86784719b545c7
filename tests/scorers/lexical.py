"""Texts for the tests of lexical scorers."""

import re

from hypothesis import strategies as st

LETTERS = "aAbé ,.?'1_\tß"
TEXT = st.text(alphabet=LETTERS, max_size=25)
FITTED = st.lists(TEXT, min_size=1, max_size=8).map(lambda texts: [*texts, "ab ba ab"])
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8)


def words(text):
    return re.findall(r"\b\w\w+\b", text.lower())
