from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference import join as oracle
from tests.vectors.join.plans import NUMBERS, kindred, plans
from textkin.vectors.join import greedy_filter as module
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join import tile_join as joiner
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.greedy_filter import Survivors, survivors

_NUMBERS = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0])
_MATRIX = st.integers(0, 14).flatmap(lambda rows: arrays(np.float32, (rows, 3), elements=_NUMBERS))


def listed(found: Survivors) -> list[tuple[int, float]]:
    return list(zip(found.home.tolist(), found.scores.tolist(), strict=True))


@pytest.mark.slow
@given(data=st.data(), vectors=_MATRIX, threshold=st.sampled_from([-0.5, 0.0, 0.3, 0.8, 1.0]))
def test_rows_go_one_after_another(data, vectors, threshold: float) -> None:
    order = data.draw(st.permutations(range(len(vectors))))
    apart = data.draw(st.integers(1, 4))  # rows whose numbers differ by this are never similar
    batch = data.draw(st.integers(1, 6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH", batch)
        found = survivors(
            vectors,
            threshold,
            np.array(order, dtype=np.int64),
            wanted=lambda one, other: np.abs(one - other) != apart,
        )
    expected = oracle.survivors(vectors, threshold, order, lambda one, other: abs(one - other) != apart)
    assert listed(found) == expected


@pytest.mark.slow
@given(rows=st.integers(1, 30), batch=st.integers(1, 90), workers=st.integers(1, 3))
@settings(max_examples=20)
def test_blocks_and_workers_change_nothing(rows: int, batch: int, workers: int) -> None:
    vectors = kindred(70)
    order = np.random.default_rng(0).permutation(70)
    expected = oracle.survivors(vectors, 0.6, order.tolist(), lambda one, other: True)
    assert 10 < sum(home == row for row, (home, _) in enumerate(expected)) < 60
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joiner, "ROWS", rows)
        patch.setattr(Plan, "columns", 2 * rows)
        patch.setattr(module, "BATCH", batch)
        assert listed(survivors(vectors, 0.6, order, workers=workers)) == expected


@pytest.mark.parametrize("batch", [1, 2, 3, 4])
def test_a_row_stays_that_resembles_only_one_that_goes(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", batch)
    angles = np.radians([0, 30, 60, 90, 119])
    vectors = np.column_stack((np.cos(angles), np.sin(angles))).astype(np.float32)
    for order in (np.arange(5), np.arange(5)[::-1]):
        found = survivors(vectors[np.argsort(order)], 0.85, order)
        stays = [0, 0, 2, 2, 4]
        assert found.home.tolist() == [order[stays[place]] for place in np.argsort(order)]


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_every_plan_finds_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = kindred(150)
    plan = plans(vectors)[number]
    monkeypatch.setattr(module, "make_plan", lambda left, right, thresholds: plan)
    monkeypatch.setattr(module, "BATCH", 40)
    found = survivors(vectors, 0.8, np.arange(150), workers=2)
    assert listed(found) == oracle.survivors(vectors, 0.8, list(range(150)), lambda one, other: True)


@pytest.mark.slow
def test_few_pairs_are_held_where_all_rows_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = 1 + 1e-3 * np.random.default_rng(0).standard_normal((3000, 8)).astype(np.float32)
    monkeypatch.setattr(abundance, "MOST_PAIRS", 5000)
    monkeypatch.setattr(module, "BATCH", 64)
    found = survivors(vectors, 0.9, np.arange(3000)[::-1])
    assert set(found.home.tolist()) == {2999}
