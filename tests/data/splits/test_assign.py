"""Units to sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.data.splits.assign import assign, miss

SHARES = (0.8, 0.1, 0.1)


@st.composite
def units(draw):
    """Units of one to five pairs of two strata, without links between them."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=3, max_size=60))
    unit = np.repeat(np.arange(len(sizes)), sizes)
    strata = np.array(draw(st.lists(st.integers(0, 1), min_size=len(unit), max_size=len(unit))))
    return unit, strata, draw(st.permutations(range(len(sizes))))


@settings(deadline=None)
@given(units())
def test_every_unit_has_a_side_and_no_side_is_empty(given_units):
    unit, strata, hashes = given_units
    sides = assign(unit, unit, strata, shares=SHARES, hashes=hashes)
    assert len(sides) == len(hashes)
    assert set(sides.tolist()) == {0, 1, 2}


def test_many_equal_units_hit_the_shares():
    unit = np.arange(1000)
    strata = unit % 2
    sides = assign(unit, unit, strata, shares=SHARES, hashes=unit.tolist())
    assert np.bincount(sides).tolist() == [800, 100, 100]
    for stratum in (0, 1):
        assert np.bincount(sides[strata == stratum]).tolist() == [400, 50, 50]
    assert miss(sides, sides, strata, SHARES) == 0


def test_the_hash_and_not_the_number_of_a_unit_decides():
    unit = np.arange(40)
    strata = np.zeros(40, dtype=np.int64)
    hashes = np.random.default_rng(0).permutation(40)
    sides = assign(unit, unit, strata, shares=SHARES, hashes=hashes.tolist())
    order = np.random.default_rng(1).permutation(40)
    moved = assign(order, order, strata, shares=SHARES, hashes=hashes.tolist())
    assert moved.tolist() == sides.tolist()
    assert sides[np.argsort(hashes)].tolist() != sorted(sides.tolist())


def test_a_heavy_unit_does_not_rule_a_small_side():
    # One unit of 60 of 100 pairs: only the first side can bear it.
    unit = np.concatenate([np.zeros(60, dtype=np.int64), np.arange(1, 41)])
    strata = np.zeros(100, dtype=np.int64)
    sides = assign(unit, unit, strata, shares=SHARES, hashes=list(range(41)))
    assert sides[0] == 0


def test_a_pair_across_two_units_counts_when_both_are_on_one_side():
    sides = np.array([0, 0, 1])
    a, b = np.array([0, 1, 2]), np.array([1, 1, 0])
    assert miss(sides[a], sides[b], np.zeros(3, dtype=np.int64), (1.0, 0.0)) == 0
    assert miss(sides[a], sides[b], np.zeros(3, dtype=np.int64), (0.0, 1.0)) == pytest.approx(2 / 40)


def test_links_draw_units_to_one_side():
    # Twenty couples of units, each with its own pairs and four across: nearly all stay together.
    own = np.arange(40)
    first, second = np.repeat(np.arange(0, 40, 2), 4), np.repeat(np.arange(1, 40, 2), 4)
    a, b = np.concatenate([own, first]), np.concatenate([own, second])
    sides = assign(a, b, np.zeros(len(a), dtype=np.int64), shares=(0.5, 0.5), hashes=list(range(40)))
    assert (sides[0::2] == sides[1::2]).mean() > 0.8


def test_fewer_units_than_sides_can_not_be_split():
    unit = np.array([0, 0, 1])
    assert assign(unit, unit, np.zeros(3, dtype=np.int64), shares=SHARES, hashes=[5, 6]) is None
