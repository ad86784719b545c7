from __future__ import annotations

import hashlib
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.vectors.join import pair_list as module
from textkin.vectors.join.pair_list import (
    PAIR,
    Journal,
    Pairs,
    SortedRuns,
    best_first,
    either_way,
    gathered,
    hash_of_rows,
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


_ABOUT = {"threshold": 0.5, "vectors": "abc"}


def some(*rows: int):
    return np.array([(0.5, row, row + 1) for row in rows], dtype=PAIR)


def test_blocks_that_are_done_are_there_for_the_next_run(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new", _ABOUT)
    assert journal.pairs_of(0) is None
    assert journal.write(0, [some(1, 2), some(3)]).tolist() == some(1, 2, 3).tolist()
    assert journal.write(7, []).tolist() == []
    again = Journal(tmp_path / "new", _ABOUT)
    found = again.pairs_of(0)
    assert found is not None and found.tolist() == some(1, 2, 3).tolist()
    nothing = again.pairs_of(7)
    assert nothing is not None and len(nothing) == 0  # done, without a pair
    assert again.pairs_of(1) is None


def test_a_block_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path, _ABOUT)

    def pieces():
        yield some(1)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.write(3, pieces())
    assert journal.pairs_of(3) is None
    assert [item.name for item in tmp_path.iterdir()] == ["join.json"]


def test_what_a_killed_run_was_writing_goes(tmp_path: Path) -> None:
    Journal(tmp_path, _ABOUT).write(0, [some(1)])
    left = tmp_path / ".block-000001.pairs.textkin-tmp"
    left.write_bytes(b"half")
    assert len(Journal(tmp_path, _ABOUT).pairs_of(0)) == 1
    assert not left.exists()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({**_ABOUT, "threshold": 0.6}, "other threshold$"),
        ({"threshold": 0.6, "vectors": "b"}, "other threshold, vectors$"),
        ({"threshold": 0.5}, "other vectors$"),
        ({**_ABOUT, "limit": 3}, "other limit$"),
    ],
)
def test_another_join_is_refused_by_what_differs(tmp_path: Path, about: dict, words: str) -> None:
    Journal(tmp_path, _ABOUT)
    with pytest.raises(UsageError) as caught:
        Journal(tmp_path, about)
    message = str(caught.value)
    assert words.rstrip("$") + ";" in message and message.startswith(str(tmp_path))


@pytest.mark.parametrize("content", ["", "{", "[]", "1"])
def test_what_is_no_note_of_a_join_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "join.json").write_text(content)
    with pytest.raises(UsageError, match="not a note of a join"):
        Journal(tmp_path, _ABOUT)
    assert (tmp_path / "join.json").read_text() == content


def test_the_note_says_what_the_pairs_depend_on(tmp_path: Path) -> None:
    Journal(tmp_path, _ABOUT)
    assert json.loads((tmp_path / "join.json").read_text()) == _ABOUT


def test_the_hash_is_of_numbers_and_shape() -> None:
    values = np.arange(6, dtype=np.float32)
    hashes = {hash_of_rows(values.reshape(shape)) for shape in ((2, 3), (3, 2), (6, 1))}
    assert len(hashes) == 3
    assert hash_of_rows(values.reshape(2, 3)) == hashlib.sha256(b"(2, 3)" + values.tobytes()).hexdigest()
    other = values.copy()
    other[5] = 4
    assert hash_of_rows(other.reshape(2, 3)) not in hashes


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_pages_of_a_file_leave_the_memory_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IN_MEMORY", 1000)
    count = 1 << 20
    run = gathered([made(np.arange(count), np.arange(count), np.linspace(1, 0, count, dtype=np.float32))])

    def mapped() -> int:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.split("RssFile:")[1].split()[0])

    before = mapped()
    scores = run["score"].copy()
    assert mapped() - before > 0.9 * run.nbytes / 1024
    module.forget(run["row"][1:])
    assert mapped() - before < 0.1 * run.nbytes / 1024
    np.testing.assert_array_equal(run["score"], scores)
