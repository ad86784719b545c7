"""The best spans of windows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.spans_of_logits import best
from textkin.inference.best_spans import WindowLogits, best_spans

LOGIT = st.integers(-4, 4).map(float)  # whole numbers tie often


@st.composite
def passages(draw):
    with_none = draw(st.booleans())
    windows, first = [], 0
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 5))
        logits = [draw(st.lists(LOGIT, min_size=size, max_size=size)) for _ in range(2)]
        windows.append((*logits, draw(LOGIT) if with_none else None, first))
        first += draw(st.integers(0, size))
    return windows


@given(passages(), st.one_of(st.none(), st.integers(1, 3)), st.integers(1, 7))
def test_equals_trying_all_spans(windows, most, k):
    made = [
        WindowLogits(np.array(start, dtype=np.float32), np.array(end, dtype=np.float32), none, first)
        for start, end, none, first in windows
    ]
    found = best_spans(made, most=most, k=k)
    expected = best(windows, most, k)
    assert [(one.first, one.last, one.score) for one in found] == [row[:3] for row in expected]
    assert [one.probability for one in found] == pytest.approx([row[3] for row in expected])


def test_without_tokens_there_is_nothing_but_no_answer():
    none = np.empty(0, dtype=np.float32)
    assert best_spans([WindowLogits(none, none)], most=None) == []
    (found,) = best_spans([WindowLogits(none, none, 1.5)], most=None)
    assert (found.first, found.last, found.probability) == (-1, -1, 1.0)


def test_large_logits_do_not_overflow():
    start = np.array([9e4, 0], dtype=np.float32)
    (found,) = best_spans([WindowLogits(start, start)], most=None)
    assert (found.first, found.last, found.probability) == (0, 0, 1.0)
