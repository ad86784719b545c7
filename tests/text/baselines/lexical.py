"""Texts for the tests of lexical scorers."""

from hypothesis import strategies as st

from tests.reference import analysed

LETTERS = "aAbé ,.?'1_\tßﬁ\u0301密한"
TEXT = st.text(alphabet=LETTERS, max_size=25)
FITTED = st.lists(TEXT, min_size=1, max_size=8).map(lambda texts: [*texts, "ab ba ab"])
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8)


def words(text):
    return analysed.plain(text)
