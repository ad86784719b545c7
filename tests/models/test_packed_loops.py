"""Loops for few tokens, beside the same in double precision."""

import math

import numpy as np
import pytest

from textkin.models.packed_loops import gelu, normalise, product
from textkin.models.packed_weights import GROUP, PackedTable

OUTPUTS, INPUTS = 3 * GROUP, 2 * GROUP


def table(seed=0):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-127, 128, (OUTPUTS, INPUTS)).astype(np.int8)
    return PackedTable(numbers, rng.uniform(0.001, 0.01, (OUTPUTS, INPUTS // GROUP)).astype(np.float32))


@pytest.mark.parametrize("rows", [0, 1, 2, 9])
def test_a_product_is_that_of_the_unpacked_table(rows):
    rng = np.random.default_rng(rows)
    some = rng.normal(size=(rows, INPUTS)).astype(np.float32)
    bias = rng.normal(size=OUTPUTS).astype(np.float32)
    found = np.full((rows, OUTPUTS), np.nan, dtype=np.float32)
    packed = table()
    product(some, *packed.panels(), bias, found)
    exact = np.tile(bias.astype(np.float64), (rows, 1))
    for place in range(INPUTS):
        weights = packed.numbers[:, place].astype(np.float64) * packed.scales[:, place // GROUP]
        exact += some[:, place, None].astype(np.float64) * weights
    np.testing.assert_allclose(found, exact, atol=2e-5)


def test_rows_are_normalised():
    rng = np.random.default_rng(1)
    rows, scale, shift = (rng.normal(size=shape).astype(np.float32) for shape in ((4, 96), 96, 96))
    rows[3] = 7  # no spread: only epsilon keeps it finite
    centred = rows - rows.mean(axis=1, dtype=np.float64, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    normalise(rows, scale, shift, np.float32(1e-12))
    np.testing.assert_allclose(rows[:3], (centred / spread * scale + shift)[:3], atol=2e-6)
    np.testing.assert_array_equal(rows[3], shift)


def test_gelu_is_the_exact_one():
    rows = np.linspace(-14, 14, 4_002, dtype=np.float32).reshape(2, -1)
    expected = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in rows.ravel().tolist()]
    gelu(rows)
    np.testing.assert_allclose(rows.ravel(), expected, atol=1e-6)
