from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import join as oracle
from tests.vectors.join.plans import NUMBERS, kindred, plans
from textkin.base.errors import DataError
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join import tile_join as module
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.pair_list import PAIR, best_first, joined
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.join.tile_join import Bar, BestPairs, Joiner

Listed = list[tuple[float, int, int]]

_LOW = np.float32(-1)


def listed(pieces) -> Listed:
    return [tuple(pair) for pair in best_first(joined(pieces)).tolist()]


def side(vectors, plan: Plan):
    rows = by_cosine(vectors)
    return rows, plan.sketch(rows)


@pytest.fixture
def small_tiles() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS", 7)
        patch.setattr(Plan, "columns", 11)
        yield


@pytest.mark.torch
@settings(max_examples=30)
@given(data=st.data(), count=st.integers(1, 30), tile=st.tuples(st.integers(1, 12), st.integers(1, 12)))
def test_pairs_of_some_rows_are_those_of_comparing_each_two(data, count: int, tile: tuple[int, int]) -> None:
    vectors = kindred(count + 4)[:count]
    plan = data.draw(st.sampled_from(plans(kindred(60))))
    start = data.draw(st.integers(0, count - 1))
    stop = min(start + tile[0] * data.draw(st.integers(0, 4)), count)  # strips are whole, or the last ones
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "ROWS", tile[0])
        patch.setattr(Plan, "columns", tile[1])
        found = listed(
            Joiner(plan, side(vectors, plan)).pairs(range(start, stop), Bar(np.float32(0.5), None, 1))
        )
    assert found == [pair for pair in oracle.pairs_above(vectors, 0.5) if start <= pair[1] < stop]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("rows", [range(25), range(3, 17), range(24, 25), range(5, 5)])
def test_two_sides(number: int, rows: range, small_tiles) -> None:
    left, right = kindred(25), kindred(40, seed=1)
    right[:3] = left[4:7]
    plan = plans(np.concatenate((left, right)))[number]
    found = Joiner(plan, side(left, plan), side(right, plan)).pairs(rows, Bar(np.float32(0.4), None, 1))
    assert listed(found) == [pair for pair in oracle.pairs_above(left, 0.4, right) if pair[1] in rows]


def some(*pairs: tuple[float, int, int]):
    return np.array([*pairs], dtype=PAIR)


def test_a_bar_takes_only_what_is_wanted() -> None:
    bar = Bar(np.float32(0.5), None, 10, wanted=lambda rows, columns: (rows + columns) % 2 == 0)
    assert bar.take(some((0.5, 0, 2), (0.75, 0, 1), (1, 3, 5))).tolist() == [(0.5, 0, 2), (1, 3, 5)]
    assert bar.threshold == 0.5 and not bar.excludes(0)


def test_too_many_pairs_are_said_with_the_share_that_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abundance, "MOST_PAIRS", 3)
    bar = Bar(np.float32(0.5), None, 16)
    bar.look_at(3)
    bar.take(some((1, 0, 1), (1, 0, 2), (1, 0, 3)))  # as many as there may be
    bar.look_at(1)
    with pytest.raises(
        DataError, match=r"^more than 3 pairs score at least 0\.5, found in 25\.0 % of all 16;"
    ):
        bar.take(some((1, 1, 2)))
    bar.look_at(100)
    with pytest.raises(DataError, match=r"found in 100\.0 % of all 16"):
        bar.take(some((1, 1, 3)))


def test_unwanted_pairs_are_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abundance, "MOST_PAIRS", 1)
    bar = Bar(np.float32(0.5), None, 16, wanted=lambda rows, columns: rows == columns)
    assert len(bar.take(some((1, 0, 1), (1, 0, 2), (1, 0, 0)))) == 1


def test_a_limit_raises_the_bar_and_never_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abundance, "MOST_PAIRS", 1)
    monkeypatch.setattr("textkin.vectors.join.tile_join._SPARE", 0)
    bar = Bar(np.float32(0.25), 1, 16)
    assert bar.threshold == 0.25
    bar.take(some((1, 0, 1), (0.5, 0, 2)))
    assert bar.threshold == 1
    assert [row for row in range(3) if bar.excludes(row)] == [1, 2]


def test_rows_that_can_not_be_among_the_best_are_not_looked_at(small_tiles, monkeypatch) -> None:
    monkeypatch.setattr("textkin.vectors.join.tile_join._SPARE", 0)
    vectors, plan = np.ones((50, 4), dtype=np.float32), Plan(4, False, None)
    looked: list[int] = []
    bar = Bar(_LOW, 20, 50 * 49 // 2)
    bar.look_at = looked.append  # type: ignore[method-assign]
    found = listed(Joiner(plan, side(vectors, plan)).pairs(range(50), bar))
    assert found[:20] == [(1.0, 0, column) for column in range(1, 21)]
    assert sum(looked) < 50 * 50 // 2


def test_all_tiles_on_and_above_the_diagonal_are_looked_at_once(small_tiles) -> None:
    vectors, plan = kindred(40), plans(kindred(40))[0]
    looked: list[int] = []
    bar = Bar(np.float32(2), None, 780)
    bar.look_at = looked.append  # type: ignore[method-assign]
    assert listed(Joiner(plan, side(vectors, plan)).pairs(range(40), bar)) == []
    # Strips of 7 rows and columns of 11: the tiles with a column at or after a row.
    tiles = [
        (min(7, 40 - top), min(11, 40 - left))
        for top in range(0, 40, 7)
        for left in range(0, 40, 11)
        if left + 11 > top
    ]
    assert sorted(looked) == sorted(height * width for height, width in tiles)


_SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
_PAIRS = st.lists(st.tuples(_SCORES, st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(batches=st.lists(_PAIRS, max_size=8), count=st.integers(1, 12), spare=st.integers(0, 6))
def test_none_of_the_best_is_lost(batches, count: int, spare: int) -> None:
    everything = [np.array(batch, dtype=PAIR) for batch in batches]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SPARE", spare)
        best = BestPairs(count, np.float32(-1))
        kept, before = [], best.threshold
        for number, batch in enumerate(everything):
            kept.append(best.add(batch))
            so_far = best_first(joined(everything[: number + 1]))
            assert best_first(joined(kept))[:count].tolist() == so_far[:count].tolist()
            assert before <= best.threshold
            if best.threshold > -1:
                assert best.threshold <= so_far[count - 1]["score"]
            before = best.threshold
            assert best._held == sum(map(len, best._pairs)) < 2 * count + spare


def test_what_is_not_among_the_best_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SPARE", 0)
    best = BestPairs(2, np.float32(0.125))
    assert best.threshold == np.float32(0.125)
    best.add(np.array([(0.25, 7, 7), (0.5, 3, 4), (0.5, 3, 5)], dtype=PAIR))
    assert best.threshold == np.float32(0.125)  # only three are held yet
    best.add(np.array([(0.25, 8, 8)], dtype=PAIR))
    assert best.threshold == 0.5
    others = [(0.5, 3, 6), (0.5, 3, 5), (0.5, 4, 0), (0.5, 2, 9), (0.5, 3, 3), (0.75, 9, 9), (0.25, 0, 0)]
    found = best.add(np.array(others, dtype=PAIR))
    assert found.tolist() == [(0.5, 2, 9), (0.5, 3, 3), (0.75, 9, 9)]


@pytest.mark.parametrize(("score", "excluded"), [(1.0, [6, 7]), (0.75, [])])
def test_later_rows_are_excluded_where_no_score_can_be_higher(
    score: float, excluded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SPARE", 0)
    best = BestPairs(1, np.float32(0))
    assert not any(map(best.excludes, range(8)))
    best.add(np.array([(score, 5, 6), (score, 5, 7)], dtype=PAIR))
    assert [row for row in range(8) if best.excludes(row)] == excluded
