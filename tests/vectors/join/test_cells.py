from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vectors.join.plans import kindred
from textkin.base.errors import UsageError
from textkin.vectors.join import cells as module
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.cells import pairs_by_cells
from textkin.vectors.join.prepared_rows import by_cosine


def pairs_of(found: JoinedPairs) -> set[tuple[float, int, int]]:
    return set(zip(found.scores.tolist(), found.rows.tolist(), found.columns.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("aim", [0.5, 0.9])
def test_the_measured_recall_is_near_that_of_all_pairs(aim: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELL", 64)
    vectors = kindred(2500)
    exact = pairs_above(vectors, 0.8, quiet=True)
    found = pairs_by_cells(vectors, 0.8, recall=aim)
    assert pairs_of(found) <= pairs_of(exact) and len(pairs_of(found)) == len(found)
    keys = list(zip(-found.scores, found.rows, found.columns, strict=True))
    assert keys == sorted(keys)
    recall = len(found) / len(exact)
    assert found.recall is not None and found.recall.n <= 2048
    assert found.recall.low <= recall <= found.recall.high < 1 and recall >= aim - 0.05
    assert found.recall.high - found.recall.low < 0.1
    again = pairs_by_cells(vectors, 0.8, recall=aim, workers=2)
    assert pairs_of(again) == pairs_of(found)


@pytest.mark.slow
def test_a_lower_aim_takes_fewer_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELL", 16)
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((1500, 8)).astype(np.float32)
    found = [pairs_by_cells(vectors, 0.8, recall=aim) for aim in (0.2, 0.9, 0.999)]
    assert len(found[0]) < len(found[1]) < len(found[2])
    shares = [one.recall.value for one in found if one.recall is not None]
    assert shares[0] < shares[1] <= shares[2]


def test_few_vectors_are_compared_exactly_and_no_pairs_have_no_recall(monkeypatch) -> None:
    few = pairs_by_cells(kindred(50), 0.8)
    assert few.method.startswith("exact") and few.recall is None
    monkeypatch.setattr(module, "_CELL", 8)
    nothing = pairs_by_cells(np.eye(40, dtype=np.float32), 0.5)
    assert len(nothing) == 0 and nothing.recall is not None
    assert math.isnan(nothing.recall.value) and (nothing.recall.low, nothing.recall.high) == (0, 1)
    with pytest.raises(UsageError) as error:
        pairs_by_cells(kindred(50), 0.8, recall=1)
    assert (error.value.params, error.value.value) == (("recall",), 1)


def test_members_of_cells_are_those_of_a_plain_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    rng = np.random.default_rng(0)
    cells = np.stack([rng.choice(9, size=3, replace=False) for _ in range(40)]).astype(np.int32)
    cells[cells == 4] = 10  # a cell without a vector
    found = module._members(cells, 11)
    assert [part.tolist() for part in found] == [
        [row for row in range(40) if cell in cells[row]] for cell in range(11)
    ]


def test_the_cells_of_some_vectors_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELL", 8)
    monkeypatch.setattr(module, "_AT_ONCE", 30)
    rows = by_cosine(kindred(200))
    cells = module._Cells(rows, 0, workers=2)
    nearest, some = cells.nearest(3), np.array([0, 5, 6, 60, 199])
    np.testing.assert_array_equal(cells.nearest(3, some), nearest[some])
    np.testing.assert_array_equal(cells.nearest(1), nearest[:, :1])
    centres = np.sort(np.random.default_rng(0).permutation(200)[:25])
    exact = rows.values.astype(float)
    lengths = np.linalg.norm(exact, axis=1)
    lengths[lengths == 0] = np.inf
    cosines = (exact @ exact[centres].T / np.outer(lengths, lengths[centres])).astype(np.float32)
    assert len(cells) == 25
    np.testing.assert_array_equal(nearest, np.argsort(-cosines, axis=1, kind="stable")[:, :3])
