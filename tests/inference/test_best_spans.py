"""The best spans of windows against a loop over all of them."""

import math

import numpy as np
import pytest

from textkin.inference.best_spans import WindowLogits, best_spans
from textkin.text.token_windows import homes, windows


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


def test_windows_without_tokens_have_nothing_to_say():
    nothing = WindowLogits(np.empty(0, np.float32), np.empty(0, np.float32), first=0)
    assert best_spans([nothing], most=3, at_home=True) == []
