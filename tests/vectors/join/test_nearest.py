from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference import join as oracle
from tests.vectors.join.plans import NUMBERS, kindred, plans
from textkin.base.errors import DataError
from textkin.vectors.join import nearest as module
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.nearest import Searcher

_NUMBERS = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0])


def matrix(rows: int):
    return arrays(np.float32, (rows, 3), elements=_NUMBERS)


@given(
    data=st.data(), depth=st.integers(1, 7), columns=st.integers(1, 9), floor=st.sampled_from([-np.inf, 0, 2])
)
def test_the_nearest_are_those_of_sorting_everything(data, depth: int, columns: int, floor: float) -> None:
    queries, documents = data.draw(matrix(4)), data.draw(matrix(data.draw(st.integers(0, 20))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "columns", columns)
        patch.setattr(module, "ROWS", 3)
        found = Searcher(documents).nearest(queries, depth, floor=np.full(4, floor), workers=2)
    assert found.documents.tolist() == oracle.nearest(queries, documents, depth, floor)
    missing = found.documents < 0
    assert np.array_equal(missing, found.scores == -np.inf)
    exact = np.array(
        [[queries[q] @ documents[d] for d in row] for q, row in enumerate(found.documents)]
        if len(documents)
        else np.zeros(found.scores.shape)
    )
    assert np.array_equal(found.scores[~missing], exact[~missing])


@pytest.mark.parametrize("number", NUMBERS)
def test_every_plan_finds_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = kindred(150)
    plan = plans(vectors)[number]
    monkeypatch.setattr(module, "make_plan", lambda left, right, thresholds: plan)
    monkeypatch.setattr(module, "ROWS", 32)
    monkeypatch.setattr(Plan, "columns", 50)
    found = Searcher(vectors).nearest(vectors[:40], 5)
    assert found.documents.tolist() == oracle.nearest(vectors[:40], vectors, 5, -np.inf)


def test_texts_are_not_found_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS", 8)
    monkeypatch.setattr(Plan, "columns", 12)
    vectors = kindred(40)
    found = Searcher(vectors, cosine=True).nearest(vectors, 39, apart=True)
    for row, (documents, scores) in enumerate(zip(found.documents, found.scores, strict=True)):
        others = [n for n in range(40) if n != row]
        cosines = {n: oracle.cosine(vectors[row], vectors[n]) for n in others}
        assert documents.tolist() == sorted(others, key=lambda n: (-cosines[n], n))
        assert scores.tolist() == [cosines[n] for n in documents.tolist()]


@pytest.mark.slow
def test_the_plan_that_was_the_fastest_finds_the_same() -> None:
    vectors = kindred(4200, dim=48)
    found = Searcher(vectors).nearest(vectors, 10)
    exact = (vectors.astype(np.float64) @ vectors.astype(np.float64).T).astype(np.float32)
    assert np.array_equal(found.documents, np.argsort(-exact, axis=1, kind="stable")[:, :10])


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(DataError) as error:
        Searcher(kindred(5)).nearest(kindred(5)[:, 1:], 3)
    assert error.value.value == (39, 40)
    with pytest.raises(DataError, match="longer than"):
        Searcher(np.full((2, 3), 1e30, dtype=np.float32))


def test_a_plan_is_tried_out_once_when_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = module.make_plan

    def make_plan(left, right, thresholds):
        made.append(len(left))
        return original(left, right, thresholds)

    monkeypatch.setattr(module, "make_plan", make_plan)
    monkeypatch.setattr("textkin.vectors.join.bound_plan._WORTH_A_TRIAL", 1000)
    vectors = kindred(50)
    searcher = Searcher(vectors)
    found = [searcher.nearest(vectors[:count], 3).documents for count in (2, 3, 30, 40, 2)]
    assert made == [2, 30]
    assert all(np.array_equal(found[3][: len(one)], one) for one in found)
