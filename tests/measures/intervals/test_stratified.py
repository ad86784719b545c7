import numpy as np
import pytest
from scipy.stats import binomtest

from textkin.base.errors import DataError
from textkin.measures.intervals.stratified import allocated, stratified_part, stratified_share


def counts(*values):
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(("yes", "judged"), [(0, 9), (4, 9), (9, 9), (37, 200)])
def test_one_large_part_has_the_exact_interval(yes, judged):
    found = stratified_share(counts(yes), counts(judged), counts(10**12))
    expected = binomtest(yes, judged).proportion_ci(method="exact")
    assert (found.value, found.n) == (yes / judged, judged)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_parts_count_by_their_size():
    found = stratified_share(counts(1, 10), counts(10, 10), counts(9000, 1000))
    assert found.value == pytest.approx(0.1 * 0.9 + 1.0 * 0.1)
    assert found.low < found.value < found.high


def test_what_was_judged_whole_is_certain():
    found = stratified_share(counts(3, 0), counts(4, 0), counts(4, 0))
    assert (found.value, found.low, found.high) == (0.75, 0.75, 0.75)


@pytest.mark.parametrize(("judged", "sizes"), [((5, 0), (50, 50)), ((0, 0), (0, 0)), ((), ())])
def test_nothing_is_said_of_what_nobody_judged(judged, sizes):
    assert stratified_share(counts(*(0 for _ in judged)), counts(*judged), counts(*sizes)) is None


@pytest.mark.parametrize(("yes", "judged", "size"), [(3, 2, 9), (1, 3, 2)])
def test_counts_that_can_not_be(yes, judged, size):
    with pytest.raises(DataError, match="samples of"):
        stratified_share(counts(yes), counts(judged), counts(size))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "sizes", "judged"),
    [
        ((0.5, 0.9, 0.99), (4000, 1000, 300), (20, 20, 20)),
        ((0.9, 0.97, 1.0, 1.0), (1000, 500, 250, 60), (40, 40, 40, 40)),
        ((0.98, 1.0, 1.0), (500, 400, 300), (20, 20, 20)),
        ((0.2, 0.8), (30, 30), (20, 10)),
        ((0.02, 0.3, 0.7, 0.95), (100_000, 20_000, 4000, 900), (25, 25, 25, 25)),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(shares, sizes, judged):
    """Samples of known populations: 95 % intervals contain the proportion in at least 95 % of cases."""
    rng = np.random.default_rng(1)
    sizes, judged = counts(*sizes), counts(*judged)
    true = np.rint(np.array(shares) * sizes).astype(np.int64)
    rounds = 3000
    yes = rng.hypergeometric(true, sizes - true, judged, size=(rounds, len(sizes)))
    found = [stratified_share(row, judged, sizes) for row in yes]
    share = true.sum() / sizes.sum()
    held = np.mean([interval.low - 1e-12 <= share <= interval.high + 1e-12 for interval in found])
    assert 0.95 <= held <= 0.999
    assert np.mean([interval.value for interval in found]) == pytest.approx(share, abs=0.01)


def test_the_part_that_is_inside_holds_as_often_as_it_says():
    rng = np.random.default_rng(2)
    sizes, judged = counts(2000, 600, 300), counts(40, 50, 40)
    true = counts(1300, 540, 290)
    inside = np.array([False, True, True])
    yes = rng.hypergeometric(true, sizes - true, judged, size=(1000, 3))
    found = [stratified_part(row, judged, sizes, inside) for row in yes]
    share = true[inside].sum() / true.sum()
    assert 0.95 <= np.mean([one.low <= share <= one.high for one in found]) < 1
    assert np.mean([one.value for one in found]) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(("yes", "expected"), [((2, 3), 0.6), ((0, 3), 1.0), ((2, 0), 0.0), ((0, 0), None)])
def test_a_part_of_what_was_judged_whole_is_certain(yes, expected):
    found = stratified_part(counts(*yes), counts(4, 5), counts(4, 5), np.array([False, True]))
    told = None if found is None else (found.value, found.low, found.high)
    assert told == (None if expected is None else pytest.approx((expected,) * 3))


@pytest.mark.parametrize("size", [1, 3, 10, 77, 500])
def test_allocations_follow_weights_and_fit(size):
    sizes = counts(100, 5, 40)
    found = allocated(sizes, np.array([2.0, 2.0, 1.0]), size)
    assert found.sum() == min(max(size, 3), 145)
    assert (found >= 1).all() and (found <= sizes).all()
    if size == 77:  # the small stratum is complete, and the others get the rest as 2 to 1
        assert found[1] == 5 and found[0] == pytest.approx(2 * found[2], abs=2)
