import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from textkin.text.baselines.mean_pooling import _few_sums, _sums, mean_rows, unit_rows
from textkin.text.flat_ids import FlatIds

MATRIX = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)


@given(st.lists(st.lists(st.integers(0, 6), max_size=9), max_size=6))
def test_means_of_named_rows(rows):
    found = mean_rows(FlatIds.of_rows(rows), MATRIX)
    expected = [MATRIX[row].mean(axis=0) if row else np.zeros(5) for row in rows]
    assert (found.shape, found.dtype) == ((len(rows), 5), np.float32)
    np.testing.assert_allclose(found, np.reshape(expected, (-1, 5)), atol=1e-6)


@given(st.lists(st.lists(st.integers(0, 6), max_size=9), max_size=6))
def test_few_rows_are_added_up_bit_for_bit_as_many_are(rows):
    flat = FlatIds.of_rows(rows)
    np.testing.assert_array_equal(_few_sums(flat, MATRIX), _sums(flat, MATRIX))


def test_a_zero_row_has_no_direction():
    units = unit_rows(np.array([[3, 4], [0, 0]], dtype=np.float32))
    np.testing.assert_allclose(units, [[0.6, 0.8], [0, 0]], atol=1e-7)
