from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tests.collection.phrases.drawn import clustered
from textkin.base.errors import DataError
from textkin.collection.phrases import exact_search as short_rows
from textkin.collection.phrases.exact_search import (
    DenseSearch,
    ShortRows,
    SparseSearch,
    best_of,
    searchable_rows,
    write_short_rows,
)
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.prepared_rows import by_product
from textkin.vectors.join.score_bounds import rotation_for


def by_loops(rows, questions, depth, metric):
    """Numbers of the best rows for each question; ties go to the first."""
    found = []
    for question in questions.astype(float):
        if metric == "ip":
            scores = [np.float32(float(row @ question)) for row in rows.astype(float)]
        else:
            scores = [np.float32(-np.sqrt(np.sum((row - question) ** 2))) for row in rows.astype(float)]
        found.append(sorted(range(len(rows)), key=lambda place: (-scores[place], place))[:depth])
    return found


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_dense_search_is_what_loops_give(metric):
    rows, questions = clustered(500, 24), clustered(9, 24, seed=1)
    rows[100:110] = rows[5]
    found = DenseSearch(searchable_rows(rows, metric), metric=metric, short=None).nearest(questions, 12)
    assert found.documents.tolist() == by_loops(rows, questions, 12, metric)
    with_itself = DenseSearch(searchable_rows(rows, metric), metric=metric, short=None)
    if metric == "l2":
        assert with_itself.nearest(rows[5:6], 3).documents.tolist() == [[5, 100, 101]]
        assert with_itself.nearest(rows[5:6], 3).scores.tolist() == [[0, 0, 0]]


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_short_rows_change_nothing(tmp_path, metric):
    rows = searchable_rows(clustered(40_000, 96), metric)
    questions = clustered(20, 96, seed=1)
    asked = questions if metric == "ip" else np.column_stack((questions, np.ones((20, 2), "f4")))
    about = write_short_rows(tmp_path, rows, np.repeat(asked, 26, axis=0)[:512])
    assert about.width <= rows.shape[1]
    short = ShortRows(tmp_path, about, rows=len(rows), dim=rows.shape[1])
    quick = DenseSearch(rows, metric=metric, short=short)
    plain = DenseSearch(rows, metric=metric, short=None)
    for count in (1, 20):
        found, expected = quick.nearest(questions[:count], 10), plain.nearest(questions[:count], 10)
        np.testing.assert_array_equal(found.documents, expected.documents)
        np.testing.assert_array_equal(found.scores, expected.scores)
    whole = rows[:, :96].astype(float)
    if metric == "ip":
        scores = (whole @ questions[0].astype(float)).astype(np.float32)
    else:
        scores = -np.linalg.norm(whole - questions[0].astype(float), axis=1).astype(np.float32)
    assert found.documents[0].tolist() == np.lexsort((np.arange(len(rows)), -scores))[:10].tolist()


@given(
    st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=20),
    st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=12),
)
def test_sparse_search_is_what_loops_give(rows, questions):
    rows, questions = np.array(rows, "f4"), np.array(questions, "f4")
    found = SparseSearch(csr_array(rows)).nearest(csr_array(questions), 5)
    for numbers, scores, question in zip(found.documents, found.scores, questions, strict=True):
        [expected] = by_loops(rows, question[None], len(rows), "ip")
        expected = [number for number in expected if rows[number] @ question != 0][:5]
        assert numbers.tolist() == expected + [-1] * (5 - len(expected))
        assert scores[: len(expected)].tolist() == [rows[number] @ question for number in expected]


def test_candidates_are_scored_once_each_and_nothing_else_is_found():
    rows, question = clustered(50, 8), clustered(1, 8, seed=2)
    found = best_of(rows, np.array([[3, -1, 7, 3, 9]]), question, 5, metric="ip")
    assert sorted(found.documents[0].tolist()) == [-1, -1, 3, 7, 9]
    assert found.scores[0, 3:].tolist() == [-np.inf, -np.inf]


def test_more_is_asked_for_than_there_is():
    rows = clustered(3, 8)
    found = DenseSearch(rows, metric="ip", short=None).nearest(rows[:1], 5)
    assert sorted(found.documents[0].tolist()) == [-1, -1, 0, 1, 2]


@pytest.mark.torch
@pytest.mark.parametrize("bf16", [False, True])
@pytest.mark.parametrize("width", [17, 256])
def test_any_plan_is_kept_and_exact(tmp_path, monkeypatch, width, bf16):
    # Nearly all of each row is in its first 8 directions.
    rng = np.random.default_rng(0)
    turned = np.linalg.qr(rng.standard_normal((256, 256)))[0]
    strength = np.where(np.arange(256) < 8, 1, 1e-3)
    rows = (rng.standard_normal((1 << 15, 256)) * strength @ turned).astype(np.float32)
    rotation = rotation_for([by_product(rows)]) if width < 256 else None
    monkeypatch.setattr(short_rows, "make_plan", lambda *_: Plan(width, bf16, rotation))
    about = write_short_rows(tmp_path, rows, rows[:512])
    assert (about.width, about.bf16) == (width, bf16)
    found = ShortRows(tmp_path, about, rows=len(rows), dim=256).searcher(rows, slice(100, 20_000))
    best = found.nearest(rows[:3], 5).documents + 100
    scores = rows[:3].astype(float) @ rows[100:20_000].astype(float).T
    assert best.tolist() == (np.argsort(-scores, axis=1)[:, :5] + 100).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["short.npy", "bounds.npy"])
def test_files_that_were_cut_off(tmp_path, name):
    rows = clustered(1 << 15, 32)
    about = write_short_rows(tmp_path, rows, rows[:512])
    np.save(tmp_path / name, np.load(tmp_path / name)[:-1])
    with pytest.raises(DataError, match=name):
        ShortRows(tmp_path, about, rows=len(rows), dim=32)
