import importlib.util
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import distilled as oracle
from textkin.base.errors import UsageError
from textkin.text.distilled import fit_to_texts, principal_components, sif_weights, zipf

pytestmark = pytest.mark.torch


def vectors(rows: int = 40, width: int = 7, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(rows, width)) * np.arange(1, width + 1) + 3
    return drawn.astype(np.float32)


@given(st.integers(0, 50), st.integers(1, 6))
def test_components_equal_a_singular_value_decomposition(seed, dim):
    data = vectors(seed=seed)
    found = principal_components(data, dim)
    np.testing.assert_allclose(found.of(data), oracle.components(data.astype(float), dim), atol=2e-4)
    np.testing.assert_allclose(found.axes.T @ found.axes, np.eye(dim), atol=1e-5)


def test_components_and_weights_equal_those_of_model2vec():
    theirs = model2vec_inference()
    data = vectors(60, 9)
    np.testing.assert_allclose(principal_components(data, 4).of(data), theirs.apply_pca(data, 4), atol=1e-4)
    np.testing.assert_allclose(sif_weights(zipf(60), 1e-3), theirs.compute_weights(60, 1e-3), rtol=1e-6)


def model2vec_inference():
    """The module alone: its package requires a library that only its tokenizers need."""
    place = Path(importlib.util.find_spec("model2vec").origin).parent / "distill" / "inference.py"
    spec = importlib.util.spec_from_file_location("model2vec_inference", place)
    module = importlib.util.module_from_spec(spec)
    assert isinstance(module, types.ModuleType) and spec.loader is not None
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dim", [0, 8])
def test_there_are_not_more_components_than_dimensions(dim):
    with pytest.raises(UsageError) as error:
        principal_components(vectors(), dim)
    assert error.value.params == ("dim",)


def test_weights():
    assert (sif_weights(zipf(5), np.inf) == 1).all()
    found = sif_weights(np.array([6.0, 3.0, 1.0]), 0.1)
    np.testing.assert_allclose(found, [0.1 / 0.7, 0.1 / 0.4, 0.1 / 0.2])
    with pytest.raises(UsageError) as error:
        sif_weights(zipf(5), 0)
    assert (error.value.params, error.value.value) == (("sif",), 0)


@pytest.mark.parametrize("strength", [0.3, 5])
def test_the_fit_equals_a_dense_solution(strength):
    random = np.random.default_rng(1)
    table, targets = vectors(20, 5, 2), vectors(50, 5, 3)
    ids = [random.integers(0, 18, size=size).astype(np.int32) for size in random.integers(1, 9, size=50)]
    ids[7] = ids[7][:0]
    found = fit_to_texts(table, ids, targets, strength=strength, rounds=2, steps=60)
    wanted = oracle.fit(table, ids, targets, strength=strength, rounds=2)
    np.testing.assert_allclose(found, wanted, atol=2e-3)
    np.testing.assert_allclose(found[18:], table[18:], rtol=1e-5)  # in no text

    def cosine(rows: np.ndarray) -> float:
        sums = np.stack([rows[row].sum(axis=0) for row in ids if len(row)])
        aims = targets[[len(row) > 0 for row in ids]]
        return float(
            np.mean(np.vecdot(sums, aims) / np.linalg.norm(sums, axis=1) / np.linalg.norm(aims, axis=1))
        )

    assert cosine(found) > cosine(table) + 0.01
