import numpy as np
import pytest

from textkin.networks.nn.dropout_loops import is_kept, keep

pytestmark = pytest.mark.torch  # numba is loaded, as with the loops of the softmax

DROPPED = np.uint32(0.1 * 2**32)


def hashed(index, seed):
    """MurmurHash3's finaliser in integers of any size."""
    x = (index * 0x9E3779B1 % 2**32) ^ seed
    x = (x ^ x >> 16) * 0x85EBCA6B % 2**32
    x = (x ^ x >> 13) * 0xC2B2AE35 % 2**32
    return x ^ x >> 16


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_is_kept_by_the_hash(seed):
    indices = [0, 1, 2, 1_000, 2**31, 2**32 - 1]
    found = [is_kept(np.uint32(index), np.uint32(seed), DROPPED) for index in indices]
    assert found == [hashed(index, seed) >= DROPPED for index in indices]


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
def test_parts_are_those_of_the_whole(dtype):
    whole, parts = np.empty(1_000, dtype), np.empty(1_000, dtype)
    keep(whole, 0, np.uint32(7), DROPPED, dtype(9))
    keep(parts[:300], 0, np.uint32(7), DROPPED, dtype(9))
    keep(parts[300:], 300, np.uint32(7), DROPPED, dtype(9))
    np.testing.assert_array_equal(parts, whole)
    expected = [9 if hashed(index, 7) >= DROPPED else 0 for index in range(1_000)]
    np.testing.assert_array_equal(whole, expected)


def test_drops_its_share_and_neighbours_independently():
    drawn = np.array([_mask(seed) for seed in range(50)])
    share = 0.1
    # Four standard deviations of the share of 500,000 draws, and of the share of pairs that are both dropped.
    assert abs(drawn.mean() - share) < 4 * np.sqrt(share * (1 - share) / drawn.size)
    both = share**2
    for step in (1, 2, 16, 100):
        pairs = (drawn[:, step:] & drawn[:, :-step]).mean()
        assert abs(pairs - both) < 4 * np.sqrt(both / drawn.size) * 1.5
    between = (drawn[1:] & drawn[:-1]).mean()
    assert abs(between - both) < 4 * np.sqrt(both / drawn.size) * 1.5


def _mask(seed):
    out = np.empty(10_000, np.uint16)
    keep(out, 0, np.uint32(seed), DROPPED, np.uint16(1))
    return out == 0
