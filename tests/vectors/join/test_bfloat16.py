from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.vectors.join.plans import kindred
from textkin.base.cpu import features
from textkin.vectors.join import all_pairs as pairs
from textkin.vectors.join import bfloat16
from textkin.vectors.join import bound_plan as plan
from textkin.vectors.join.bfloat16 import computed, multiply, rounded, widened, worth_loading


def test_numbers_are_rounded_to_the_nearest_of_eight_bits_of_equals_to_the_even_one() -> None:
    near = np.array([1 + 2.0**-9, 1 + 2.0**-8, 1 + 3 * 2.0**-8, -(1 + 2.0**-8 + 2.0**-20)], dtype=np.float32)
    assert widened(rounded(near)).tolist() == [1.0, 1.0, 1 + 2.0**-6, -(1 + 2.0**-7)]
    values = np.random.default_rng(0).standard_normal((50, 7)).astype(np.float32) * np.float32(1e12)
    assert np.all(np.abs(widened(rounded(values)) - values) <= 2.0**-8 * np.abs(values))


@pytest.mark.torch
def test_numbers_are_rounded_as_torch_rounds_them() -> None:
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(0).standard_normal(10_000).astype(np.float32)
    values[:3] = 0, -0.0, 1e-40
    theirs = torch.from_numpy(values).bfloat16().view(torch.int16).numpy()
    np.testing.assert_array_equal(rounded(values), theirs)


@pytest.mark.torch
@pytest.mark.parametrize("shape", [(20, 30), (64, 128), (64, 1), (65, 64), (0, 5)])
def test_products_are_those_of_the_rounded_numbers(shape: tuple[int, int]) -> None:
    pytest.importorskip("torch", reason="torch makes products in bfloat16")
    left, right = rounded(kindred(70)[: shape[0]]), rounded(kindred(130, seed=1)[: shape[1]])
    found = np.full(shape, -1, dtype=np.int16)
    multiply(left, right, found)
    exact = widened(left).astype(float) @ widened(right).T.astype(float)
    np.testing.assert_allclose(widened(found), exact, rtol=2.0**-7, atol=0.05)


@pytest.mark.torch
def test_ragged_edges_have_few_shapes(monkeypatch) -> None:
    torch = pytest.importorskip("torch", reason="torch makes products in bfloat16")
    shapes, mm = set(), torch.mm

    def seen(one, other, out):
        shapes.add(tuple(out.shape))
        return mm(one, other, out=out)

    monkeypatch.setattr(torch, "mm", seen)
    rows = rounded(kindred(130))
    for count in range(1, 130):
        multiply(rows[:count], rows[: 130 - count], np.empty((count, 130 - count), dtype=np.int16))
    assert len(shapes) == 5, shapes


def test_torch_is_loaded_only_where_that_pays(monkeypatch) -> None:
    monkeypatch.setattr(bfloat16, "there", lambda: True)
    monkeypatch.setattr(bfloat16, "computed", lambda: True)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert worth_loading(60.0) and not worth_loading(1.0)
    monkeypatch.setattr(bfloat16, "computed", lambda: False)
    assert not worth_loading(60.0)
    monkeypatch.setitem(sys.modules, "torch", sys)  # loaded: it costs nothing more
    assert worth_loading(0.0)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    assert not worth_loading(60.0)


def test_a_broken_torch_is_as_none(monkeypatch) -> None:
    monkeypatch.setattr(plan, "_WORTH_A_TRIAL", 100)
    vectors = kindred(300)
    expected = pairs.pairs_above(vectors, 0.6, quiet=True)
    monkeypatch.setattr(bfloat16, "worth_loading", lambda seconds: True)
    monkeypatch.setattr(bfloat16, "load", lambda: False)
    found = pairs.pairs_above(vectors, 0.6, quiet=True)
    np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.torch
def test_instructions_are_those_that_torch_sees() -> None:
    pytest.importorskip("torch", reason="torch is asked too")
    assert computed() == bool({"avx512_bf16", "amx_bf16", "avx_ne_convert", "bf16"} & set(features()))


def test_the_same_pairs_are_found_without_torch(monkeypatch) -> None:
    monkeypatch.setattr(plan, "_WORTH_A_TRIAL", 100)
    vectors = kindred(700)
    with_it = pairs.pairs_above(vectors, 0.6, quiet=True)
    monkeypatch.setitem(sys.modules, "torch", None)
    without = pairs.pairs_above(vectors, 0.6, quiet=True)
    assert len(without) > 100
    for name in ("rows", "columns", "scores"):
        np.testing.assert_array_equal(getattr(without, name), getattr(with_it, name))
