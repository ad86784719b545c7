"""The best spans of windows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.spans_of_logits import best
from textkin.inference.best_spans import WindowLogits, best_spans
from textkin.text.token_windows import homes, windows

LOGIT = st.integers(-4, 4).map(float)  # whole numbers tie often


@st.composite
def passages(draw):
    with_none = draw(st.booleans())
    found, first = [], 0
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 5))
        logits = [draw(st.lists(LOGIT, min_size=size, max_size=size)) for _ in range(2)]
        found.append((*logits, draw(LOGIT) if with_none else None, first))
        first += draw(st.integers(0, size))
    return found


@given(passages(), st.one_of(st.none(), st.integers(1, 3)), st.integers(1, 7))
def test_equals_trying_all_spans(parts, most, k):
    made = [
        WindowLogits(np.array(start, dtype=np.float32), np.array(end, dtype=np.float32), none, first)
        for start, end, none, first in parts
    ]
    found = best_spans(made, most=most, k=k)
    expected = best(parts, most, k)
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


def made(seed, tokens, size, *, none=False):
    draw = np.random.default_rng(seed)
    return [
        WindowLogits(
            *draw.normal(size=(2, stop - start)).astype(np.float32), draw.normal() if none else None, start
        )
        for start, stop in windows(tokens, size)
    ]


def plain(parts, most, *, at_home):
    """All spans with their scores, and the logarithm of the sum of what counts."""
    scores, total = {}, 0.0
    places = [(one.first, one.first + len(one.start)) for one in parts]
    for number, one in enumerate(parts):
        for i, start in enumerate(one.start.tolist()):
            for j, end in enumerate(one.end.tolist()):
                span = one.first + i, one.first + j
                if not i <= j < i + most or (at_home and homes(places, *map(np.array, span)) != number):
                    continue
                total += math.exp(start + end)
                scores[span] = max(scores.get(span, -math.inf), start + end)
    if parts[0].none is not None:
        scores[-1, -1] = min(one.none for one in parts)
        total += math.exp(scores[-1, -1])
    return sorted(scores.items(), key=lambda item: (-item[1], item[0])), math.log(total)


@pytest.mark.parametrize("at_home", [False, True])
@pytest.mark.parametrize("none", [False, True])
@pytest.mark.parametrize(
    ("tokens", "size", "most"), [(9, None, 9), (9, 4, 3), (14, 6, 7), (3, 2, 1), (1, 1, 2)]
)
def test_all_spans_in_order(tokens, size, most, none, at_home):
    for seed in range(5):
        parts = made(seed, tokens, size, none=none)
        found = best_spans(parts, most=most, k=1000, at_home=at_home)
        expected, total = plain(parts, most, at_home=at_home)
        assert [(one.first, one.last) for one in found] == [span for span, _ in expected]
        for one, (_, score) in zip(found, expected, strict=True):
            assert one.score == pytest.approx(score, abs=1e-6)
            assert one.probability == pytest.approx(min(1, math.exp(score - total)), rel=1e-5)


def test_a_span_in_two_windows_has_one_score():
    left = WindowLogits(np.array([0, 0, 9, 1], np.float32), np.zeros(4, np.float32), first=0)
    right = WindowLogits(np.array([2, 1, 1, 3], np.float32), np.zeros(4, np.float32), first=2)
    best = {at_home: best_spans([left, right], most=1, k=6, at_home=at_home) for at_home in (False, True)}
    assert {one.first: one.score for one in best[False]} == {0: 0, 1: 0, 2: 9, 3: 1, 4: 1, 5: 3}
    assert {one.first: one.score for one in best[True]} == {0: 0, 1: 0, 2: 9, 3: 1, 4: 1, 5: 3}
    assert sum(one.probability for one in best[True]) == pytest.approx(1)
    right.start[0] = 20  # the third token stands at the edge of the right window, so the left one counts
    best = {at_home: best_spans([left, right], most=1, k=1, at_home=at_home)[0] for at_home in (False, True)}
    assert (best[False].score, best[True].score) == (20, 9)
