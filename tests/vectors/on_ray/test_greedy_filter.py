"""Rounds: the same rows are kept, and each removed row has the same representative, as on one machine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vectors.on_ray.fake_workers import crew, vectors
from textkin.vectors.join.greedy_filter import survivors as on_one_machine
from textkin.vectors.on_ray import blocks
from textkin.vectors.on_ray.greedy_filter import survivors


def assert_equal(found, expected):
    assert found.home.tolist() == expected.home.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


def apart(rows, columns):
    return (rows * 7 + columns) % 3 != 0


@pytest.mark.slow
@settings(max_examples=15)
@given(
    st.integers(1, 80),
    st.integers(11, 90),
    st.sampled_from([0.2, 0.8, 0.95]),
    st.integers(0, 5),
    st.sampled_from([None, apart]),
)
def test_the_survivors_of_one_machine_to_the_byte(count, block, threshold, seed, wanted):
    given_, order = vectors(count, seed=seed), np.random.default_rng(seed).permutation(count)
    expected = on_one_machine(given_, threshold, order, wanted=wanted)
    found = survivors(crew(block, seed=seed), given_, threshold, order, wanted=wanted)
    assert_equal(found, expected)


def test_of_equals_the_first_in_the_order_stands_for_a_row():
    given_ = np.array([[1, 0], [0.6, 0.8], [0.6, -0.8], [1, 0]], dtype=np.float32)
    order = np.array([2, 1, 0, 3])
    for block in (1, 2, 3, 4):
        found = survivors(crew(block), given_, 0.6, order)
        assert found.home.tolist() == [2, 1, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 5])
def test_where_there_are_too_many_pairs_to_choose_from_fewer_rows_are_asked_for(monkeypatch, most):
    given_, order = vectors(60), np.arange(60)
    expected = on_one_machine(given_, -0.5, order, wanted=apart)
    monkeypatch.setattr(blocks, "MOST_FOUND", most)
    assert_equal(survivors(crew(16), given_, -0.5, order, wanted=apart), expected)


@pytest.mark.slow
def test_a_worker_gets_blocks_only():
    largest = []
    for count in (200, 400):
        some = crew(40)
        survivors(some, vectors(count, groups=count), 0.9, np.arange(count))
        largest.append(max(some.workers.sizes))
    assert largest[1] < 1.1 * largest[0]
