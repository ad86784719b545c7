import numpy as np
import pytest
from scipy.stats import binomtest, t

from textkin.measures.intervals.proportions import clustered_share
from textkin.measures.intervals.standard_errors import wilson


def drawn(rng, clusters, size, share, likeness):
    """Pairs of clusters of one size; in some of the clusters, all pairs equal the first one."""
    so = rng.random((clusters, size)) < share
    alike = rng.random(clusters) < likeness
    so[alike] = so[alike, :1]
    return so.ravel(), np.repeat(np.arange(clusters), size)


@pytest.mark.parametrize(("yes", "judged"), [(1, 9), (4, 9), (37, 200)])
def test_single_pairs_have_wilsons_interval(yes, judged):
    expected = binomtest(yes, judged).proportion_ci(method="wilson")
    found = wilson(np.array([yes / judged]), np.array([float(judged)]), 1.959963985)
    assert [float(end[0]) for end in found] == pytest.approx([expected.low, expected.high])


def test_of_few_clusters_little_is_known():
    whole = clustered_share(np.ones(9, dtype=bool), np.arange(9))
    square = t.ppf(0.975, 8) ** 2
    assert (whole.value, whole.high, whole.n) == (1.0, 1.0, 9)
    assert whole.low == pytest.approx(9 / (9 + square))
    assert clustered_share(np.ones(9, dtype=bool), np.arange(9) // 3).low < whole.low
    one = clustered_share(np.array([True, False]), np.array([7, 7]))
    assert (one.value, one.low, one.high, one.n) == (0.5, 0.0, 1.0, 1)
    assert clustered_share(np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)) is None


def test_pairs_that_are_alike_count_as_fewer():
    so = np.arange(40) < 30
    apart, together = clustered_share(so, np.arange(40)), clustered_share(so, np.arange(40) // 5)
    assert apart.value == together.value == 0.75
    assert together.high - together.low > 1.5 * (apart.high - apart.low)
    mixed = clustered_share(so, np.arange(40) % 8)  # clusters that are alike don't make pairs count as more
    [low], [high] = wilson(np.array([0.75]), np.array([40.0]), t.ppf(0.975, 7))
    assert (mixed.low, mixed.high) == pytest.approx((low, high))
    even = clustered_share(np.array([True, False, True, False]), np.array([0, 0, 1, 1]))
    assert 0 <= even.low < even.value == 0.5 < even.high <= 1


@pytest.mark.parametrize("share", [0.6, 0.95, 0.99])
@pytest.mark.parametrize(("clusters", "size", "likeness"), [(15, 1, 0.0), (150, 1, 0.0), (40, 4, 0.5)])
def test_intervals_hold_the_truth_as_often_as_they_say(share, clusters, size, likeness):
    rng = np.random.default_rng(1)
    found = [clustered_share(*drawn(rng, clusters, size, share, likeness)) for _ in range(600)]
    held = np.mean([one.low - 1e-12 <= share <= one.high + 1e-12 for one in found])
    # Of few clusters with a pair that is not so, it can't be seen well how alike pairs of a cluster are.
    assert held >= (0.93 if size == 1 else 0.89)
