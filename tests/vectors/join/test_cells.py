from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vectors.join.plans import kindred
from textkin.base.errors import UsageError
from textkin.vectors.join import cells as module
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.cells import pairs_by_cells


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
