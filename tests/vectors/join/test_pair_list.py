from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.vectors.join import pair_list as module
from textkin.vectors.join.pair_list import (
    PAIR,
    Pairs,
    SortedRuns,
    best_first,
    either_way,
    gathered,
    joined,
    load,
    made,
)

_SCORES = st.sampled_from([-1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0])
_LISTS = st.lists(st.tuples(_SCORES, st.integers(0, 9), st.integers(0, 9)), max_size=30)

Listed = list[tuple[float, int, int]]


def pairs_of(some: Listed) -> Pairs:
    return np.array(some, dtype=PAIR)


def listed(pairs: Pairs) -> Listed:
    return [tuple(pair) for pair in pairs.tolist()]


def in_order(some: Listed) -> Listed:
    """Score descending, then row, then column."""
    return sorted(some, key=lambda pair: (-pair[0], *pair[1:]))


@given(some=_LISTS)
def test_the_best_stand_first(some: Listed) -> None:
    assert listed(best_first(pairs_of(some))) == in_order(some)


def test_large_row_numbers_do_not_reach_into_the_scores() -> None:
    last = np.iinfo(np.int32).max
    some = [(0.5, last, last), (0.5, last, 0), (0.5, 0, last), (np.float32(0.5000001).item(), last, last)]
    assert listed(best_first(pairs_of(some))) == [some[3], some[2], some[1], some[0]]


@given(some=_LISTS)
def test_either_way_keeps_each_pair_once_with_its_higher_score(some: Listed) -> None:
    best: dict[tuple[int, int], float] = {}
    for score, row, column in some:
        ends = min(row, column), max(row, column)
        best[ends] = max(score, best.get(ends, score))
    expected = in_order([(score, *ends) for ends, score in best.items()])
    assert listed(either_way(pairs_of(some))) == expected


def test_made_and_joined() -> None:
    one = made(np.array([1, 2]), np.array([3, 4]), np.array([0.5, 0.25], dtype=np.float32))
    assert listed(one) == [(0.5, 1, 3), (0.25, 2, 4)]
    assert listed(joined([one, one[:0], one[1:]])) == [*listed(one), (0.25, 2, 4)]
    assert joined([]).dtype == PAIR and len(joined([])) == 0


@given(runs=st.lists(_LISTS, max_size=6), memory=st.integers(1, 40))
def test_runs_come_back_in_order_in_pieces(runs: list[Listed], memory: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "IN_MEMORY", memory)
        collected = SortedRuns()
        for run in runs:
            collected.add(pairs_of(run))
        pieces = [listed(piece) for piece in collected.merged()]
    assert [pair for piece in pieces for pair in piece] == in_order([pair for run in runs for pair in run])


def test_pieces_of_many_pairs_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", 1000)
    rng = np.random.default_rng(0)
    runs = SortedRuns()
    for _ in range(30):
        part = np.empty(300, dtype=PAIR)
        part["score"] = rng.choice(np.float32([0.25, 0.5, -1, 1]), 300)
        part["row"], part["column"] = rng.integers(0, 10**6, (2, 300))
        runs.add(part)
    pieces = list(runs.merged())
    assert max(map(len, pieces)) <= 1000 and sum(map(len, pieces)) == 9000
    keys = [(-pair["score"], pair["row"], pair["column"]) for piece in pieces for pair in piece]
    assert all(a <= b for a, b in pairwise(keys))


def test_sorted_pairs_in_a_file_stay_there(tmp_path) -> None:
    path = tmp_path / "pairs"
    first = [(0.75, 1, 2), (0.25, 0, 1)]
    pairs_of(first).tofile(path)
    runs = SortedRuns()
    runs.add(load(path))
    runs.add(pairs_of([(0.5, 3, 4)]))
    assert runs._waiting[0].tolist() == [(0.5, 3, 4)] and isinstance(runs._runs[0], np.memmap)
    (piece,) = runs.merged()
    assert listed(piece) == [first[0], (0.5, 3, 4), first[1]]


@pytest.mark.parametrize("limit", [None, 0, 1, 4, 5, 9, 20])
@pytest.mark.parametrize("memory", [1, 4, 100])
def test_gathered_takes_the_first_pairs(limit: int | None, memory: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", memory)
    numbers = np.arange(9)
    everything = made(numbers, numbers + 1, np.linspace(1, 0, 9, dtype=np.float32))
    taken = []

    def pieces():
        for start in range(0, 9, 2):
            taken.append(start)
            yield everything[start : start + 2]

    found = gathered(pieces(), limit=limit)
    expected = everything[:limit]
    assert listed(found) == listed(expected)
    assert isinstance(found, np.memmap) == (len(expected) > memory)
    assert len(taken) == (5 if limit is None else min(max(-(-limit // 2), 1), 5))  # no piece too many


def test_a_file_of_pairs_is_loaded_unread(tmp_path) -> None:
    path = tmp_path / "pairs"
    path.write_bytes(b"")
    assert len(load(path)) == 0 and load(path).dtype == PAIR
    some = pairs_of([(0.5, 1, 2), (0.25, 3, 4)])
    some.tofile(path)
    assert isinstance(load(path), np.memmap)
    assert listed(load(path)) == listed(some)
