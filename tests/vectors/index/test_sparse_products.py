from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import csr_array

from textkin.vectors.index import corpus_ranking as products
from textkin.vectors.index.corpus_ranking import ProductIndex


def matrix(rows: int, columns: int):
    return arrays(np.float32, (rows, columns), elements=st.sampled_from([-1.5, 0.0, 0.1, 1.0, 3.7]))


def oracle(
    query: NDArray[np.float32], documents: NDArray[np.float32], depth: int, without: int
) -> list[tuple[int, float]]:
    """Number by number in single precision; ties go to the first document; zeros are not found."""
    scored, known = [], np.flatnonzero(query)
    for number, document in enumerate(documents):
        total = np.float32(0)
        for place in known:
            total = np.float32(total + np.float32(query[place] * document[place]))
        if total != 0 and number != without:
            scored.append((number, float(total)))
    return sorted(scored, key=lambda one: (-one[1], one[0]))[:depth]


def found_by(
    way: str, queries: csr_array, documents: csr_array, depth: int, without: NDArray[np.int64]
) -> list[list[tuple[int, float]]]:
    index = ProductIndex(documents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProductIndex, "_loops_pay", lambda self: way != "scipy")
        patch.setattr(products, "_WHOLE_FROM", {"whole": 0.0, "scattered": 2.0}.get(way, 0.25))
        blocks = list(index.best(queries, depth, without))
    rows = [row for block in blocks if block is not None for row in block]
    return [list(zip(row.tolist(), scores.tolist(), strict=True)) for row, scores in rows]


@pytest.mark.slow
@given(data=st.data(), depth=st.integers(1, 12))
@settings(deadline=None)
def test_both_ways_give_what_sorting_all_sums_gives(data: st.DataObject, depth: int) -> None:
    columns, count = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 40))
    documents, queries = data.draw(matrix(count, columns)), data.draw(matrix(3, columns))
    without = np.array([-1, 0, count - 1])
    expected = [
        oracle(query, documents, depth, int(left)) for query, left in zip(queries, without, strict=True)
    ]
    for way in ("scipy", "loops", "whole", "scattered"):
        assert found_by(way, csr_array(queries), csr_array(documents), depth, without) == expected, way


@pytest.mark.parametrize("depth", [1, 3, 10, 400, 2999, 5000])
@pytest.mark.parametrize("kind", ["distinct", "few values", "one outlier", "signs"])
def test_many_documents_in_buckets(depth: int, kind: str) -> None:
    """Enough documents for blocks, buckets, and buckets too full for insertion sort."""
    random = np.random.default_rng(len(kind))
    dense = random.random((3000, 40), dtype=np.float32)
    dense[random.random(dense.shape) < np.linspace(0.05, 0.99, 40)] = 0
    if kind == "few values":
        dense = np.ceil(dense)
    if kind == "one outlier":
        dense[17] *= 1e20
    if kind == "signs":
        dense -= np.where(dense, np.float32(0.5), np.float32(0))
    queries = np.zeros((70, 40), dtype=np.float32)
    for row in queries:
        chosen = random.integers(0, 40, size=random.integers(0, 6))
        row[chosen] = random.integers(1, 3, size=len(chosen))
    without = random.integers(-1, 3000, size=70)
    asked = csr_array(queries), csr_array(dense), depth, without
    slow, fast, scattered = (found_by(way, *asked) for way in ("scipy", "loops", "scattered"))
    assert fast == scattered == slow
    sums = oracle(queries[7], dense, depth, int(without[7]))
    assert fast[7] == sums


def test_numbers_that_are_not_finite_are_told() -> None:
    documents = csr_array(np.array([[1.0, 2.0], [np.inf, 1.0]], dtype=np.float32))
    for number in (1.0, -1.0):
        queries = csr_array(np.array([[number, 0.0]], dtype=np.float32))
        for pays in (True, False):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(ProductIndex, "_loops_pay", lambda self, pays=pays: pays)
                assert list(ProductIndex(documents).best(queries, 1, np.array([-1]))) == [None]


def test_loops_are_loaded_once_they_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_LOADED_IN", 5)
    monkeypatch.setattr(products, "_LOADED_WITH_COMPILER_IN", 5)
    monkeypatch.delitem(sys.modules, "textkin.vectors.index.product_loops")
    row = csr_array(np.ones((1, 3), dtype=np.float32))
    index = ProductIndex(row)
    assert next(iter(index.best(row, 1, np.array([-1])))) is not None
    assert "textkin.vectors.index.product_loops" not in sys.modules
    assert next(iter(index.best(row, 1, np.array([-1])))) is not None
    assert "textkin.vectors.index.product_loops" in sys.modules


def test_double_precision_stays() -> None:
    row = csr_array(np.array([[0.1]]))
    (block,) = ProductIndex(row).best(row, 1, np.array([-1]))
    assert block is not None
    assert block[0][1].tolist() == [0.1 * 0.1]
