from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.vectors.join import best_pairs as module
from textkin.vectors.join.best_pairs import BestPairs
from textkin.vectors.join.pair_list import PAIR, best_first, joined

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
