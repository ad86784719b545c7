from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from textkin.measures.intervals.prefix_precision import fallback, shares_found, shares_of_first
from textkin.measures.intervals.proportions import clustered_share

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=30)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_each_is_the_share_of_its_pairs(rows: list[tuple[bool, int]]) -> None:
    so, clusters = (np.array(column) for column in zip(*rows, strict=True))
    lows = shares_of_first(so, clusters, np.arange(1, len(rows) + 1)).lower(0.025)
    for first in range(1, len(rows) + 1):
        alone = clustered_share(so[:first], clusters[:first])
        assert alone is not None
        assert lows[first - 1] == pytest.approx(alone.low, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_what_is_found_is_a_share_too(rows: list[tuple[bool, int]]) -> None:
    clusters = np.array([cluster for _, cluster in rows])
    lows = shares_found(clusters, np.arange(len(rows) + 1)).lower(0.025)
    for first in range(len(rows) + 1):
        alone = clustered_share(np.arange(len(rows)) < first, clusters)
        assert alone is not None
        assert lows[first] == pytest.approx(alone.low, abs=1e-9)


def test_a_claim_hands_its_level_on_and_a_failure_loses_it() -> None:
    asked: list[tuple[int, float]] = []

    def passes(claim: int, error: float) -> bool:
        asked.append((claim, error))
        return claim != 2

    made = fallback(passes, [True, False, False, False, True, False], error=0.05, most=0.025)
    assert made == [0, 1, 4, 5]
    assert asked == [(0, 0.025), (1, 0.025), (2, 0.025), (4, 0.025), (5, 0.025)]


def test_without_a_right_claim_errors_are_rare() -> None:
    rng = np.random.default_rng(0)
    starts = [place % 3 == 0 for place in range(12)]

    def any_claim(p: NDArray[np.float64]) -> bool:
        return bool(fallback(lambda claim, error: bool(p[claim] <= error), starts, error=0.05, most=0.025))

    wrong = [any_claim(rng.random(12)) for _ in range(4000)]
    assert 0.03 <= np.mean(wrong) <= 0.06
