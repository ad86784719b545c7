"""The best spans of a passage in several windows."""

import math

import numpy as np
import pytest

from textkin.models.span_logits import WindowLogits, best_spans
from textkin.text.span_windows import homes, windows


def made(seed, tokens, size, *, none=False):
    draw = np.random.default_rng(seed)
    return [
        WindowLogits(
            *draw.normal(size=(2, stop - start)).astype(np.float32), draw.normal() if none else None, start
        )
        for start, stop in windows(tokens, size)
    ]


def plain(parts, most):
    """All spans with their scores, and the logarithm of the normalising sum."""
    scores, total = {}, 0.0
    places = [(one.first, one.first + len(one.start)) for one in parts]
    for number, one in enumerate(parts):
        for i, start in enumerate(one.start.tolist()):
            for j, end in enumerate(one.end.tolist()):
                span = one.first + i, one.first + j
                if not i <= j < i + most or homes(places, *map(np.array, span)) != number:
                    continue
                total += math.exp(start + end)
                scores[span] = max(scores.get(span, -math.inf), start + end)
    if parts[0].none is not None:
        scores[-1, -1] = min(one.none for one in parts)
        total += math.exp(scores[-1, -1])
    return sorted(scores.items(), key=lambda item: (-item[1], item[0])), math.log(total)


@pytest.mark.parametrize("none", [False, True])
@pytest.mark.parametrize(
    ("tokens", "size", "most"), [(9, None, 9), (9, 4, 3), (14, 6, 7), (3, 2, 1), (1, 1, 2)]
)
def test_all_spans_in_order(tokens, size, most, none):
    for seed in range(5):
        parts = made(seed, tokens, size, none=none)
        found = best_spans(parts, most=most, k=1000)
        expected, total = plain(parts, most)
        spans = [one for one in found if one.first >= 0]
        for k in (1, 2, 5):  # no answer is added, wherever it is ranked
            few = best_spans(parts, most=most, k=k)
            assert [one for one in few if one.first >= 0] == spans[:k]
            assert [one for one in few if one.first < 0] == [one for one in found if one.first < 0]
            assert [one.score for one in few] == sorted((one.score for one in few), reverse=True)
        assert [(one.first, one.last) for one in found] == [span for span, _ in expected]
        for one, (_, score) in zip(found, expected, strict=True):
            assert one.score == pytest.approx(score, abs=1e-6)
            assert one.probability == pytest.approx(min(1, math.exp(score - total)), rel=1e-5)


def test_a_span_in_two_windows_has_the_score_of_its_home():
    left = WindowLogits(np.array([0, 0, 9, 1], np.float32), np.zeros(4, np.float32), first=0)
    right = WindowLogits(np.array([20, 1, 1, 3], np.float32), np.zeros(4, np.float32), first=2)
    found = best_spans([left, right], most=1, k=6)
    assert {one.first: one.score for one in found} == {0: 0, 1: 0, 2: 9, 3: 1, 4: 1, 5: 3}
    assert sum(one.probability for one in found) == pytest.approx(1)


def test_without_tokens_there_is_nothing_but_no_answer():
    nothing = np.empty(0, dtype=np.float32)
    assert best_spans([WindowLogits(nothing, nothing)], most=None) == []
    (found,) = best_spans([WindowLogits(nothing, nothing, 1.5)], most=None)
    assert (found.first, found.last, found.probability) == (-1, -1, 1.0)


def test_large_logits_do_not_overflow():
    start = np.array([9e4, 0], dtype=np.float32)
    (found,) = best_spans([WindowLogits(start, start)], most=None)
    assert (found.first, found.last, found.probability) == (0, 0, 1.0)
