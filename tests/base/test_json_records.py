"""Dataclasses read back from JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.json_records import restored


@dataclass(frozen=True, slots=True)
class Part:
    ends: tuple[float, float]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    count: int
    score: float
    parts: tuple[Part, ...]
    note: str | None = None


GOOD: dict[str, Any] = {"count": 3, "score": 1, "parts": [{"ends": [0.5, 1.5], "name": "a"}], "note": None}


def test_what_was_written_is_read() -> None:
    assert restored(Whole, GOOD) == Whole(3, 1.0, (Part((0.5, 1.5), "a"),))
    assert restored(Whole, {"count": 0, "score": 0.5, "parts": [], "more": 1}) == Whole(0, 0.5, ())
    assert math.isnan(restored(Whole, {**GOOD, "score": math.nan}).score)


@given(scores=st.lists(st.floats(allow_nan=False)))
def test_numbers_stay_the_same_to_the_bit(scores: list[float]) -> None:
    written = Whole(1, 0.0, tuple(Part((one, -one)) for one in scores))
    assert restored(Whole, json.loads(json.dumps(asdict(written)))) == written


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": "3"}, "count is '3', expected a valid integer"),
        ({"count": True}, "count is True, expected a valid integer"),
        ({"score": None}, "score is None, expected a valid number"),
        ({"score": 10**400}, "a number of 401 digits is too large"),
        ({"parts": [{"ends": [1, 2, 3]}]}, "parts.0.ends: .*at most 2"),
        ({"parts": [{}]}, "parts.0.ends is missing"),
        ({"parts": [{"ends": [1, 2]}]}, "parts.0.name is missing"),
        ({"note": "\ud800"}, "JSON"),
    ],
)
def test_values_that_are_not_what_they_must_be(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        restored(Whole, {**GOOD, **change})


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused_where_asked(score: float) -> None:
    with pytest.raises(ValueError, match="a number is not finite"):
        restored(Whole, {**GOOD, "score": score}, finite=True)


@pytest.mark.parametrize("value", [None, 3, [], "x", {}])
def test_values_that_are_no_record(value: Any) -> None:
    with pytest.raises(ValueError, match=r"an object|count is missing"):
        restored(Whole, value)
