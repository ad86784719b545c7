"""Pairs of blocks: for any blocks and order of results, the pairs of one machine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.join import pairs_above as pairs_by_definition
from tests.vectors.on_ray.fake_workers import crew, vectors
from textkin.base.errors import DataError, UsageError
from textkin.vectors.join import all_pairs as one_machine
from textkin.vectors.join import bfloat16
from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.on_ray import blocks


def assert_equal(found, expected):
    assert found.rows.tolist() == expected.rows.tolist()
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert (found.threshold, found.compared) == (expected.threshold, expected.compared)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    count=st.integers(1, 60),
    block=st.integers(9, 70),
    threshold=st.sampled_from([0.3, 0.8, 0.99]),
    seed=st.integers(0, 5),
    two=st.booleans(),
)
def test_the_pairs_of_one_machine_to_the_byte(count, block, threshold, seed, two):
    given_, against = vectors(count, seed=seed), vectors(23, seed=seed + 1) if two else None
    for limit in (None, 7):
        expected = one_machine.pairs_above(given_, threshold, against=against, limit=limit, quiet=True)
        found = blocks.pairs_above(
            crew(block, seed=seed), given_, threshold, against=against, limit=limit, quiet=True
        )
        assert_equal(found, expected)


def test_they_are_the_pairs_by_definition():
    given_ = vectors(40)
    found = blocks.pairs_above(crew(9), given_, 0.5, quiet=True)
    assert list(zip(found.rows, found.columns, strict=True)) == [
        (row, column) for _, row, column in pairs_by_definition(given_, 0.5)
    ]


def test_only_wanted_pairs_count_and_they_are_chosen_here():
    given_ = vectors(50)
    best = one_machine.pairs_above(given_, 0.2, limit=60, quiet=True)
    refused = {(int(row), int(column)) for row, column in zip(best.rows, best.columns, strict=True)}

    def others(rows, columns):
        return np.array(
            [pair not in refused for pair in zip(rows.tolist(), columns.tolist(), strict=True)], bool
        )

    for limit in (None, 5):
        expected = one_machine.pairs_above(given_, 0.2, wanted=others, limit=limit, quiet=True)
        assert len(expected)
        found = blocks.pairs_above(crew(25), given_, 0.2, wanted=others, limit=limit, quiet=True)
        assert_equal(found, expected)


def test_a_worker_that_finds_too_much_is_asked_for_fewer_rows(monkeypatch):
    given_ = vectors(30)
    expected = one_machine.pairs_above(given_, -1, quiet=True)
    monkeypatch.setattr(blocks, "MOST_FOUND", 10)
    some = crew(15)
    assert_equal(blocks.pairs_above(some, given_, -1, quiet=True), expected)
    assert some.workers.begun > 30
    several = crew(15)
    limited = one_machine.pairs_above(given_, -1, limit=100, quiet=True)
    assert_equal(blocks.pairs_above(several, given_, -1, limit=100, quiet=True), limited)


def test_no_worker_gets_more_than_its_blocks():
    """With twice as many rows, the size of the largest piece doesn't change."""
    largest = []
    for count in (200, 400):
        some = crew(50)
        blocks.pairs_above(some, vectors(count), 0.95, quiet=True)
        largest.append(max(some.workers.sizes))
    assert largest[1] < 1.1 * largest[0]


def test_a_stopped_call_goes_on_where_it_was(tmp_path, monkeypatch):
    given_ = vectors(60)
    expected = one_machine.pairs_above(given_, 0.5, quiet=True)

    class Stopping(type(crew(1).workers)):
        def result(self, handle):
            if self.begun > 14:
                raise KeyboardInterrupt
            return super().result(handle)

    with pytest.raises(KeyboardInterrupt):
        blocks.pairs_above(blocks.Crew(Stopping(slots=1), 10), given_, 0.5, journal=tmp_path, quiet=True)
    done = len(list((tmp_path / "blocks").glob("*.pairs")))
    assert 0 < done < 21
    again = crew(10)
    assert_equal(blocks.pairs_above(again, given_, 0.5, journal=tmp_path, quiet=True), expected)
    assert again.workers.begun == 21 - done
    with pytest.raises(UsageError) as error:
        blocks.pairs_above(crew(11), given_, 0.5, journal=tmp_path, quiet=True)
    assert error.value.params == ("out",)


def test_what_one_machine_refuses_is_refused():
    with pytest.raises(UsageError) as error:
        blocks.pairs_above(crew(5), vectors(5), 2, quiet=True)
    assert (error.value.params, error.value.value) == (("threshold",), 2)
    with pytest.raises(UsageError) as error:
        blocks.pairs_above(crew(5), vectors(5), 0.5, limit=0, quiet=True)
    assert (error.value.params, error.value.value) == (("limit",), 0)
    with pytest.raises(DataError) as error:
        blocks.pairs_above(crew(5), vectors(5), 0.5, against=vectors(5, dim=3), quiet=True)
    assert error.value.value == (16, 3)
    broken = vectors(5)
    broken[3, 0] = np.nan
    with pytest.raises(DataError) as error:
        blocks.pairs_above(crew(2), broken, 0.5, quiet=True)
    assert error.value.value == 3


@pytest.mark.parametrize("there", [True, False])
def test_rounded_rows_find_the_same_where_they_cannot_be_multiplied(monkeypatch, there):
    """A machine without torch, or one that sums in bfloat16, multiplies them in single precision."""
    given_ = vectors(300, dim=24)
    expected = one_machine.pairs_above(given_, 0.8, quiet=True)
    monkeypatch.setattr(one_machine, "make_plan", lambda left, right, thresholds: Plan(24, True, None))
    monkeypatch.setattr(bfloat16, "load", lambda: there)
    monkeypatch.setattr(blocks, "sound_in_bf16", lambda left, right: False)
    blocks._multiplies_halves.cache_clear()
    try:
        assert_equal(blocks.pairs_above(crew(70), given_, 0.8, quiet=True), expected)
    finally:
        blocks._multiplies_halves.cache_clear()


def test_nothing_is_looked_for_where_equal_vectors_are_enough():
    """Once enough pairs score 1, later rows can't bring better ones."""
    given_ = np.ones((40, 4), dtype=np.float32)
    expected = one_machine.pairs_above(given_, 0.5, limit=1, quiet=True)
    assert_equal(blocks.pairs_above(crew(4, slots=1), given_, 0.5, limit=1, quiet=True), expected)


def test_blocks_are_neither_few_nor_too_many():
    by_number = blocks.Crew(crew(1).workers)
    sizes = [by_number.size(rows) for rows in (10, 500_000, 10**6, 10**7, 10**8)]
    assert sizes == [8_192, 8_192, 15_625, 16_384, 100_000]
    assert crew(50).size(10**8) == 50
