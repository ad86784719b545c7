import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from textkin.base.errors import DataError, UsageError
from textkin.vectors.join.hamming import CodeTable, hamming, smallest


def slow(a, b):
    return [[sum((int(x) ^ int(y)).bit_count() for x, y in zip(p, q, strict=True)) for q in b] for p in a]


@given(data=st.data(), width=st.integers(1, 19))
def test_distances_and_the_nearest_are_those_of_counting_bits(data, width):
    few = st.sampled_from([0, 1, 3, 255])  # so that there are ties
    queries = data.draw(arrays(np.uint8, (data.draw(st.integers(0, 4)), width), elements=few))
    codes = data.draw(arrays(np.uint8, (data.draw(st.integers(1, 12)), width), elements=few))
    depth = data.draw(st.integers(1, 14))
    expected = slow(queries, codes)
    assert hamming(queries, codes).tolist() == expected
    found = CodeTable(codes).nearest(queries, depth)
    orders = [sorted(range(len(codes)), key=lambda one: (row[one], one))[:depth] for row in expected]
    assert found.codes.tolist() == orders
    nearest = [[row[one] for one in order] for row, order in zip(expected, orders, strict=True)]
    assert found.distances.tolist() == nearest


@given(arrays(np.uint16, st.integers(0, 12), elements=st.integers(0, 4)), st.data())
def test_the_smallest_are_those_of_sorting(distances, data):
    depth = data.draw(st.integers(0, len(distances)))
    expected = sorted(range(len(distances)), key=lambda one: (distances[one], one))[:depth]
    assert smallest(distances, depth).tolist() == expected


def test_among_no_codes_none_is_near():
    found = CodeTable(np.zeros((0, 4), np.uint8)).nearest(np.zeros((3, 4), np.uint8), 2)
    assert found.codes.shape == found.distances.shape == (3, 0)


def test_the_longest_codes():
    zeros, ones = np.zeros((1, 2048), dtype=np.uint8), np.full((1, 2048), 255, dtype=np.uint8)
    assert hamming(zeros, ones).tolist() == [[16384]]
    assert hamming(zeros, ones).dtype == np.uint16


@pytest.mark.parametrize(
    "codes", [np.zeros((2, 4)), np.zeros(4, np.uint8), np.zeros((2, 0), np.uint8), np.zeros((2, 4), np.int8)]
)
def test_what_is_no_codes(codes):
    with pytest.raises(DataError) as error:
        CodeTable(codes)
    assert error.value.value == (codes.shape, codes.dtype)
    with pytest.raises(DataError) as error:
        hamming(codes, np.zeros((1, 4), np.uint8))
    assert error.value.value == (codes.shape, codes.dtype)


def test_what_does_not_go_together():
    table = CodeTable(np.zeros((3, 4), np.uint8))
    with pytest.raises(DataError) as error:
        table.distances(np.zeros((3, 8), np.uint8))
    assert error.value.value == (64, 32)
    with pytest.raises(UsageError) as error:
        table.nearest(np.zeros((3, 4), np.uint8), 0)
    assert (error.value.params, error.value.value) == (("depth",), 0)
