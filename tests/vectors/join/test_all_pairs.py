from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference import join as oracle
from tests.vectors.join.plans import NUMBERS, kindred, plans
from textkin.base.errors import DataError, UsageError
from textkin.vectors.join import all_pairs as module
from textkin.vectors.join import pair_estimate as abundance
from textkin.vectors.join import pair_list as found_module
from textkin.vectors.join import tile_join as joiner
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.bound_plan import Plan

_NUMBERS = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0])
_THRESHOLDS = st.sampled_from([-1.0, -0.5, 0.0, 0.3, 0.8, 1.0])


def matrix(most: int):
    return st.integers(0, most).flatmap(lambda rows: arrays(np.float32, (rows, 3), elements=_NUMBERS))


def join(vectors, threshold: float, **options) -> JoinedPairs:
    return pairs_above(vectors, threshold, quiet=True, **options)


def listed(found: JoinedPairs) -> list[tuple[float, int, int]]:
    return list(zip(found.scores.tolist(), found.rows.tolist(), found.columns.tolist(), strict=True))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("tile_join.ROWS", 16), ("bound_plan.Plan.columns", 24), ("all_pairs.BLOCK", 48)):
        monkeypatch.setattr(f"textkin.vectors.join.{name}", size)


@given(vectors=matrix(12), threshold=_THRESHOLDS)
def test_pairs_are_those_of_comparing_each_two(vectors, threshold: float) -> None:
    found = join(vectors, threshold)
    assert listed(found) == oracle.pairs_above(vectors, threshold)
    assert found.compared == len(vectors) * (len(vectors) - 1) // 2


@given(vectors=matrix(8), against=matrix(8), threshold=_THRESHOLDS)
def test_two_sets(vectors, against, threshold: float) -> None:
    found = join(vectors, threshold, against=against)
    assert listed(found) == oracle.pairs_above(vectors, threshold, against)


@given(data=st.data(), rows=st.integers(1, 30), columns=st.integers(1, 30), workers=st.integers(1, 3))
@settings(max_examples=20)
def test_blocks_and_workers_change_nothing(data, rows: int, columns: int, workers: int) -> None:
    vectors = kindred(data.draw(st.integers(4, 70)))
    expected = listed(join(vectors, 0.6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joiner, "ROWS", rows)
        patch.setattr(Plan, "columns", columns)
        patch.setattr(module, "BLOCK", 2 * rows)
        assert listed(join(vectors, 0.6, workers=workers)) == expected
        everything = listed(join(vectors, 0.6, against=vectors, workers=workers))
        assert [pair for pair in everything if pair[1] < pair[2]] == expected


@pytest.mark.slow
@given(seed=st.integers(0, 99), threshold=st.floats(-1, 1), limit=st.integers(1, 400))
@settings(max_examples=30)
def test_a_higher_threshold_and_a_limit_give_the_first_of_the_same_pairs(
    seed: int, threshold: float, limit: int
) -> None:
    vectors = kindred(40, seed=seed)
    everything = listed(join(vectors, -1))
    above = [pair for pair in everything if pair[0] >= np.float32(threshold)]
    assert listed(join(vectors, threshold)) == above
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joiner, "ROWS", 7)
        patch.setattr(module, "BLOCK", 14)
        patch.setattr("textkin.vectors.join.tile_join._SPARE", 0)
        best = join(vectors, threshold, limit=limit, workers=2)
    assert listed(best) == above[:limit]
    assert best.threshold == (above[limit - 1][0] if len(above) >= limit else threshold)


@given(seed=st.integers(0, 99))
@settings(max_examples=10)
def test_the_order_of_the_rows_does_not_matter(seed: int) -> None:
    vectors = kindred(60, seed=seed)
    order = np.random.default_rng(seed).permutation(len(vectors))
    turned = {
        (score, *sorted((int(order[i]), int(order[j])))) for score, i, j in listed(join(vectors[order], 0.5))
    }
    assert turned == set(listed(join(vectors, 0.5)))


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_every_plan_finds_the_same(number: int, small_blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = kindred(150)
    plan = plans(vectors)[number]
    monkeypatch.setattr(module, "make_plan", lambda left, right, thresholds: plan)
    for threshold in (0.2, 0.9):
        found = join(vectors, threshold, workers=2)
        assert listed(found) == oracle.pairs_above(vectors, threshold)
        assert f"{plan.width} dimensions" in found.method


@pytest.mark.slow
def test_the_plan_that_was_the_fastest_finds_all() -> None:
    vectors = kindred(4200, dim=48)
    exact = vectors.astype(np.float64)
    exact /= np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), 1e-30)
    cosines = (exact @ exact.T).astype(np.float32)
    for options in ({}, {"limit": 1000}):
        found = join(vectors, 0.9, **options)
        rows, columns = np.nonzero(np.triu(cosines >= np.float32(found.threshold), 1))
        wanted = set(zip(rows.tolist(), columns.tolist(), strict=True))
        assert len(wanted) >= 1000
        pairs = set(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
        assert pairs <= wanted if options else pairs == wanted
        assert np.array_equal(found.scores, np.sort(cosines[rows, columns])[::-1][: len(found)])


def test_many_pairs_go_to_the_disk(small_blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = kindred(150)
    expected = listed(join(vectors, -1))
    monkeypatch.setattr(found_module, "IN_MEMORY", 700)
    spilled = join(vectors, -1, workers=2)
    assert isinstance(spilled.rows, np.memmap)
    assert listed(spilled) == expected
    assert listed(join(vectors, -1, limit=1500)) == expected[:1500]


def test_too_many_pairs_are_refused_and_the_best_of_equal_ones_are_the_first(
    small_blocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = np.ones((300, 5), dtype=np.float32)
    monkeypatch.setattr(abundance, "MOST_PAIRS", 5000)
    with pytest.raises(DataError, match=r"more than 5,000 pairs .* of all 44,850; .* give a limit"):
        join(vectors, 0.5)
    monkeypatch.setattr("textkin.vectors.join.tile_join._SPARE", 0)
    monkeypatch.setattr(abundance, "MANY", 100)  # of a limit there are never too many
    best = join(vectors, 0.5, limit=400, workers=2)
    assert listed(best) == [(1.0, 0, j) for j in range(1, 300)] + [(1.0, 1, j) for j in range(2, 103)]


def test_vectors_of_any_length_and_kind() -> None:
    vectors = kindred(30)
    expected = listed(join(vectors, 0.3))
    scale = 2.0 ** np.arange(-60, 60, 4)[:, None]
    assert listed(join((vectors * scale).astype(np.float32), 0.3)) == expected
    assert listed(join(vectors.astype(np.float64), 0.3)) == expected
    frozen = np.asfortranarray(vectors)
    frozen.flags.writeable = False
    assert listed(join(frozen, 0.3)) == expected
    assert listed(join(vectors[:1], -1)) == listed(join(vectors[:0], -1)) == []


def test_what_is_no_set_of_vectors_is_refused() -> None:
    vectors = kindred(5)
    broken = vectors.copy()
    broken[3, 2] = np.nan
    with pytest.raises(DataError) as error:
        join(broken, 0.5)
    assert error.value.value == 3
    with pytest.raises(DataError) as error:
        join(vectors[0], 0.5)
    assert error.value.value == ((40,), np.float32)
    with pytest.raises(DataError) as error:
        join(np.ones((3, 3), dtype=np.int64), 0.5)
    assert error.value.value == ((3, 3), np.int64)
    with pytest.raises(DataError) as error:
        join(vectors, 0.5, against=vectors[:, 1:])
    assert error.value.value == (40, 39)
    for threshold in (1.01, -1.01, float("nan")):
        with pytest.raises(UsageError) as error:
            join(vectors, threshold)
        assert error.value.params == ("threshold",)
    with pytest.raises(UsageError) as error:
        join(vectors, 0.5, limit=0)
    assert (error.value.params, error.value.value) == (("limit",), 0)


@pytest.mark.parametrize("limit", [None, 300])
def test_a_join_that_was_stopped_goes_on(tmp_path, small_blocks, monkeypatch, limit: int | None) -> None:
    vectors = kindred(230)
    options = {"limit": limit, "journal": tmp_path / "journal", "workers": 1}
    done: list[int] = []
    original = joiner.Joiner.pairs

    def pairs(self, rows: range, bar):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(rows.start)
        return original(self, rows, bar)

    monkeypatch.setattr(joiner.Joiner, "pairs", pairs)
    seen = []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            join(vectors, 0.3, **options)
        seen.append(list(done))
        done.clear()
    assert seen == [[0, 48], [96, 144]]
    (tmp_path / "journal" / "block-000003.pairs").unlink()
    for expected in ([144, 192], []):
        again = join(vectors, 0.3, **options)
        assert done == expected
        done.clear()
    monkeypatch.setattr(joiner.Joiner, "pairs", original)
    assert listed(again) == listed(join(vectors, 0.3))[:limit]
    with pytest.raises(UsageError) as error:
        join(vectors, 0.4, **options)
    assert error.value.params == ("out",)
    vectors[5] = 1
    with pytest.raises(UsageError) as error:
        join(vectors, 0.3, **options)
    assert error.value.params == ("out",)
