"""Proof by betting: the wealth by its definition, its guarantee for every order of draws, its speed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.betting import all_orders, wealth_of
from textkin.base.errors import UsageError
from textkin.measures.intervals.betting import (
    BlindDraws,
    labels_left,
    needed,
    proven_after,
    proven_count,
    wealth,
)


def labels_of(whole: int, precision: float, seed: int) -> np.ndarray:
    """A population with some positives, in random order."""
    found = np.arange(whole) < round(whole * precision)
    return np.random.default_rng(seed).permutation(found)


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.integers(20, 60), st.data())
def test_the_wealth_is_the_mixed_ratio_of_likelihoods(
    so: list[bool], whole: int, data: st.DataObject
) -> None:
    least = data.draw(st.integers(sum(so) + 1, whole))
    found = wealth(BlindDraws.of(so, whole=whole), least=least)
    assert found[-1] == pytest.approx(wealth_of(so, whole, least), rel=1e-9)


@pytest.mark.parametrize(("whole", "least"), [(6, 6), (8, 5), (10, 9), (12, 11), (14, 12)])
@pytest.mark.parametrize("fewer", [1, 2, 4])
def test_by_every_order_of_draws_the_wealth_is_a_supermartingale_if_too_few_are_so(
    whole: int, least: int, fewer: int
) -> None:
    all_ = [wealth(BlindDraws.of(one, whole=whole), least=least) for one in all_orders(whole, least - fewer)]
    mean = np.mean(all_, axis=0)
    assert (np.diff(np.concatenate([[1.0], mean])) <= 1e-9).all()
    if fewer == 1 and least < whole:  # then the odds are fair
        assert mean[0] == pytest.approx(1.0)
    for error in (0.05, 0.2, 0.5):
        assert np.mean([one.max() >= 1 / error for one in all_]) <= error


@pytest.mark.parametrize(("whole", "least"), [(10, 9), (12, 10)])
def test_what_was_judged_otherwise_moves_the_odds_and_is_no_bet(whole: int, least: int) -> None:
    # The first three members are known after the second draw; the rest are drawn blindly.
    reached, first = [], [True, True, False]
    for rest in all_orders(whole - 3, least - 1 - sum(first)):
        judged = np.array([5 + one for one in range(whole - 5)], dtype=float)
        before = np.cumsum([0, *rest])
        found = sum(first) + before[2 : len(rest)]
        draws = BlindDraws(np.array(rest[2:], dtype=float), judged, found.astype(float), whole)
        reached.append(wealth(draws, least=least)[-1])
    assert np.mean(reached) <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("whole", [60, 300, 4_000])
def test_just_below_the_goal_few_are_proven_whenever_one_stops(whole: int) -> None:
    least, proven, replays = needed(0.95, whole), 0, 400
    for seed in range(replays):
        so = labels_of(whole, (least - 1) / whole, seed)[:600]
        proven += proven_after(wealth(BlindDraws.of(so, whole=whole), least=least)) is not None
    # 5 % may be, and so 29 of 400, in all but 2 of 100 times; every order is tried out above.
    assert proven <= 29


@pytest.mark.slow
@pytest.mark.parametrize(("precision", "labels"), [(1.0, 76), (0.99, 129), (0.98, 248), (0.97, 608)])
def test_a_proof_takes_about_as_many_labels_as_it_must(precision: float, labels: int) -> None:
    took = []
    for seed in range(100):
        draws = BlindDraws.of(labels_of(5_000, precision, seed)[:1_200], whole=5_000)
        took.append(proven_after(wealth(draws, least=4_750)) or 1_200)
    assert abs(float(np.median(took)) / labels - 1) < 0.25


def test_of_a_small_whole_fewer_are_needed_and_all_labels_are_sure() -> None:
    assert proven_after(wealth(BlindDraws.of([True] * 100, whole=100), least=95)) == 44
    last = [False, *[True] * 9]
    found = wealth(BlindDraws.of(last, whole=10), least=9)
    assert found[-2] < 20 <= found[-1], "nine of ten are so, and that is seen with the last one"
    assert proven_after(wealth(BlindDraws.of([False, *last[:9]], whole=10), least=9)) is None


@given(st.lists(st.booleans(), max_size=40), st.integers(41, 90))
def test_the_proven_count_never_falls_and_is_what_is_proven(so: list[bool], whole: int) -> None:
    count = proven_count(BlindDraws.of(so, whole=whole))
    assert proven_count(BlindDraws.of([*so, False], whole=whole)) >= count >= 0
    assert count <= whole - so.count(False)
    for least in range(1, whole + 1):
        found = wealth(BlindDraws.of(so, whole=whole), least=least)
        assert (proven_after(found) is not None) == (least <= count)


def test_labels_left() -> None:
    def left(so: list[bool], whole: int = 4_000) -> int | None:
        draws, least = BlindDraws.of(so, whole=whole), needed(0.95, whole)
        return labels_left(draws, least=least, judged=len(so), found=sum(so))

    assert left([]) == 73
    assert left([True] * 65) == 8
    assert left([True] * 73) == 0
    assert left([True, False] * 20) is None
    some = left([True] * 98 + [False] * 2)
    assert some is not None and 50 < some < 300
    assert left([True] * 18 + [False], whole=20) == 1, "19 of 20 are so if the last one is"
    assert left([True] * 17 + [False] * 2, whole=20) is None


@pytest.mark.parametrize("goal", [0.0, 1.0, -1.0, float("nan")])
def test_a_goal_out_of_range(goal: float) -> None:
    with pytest.raises(UsageError):
        needed(goal, 100)


def test_more_labels_than_there_are() -> None:
    with pytest.raises(UsageError) as error:
        BlindDraws.of([True] * 3, whole=2)
    assert error.value.value == (3, 2)
