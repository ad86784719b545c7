from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference import join as oracle
from textkin.base.errors import DataError
from textkin.vectors.join.prepared_rows import Rows, by_cosine, by_product

_NUMBERS = st.floats(-1000, 1000, width=32).map(np.float32)
_MATRIX = st.integers(0, 6).flatmap(lambda rows: arrays(np.float32, (rows, 3), elements=_NUMBERS))


def score(rows: Rows, one: int, other: int) -> float:
    """The score by its definition."""
    square = rows.squares[one] * rows.squares[other]
    product = oracle.product(rows.values[one], rows.values[other])
    return float(np.float32(product / np.sqrt(square))) if square else 0.0


@given(vectors=_MATRIX)
def test_scores_are_cosines_or_products(vectors) -> None:
    cosines, products = by_cosine(vectors), by_product(vectors)
    assert len(cosines) == len(products) == len(vectors) and cosines.dim == products.dim == 3
    assert products.squares.tolist() == products.scales.tolist() == [1.0] * len(vectors)
    for one in range(len(vectors)):
        for other in range(len(vectors)):
            expected = float(oracle.cosine(vectors[one], vectors[other]))
            assert score(cosines, one, other) == pytest.approx(expected, abs=1e-6)
            expected = float(np.float32(oracle.product(vectors[one], vectors[other])))
            assert score(products, one, other) == pytest.approx(expected, rel=1e-6, abs=1e-30)


@given(vectors=_MATRIX)
def test_sizes_are_never_below_the_lengths_after_scaling(vectors) -> None:
    for rows in (by_cosine(vectors), by_product(vectors)):
        exact = rows.values.astype(np.float64) * rows.scales[:, None]
        lengths = np.sqrt((exact**2).sum(axis=1))
        assert (rows.sizes >= lengths).all()
        assert (rows.sizes <= lengths * (1 + 2e-6)).all()


@pytest.mark.parametrize("power", [-140, -60, -41, -39, 0, 59, 61, 120])
def test_a_power_of_two_changes_no_cosine(power: int) -> None:
    vectors = np.array([[3, 4, 0], [0, 0, 0], [1, 1, 1], [-3, 4, 5]], dtype=np.float32)
    plain, scaled = by_cosine(vectors), by_cosine(np.ldexp(vectors, power))
    assert [score(scaled, 0, other) for other in range(4)] == [score(plain, 0, other) for other in range(4)]
    assert plain.scales[1] == scaled.scales[1] == plain.sizes[1] == scaled.sizes[1] == 0
    lengths = np.sqrt(scaled.squares[[0, 2, 3]])
    assert (lengths < 1e19).all() and (lengths > 1e-13).all()


def test_what_is_no_matrix_of_finite_numbers_is_refused() -> None:
    for vectors in (np.ones(3, dtype=np.float32), np.ones((2, 3), dtype=np.int64)):
        for make in (by_cosine, by_product):
            with pytest.raises(DataError) as error:
                make(vectors)
            assert error.value.value == (vectors.shape, vectors.dtype)
    for wrong in (np.nan, np.inf, 1e300):  # the last one is not a float32
        broken = np.ones((4, 3))
        broken[2, 1] = wrong
        for make in (by_cosine, by_product):
            with pytest.raises(DataError) as error:
                make(broken)
            assert error.value.value == 2


def test_products_of_long_vectors_are_refused() -> None:
    assert len(by_product(np.array([[9.9e17, 0], [0, 1]], dtype=np.float32))) == 2
    with pytest.raises(DataError, match=r"longer than 1e\+18"):
        by_product(np.array([[0, 1], [1.1e18, 0]], dtype=np.float32))


@pytest.mark.parametrize(
    ("count", "phase", "expected"),
    [
        (5, 0.0, [0, 2, 4, 6, 8]),
        (5, 0.5, [1, 3, 5, 7, 9]),
        (3, 0.0, [0, 3, 6]),
        (20, 0.5, list(range(10))),
        (0, 0.0, []),
    ],
)
def test_a_sample_is_evenly_spaced(count: int, phase: float, expected: list[int]) -> None:
    rows = by_cosine(np.arange(1, 11, dtype=np.float32)[:, None])
    assert (rows.spread(count, phase=phase).values[:, 0] - 1).tolist() == expected


def test_parts_keep_what_belongs_to_each_row() -> None:
    vectors = np.array([[3, 4], [6, 8], [5, 12]], dtype=np.float32)
    rows = by_cosine(vectors)
    for part in (slice(1, 3), np.array([2, 0])):
        some = rows[part]
        assert not some.values.flags.writeable
        for name in ("values", "squares", "scales", "sizes"):
            assert getattr(some, name).tolist() == getattr(rows, name)[part].tolist()
    assert rows.arrays[0] is rows.values
