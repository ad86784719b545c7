import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.networks.batches.samplers import (
    CandidateSampler,
    ComponentSampler,
    LengthSampler,
    ShuffledSampler,
    epoch_generator,
)

SIZES = st.integers(1, 9)
NUMBERS = st.lists(st.integers(0, 12), max_size=60).map(lambda values: np.array(values, dtype=np.int64))


def make_all(values, size, seed=3):
    return [
        ShuffledSampler(len(values), batch_size=size, seed=seed),
        LengthSampler(values, batch_size=size, seed=seed, batches_per_bucket=2),
        LengthSampler(values % 3, batch_size=size, seed=seed, batches_per_bucket=2, groups=values),
        ComponentSampler(values, batch_size=size, seed=seed),
        CandidateSampler(values, max_candidates=size, seed=seed),
    ]


def lists(sampler, epoch):
    return [batch.tolist() for batch in sampler.batches(epoch)]


@given(NUMBERS, SIZES, st.integers(0, 3))
def test_every_row_comes_once_and_no_batch_is_empty(values, size, epoch):
    for sampler in make_all(values, size):
        batches = lists(sampler, epoch)
        assert sorted(row for batch in batches for row in batch) == list(range(len(values)))
        assert all(batches)
        if not isinstance(sampler, CandidateSampler):
            assert all(len(batch) <= size for batch in batches)


@given(NUMBERS, SIZES)
def test_an_epoch_needs_nothing_but_its_number(values, size):
    for sampler, twin in zip(make_all(values, size), make_all(values, size), strict=True):
        first = [lists(sampler, epoch) for epoch in range(3)]
        assert lists(twin, 2) == first[2]
        assert lists(twin, 0) == first[0]


def test_epochs_and_seeds_differ():
    values = np.arange(40) % 13
    for sampler, other in zip(make_all(values, 8), make_all(values, 8, seed=4), strict=True):
        orders = [lists(sampler, 0), lists(sampler, 1), lists(other, 0)]
        assert orders[0] != orders[1] != orders[2] != orders[0]


def test_samplers_leave_the_global_random_state_alone():
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    for sampler in make_all(np.arange(20), 4):
        lists(sampler, 0)
    assert np.array_equal(before, np.random.get_state()[1])


def test_data_smaller_than_a_batch_make_one_batch():
    values = np.arange(5)
    for sampler in [
        *make_all(values, 256),
        ShuffledSampler(5, batch_size=256, seed=0, drop_last=True),
    ]:
        (batch,) = lists(sampler, 0)
        assert sorted(batch) == [0, 1, 2, 3, 4]


def test_drop_last_adds_unknown_other_rows_each_epoch():
    sampler = ShuffledSampler(10, batch_size=4, seed=0, drop_last=True)
    dropped = []
    for epoch in range(4):
        batches = lists(sampler, epoch)
        assert [len(batch) for batch in batches] == [4, 4]
        dropped.append(set(range(10)) - {row for batch in batches for row in batch})
    assert len(set(map(frozenset, dropped))) > 1
    assert [len(batch) for batch in lists(ShuffledSampler(8, batch_size=4, seed=0, drop_last=True), 0)] == [
        4,
        4,
    ]


def test_length_buckets_save_padding():
    lengths = np.random.default_rng(0).integers(1, 200, size=1000)

    def padding(sampler):
        return sum(int(lengths[b].max() * len(b) - lengths[b].sum()) for b in sampler.batches(0))

    shuffled = padding(ShuffledSampler(1000, batch_size=20, seed=0))
    assert padding(LengthSampler(lengths, batch_size=20, seed=0)) < shuffled / 20
    small_buckets = LengthSampler(lengths, batch_size=20, seed=0, batches_per_bucket=5)
    assert padding(small_buckets) < shuffled / 3
    means = [lengths[batch].mean() for batch in LengthSampler(lengths, batch_size=20, seed=0).batches(0)]
    assert abs(np.corrcoef(means, np.arange(len(means)))[0, 1]) < 0.5  # not from short to long


def test_rows_of_a_group_share_a_batch_unless_its_end_parts_them():
    groups = np.random.default_rng(0).permutation(np.repeat(np.arange(200), 5))
    sampler = LengthSampler(groups % 17, batch_size=20, seed=0, groups=groups)
    batches = list(sampler.batches(0))
    met = np.array([len(set(groups[batch].tolist())) for batch in batches])
    assert met.mean() < 5.5 and met.min() >= 4
    assert [batch.tolist() for batch in sampler.batches(1)] != [batch.tolist() for batch in batches]


@given(NUMBERS, SIZES, st.integers(0, 3))
def test_no_component_is_twice_in_a_batch_and_batches_are_even(components, size, epoch):
    batches = list(ComponentSampler(components, batch_size=size, seed=1).batches(epoch))
    for batch in batches:
        assert len(set(components[batch].tolist())) == len(batch)
    sizes = [len(batch) for batch in batches]
    assert not sizes or max(sizes) - min(sizes) <= 1
    largest = int(np.bincount(components).max(initial=0)) if len(components) else 0
    assert len(batches) == max(-(-len(components) // size), largest)


def test_components_may_be_any_numbers():
    components = np.array([-7, 10**12, -7, 5])
    for batch in ComponentSampler(components, batch_size=4, seed=0).batches(0):
        assert len(set(components[batch].tolist())) == len(batch)


@given(NUMBERS, SIZES, st.integers(0, 3))
def test_candidates_fill_a_batch_but_never_overflow_it(counts, limit, epoch):
    batches = list(CandidateSampler(counts, max_candidates=limit, seed=1).batches(epoch))
    totals = [int(counts[batch].sum()) for batch in batches]
    assert all(total <= limit or len(batch) == 1 for total, batch in zip(totals, batches, strict=True))
    for batch, total in zip(batches[1:], totals, strict=False):
        assert total + counts[batch[0]] > limit


@pytest.mark.parametrize(
    "make",
    [
        lambda: ShuffledSampler(3, batch_size=0, seed=0),
        lambda: LengthSampler(np.arange(3), batch_size=0, seed=0),
        lambda: LengthSampler(np.arange(3), batch_size=1, seed=0, batches_per_bucket=0),
        lambda: ComponentSampler(np.arange(3), batch_size=-1, seed=0),
        lambda: CandidateSampler(np.arange(3), max_candidates=0, seed=0),
        lambda: next(ShuffledSampler(3, batch_size=1, seed=-1).batches(0)),
        lambda: next(ShuffledSampler(3, batch_size=1, seed=0).batches(-1)),
    ],
)
def test_sizes_seeds_and_epochs_are_checked(make):
    with pytest.raises(UsageError, match="expected"):
        make()


def test_purposes_draw_independently():
    draws = [epoch_generator(1, 2, purpose=name).random() for name in ("one", "two", "one")]
    assert draws[0] == draws[2] != draws[1]
