"""Counts in a finite population: definition, error rate, and complete samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import finite_counts as slow
from textkin.base.errors import DataError
from textkin.measures.intervals.finite_counts import least_so, most_so

pytestmark = pytest.mark.long


@st.composite
def drawn(draw):
    """Sizes of strata, and draws (stratum, label) in an order."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3))
    counts = [draw(st.integers(0, size)) for size in sizes]
    members = [(part, place < counts[part]) for part, size in enumerate(sizes) for place in range(size)]
    order = draw(st.permutations(members))
    return sizes, order[: draw(st.integers(0, len(order)))]


def tallied(sizes, draws):
    so = [sum(yes for part, yes in draws if part == place) for place in range(len(sizes))]
    return so, [sum(part == place for part, _ in draws) for place in range(len(sizes))]


@settings(max_examples=60, deadline=None)
@given(drawn(), st.sampled_from([0.2, 0.05, 0.01]))
def test_the_most_is_what_is_not_ruled_out(given_, error: float) -> None:
    sizes, draws = given_
    so, n = tallied(sizes, draws)
    possible = [sum(one) for one in slow.not_ruled_out(draws, sizes, error)]
    found = most_so(so, n, sizes, error=error).total
    assert max(possible) <= found <= max(possible) + 1, "a dual may be one more"
    flipped = [(part, not yes) for part, yes in draws]
    fewest = sum(sizes) - max(sum(one) for one in slow.not_ruled_out(flipped, sizes, error))
    assert fewest - 1 <= least_so(so, n, sizes, error=error) <= fewest


@settings(max_examples=40, deadline=None)
@given(drawn())
def test_the_ratio_is_a_martingale_of_the_truth(given_) -> None:
    sizes, draws = given_
    left = np.array(sizes) - np.array(tallied(sizes, draws)[1])
    for part in np.flatnonzero(left):
        for rest in range(left[part] + 1):
            so = tallied(sizes, draws)[0]
            counts = [so[one] + (rest if one == part else 0) for one in range(len(sizes))]
            now = slow.mean_probability(draws, len(sizes))
            after = sum(
                slow.mean_probability([*draws, (part, yes)], len(sizes))
                for yes in (True, False)
                if slow.probability([*draws, (part, yes)], counts, sizes) > 0
            )
            assert after <= now * (1 + 1e-9)


def test_where_all_was_drawn_all_is_known() -> None:
    assert most_so([3, 0], [10, 20], [10, 20]).total == 3 == least_so([3, 0], [10, 20], [10, 20])
    assert most_so([], [], []).total == 0 and least_so([], [], []) == 0
    assert most_so([0], [0], [70]).total == 70 and least_so([0], [0], [70]) == 0


@pytest.mark.parametrize("size", [10, 1_000, 1_000_000])
def test_more_draws_without_any_leave_fewer(size: int) -> None:
    found = [most_so([0, 0], [count, count], [size, 3 * size]).total for count in range(0, min(size, 400), 9)]
    assert found == sorted(found, reverse=True) and found[0] == 4 * size
    last = range(0, min(size, 400), 9)[-1]
    assert found[-1] <= 3 * size * 6.5 / last


@pytest.mark.parametrize("wholes", [[400], [100, 300, 900]])
def test_few_are_ever_wrong_whenever_one_looks(wholes: list[int]) -> None:
    random, wrong, replays = np.random.default_rng(5), 0, 60
    sizes = np.array(wholes)
    for _ in range(replays):
        truth = random.binomial(sizes, [0.3, 0.05, 0.01][: len(sizes)] if len(sizes) > 1 else [0.04])
        parts = [random.permutation(np.arange(size) < so) for size, so in zip(sizes, truth, strict=True)]
        n, so, was_wrong = np.zeros(len(sizes), dtype=int), np.zeros(len(sizes), dtype=int), False
        most = most_so(so, n, sizes)
        for _ in range(60):
            part = int(np.argmax((most.parts - so) / (n + 1) * (n < sizes)))  # by draws so far
            so[part] += parts[part][n[part]]
            n[part] += 1
            most = most_so(so, n, sizes)
            was_wrong = most.total < truth.sum()
            if was_wrong:
                break
        wrong += was_wrong
    assert wrong <= 7  # of 60 with a chance of .05 each, more come once in 100 times


@pytest.mark.parametrize(
    ("so", "n", "sizes"), [([2], [1], [5]), ([0], [6], [5]), ([-1], [1], [5]), ([0], [1, 1], [5, 5])]
)
def test_counts_that_can_not_be(so: list[int], n: list[int], sizes: list[int]) -> None:
    with pytest.raises(DataError, match="check the counts"):
        most_so(so, n, sizes)
