"""Random hyperplanes against the definition, their theorem, and stored codes."""

from hashlib import shake_128
from statistics import NormalDist

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.stats import kstest

from textkin.base.errors import UsageError
from textkin.vectors.text_codes import codes_of_counts, codes_of_vectors, planes


def slow_entry(name, place, seed):
    drawn = shake_128(f"{seed}:{name}".encode()).digest(2 * place + 2)[-2:]
    return round(NormalDist().inv_cdf((int.from_bytes(drawn, "little") + 0.5) / 65536) * 4096)


def slow_code(row, names, bits, seed):
    sums = [
        sum(float(value) * slow_entry(name, bit, seed) for value, name in zip(row, names, strict=True))
        for bit in range(bits)
    ]
    octets = [
        "".join("1" if one > 0 else "0" for one in sums[start : start + 8]) for start in range(0, bits, 8)
    ]
    return [int(octet, 2) for octet in octets]


def share_of_equal_bits(one, other):
    return 1 - np.unpackbits(one ^ other, axis=1).mean()


def test_codes_are_what_the_definition_says():
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((5, 7), dtype=np.float32)
    expected = [slow_code(row, range(7), 24, 3) for row in vectors]
    assert codes_of_vectors(vectors, bits=24, seed=3).tolist() == expected
    counts, names = rng.integers(0, 3, (5, 4)), ["a", "é", "\ud800", "it is"]
    rows = [slow_code(row[[0, 1, 3]], ["a", "é", "it is"], 16, 0) for row in counts]
    counts[:, 2] = 0  # in no text
    assert codes_of_counts(csc_array(counts), names, bits=16).tolist() == rows


def test_the_planes_stay_the_same_for_ever():
    assert planes(["0", "run"], bits=8, seed=7).tolist() == [
        [-8159, -2963, -1676, -930, 864, 2522, 7950, -3736],
        [2727, -1599, -1822, -4327, 200, -4975, -3152, -2532],
    ]


def test_the_entries_are_normal_numbers():
    entries = planes(map(str, range(50)), bits=1024).ravel() / 4096
    assert kstest(entries, "norm").pvalue > 0.01
    assert kstest(planes(["0"], bits=1024, seed=1).ravel() / 4096, "norm").pvalue > 0.01
    across = np.corrcoef(planes(["x", "y"], bits=8192))[0, 1]
    assert abs(across) < 4 / np.sqrt(8192)


@pytest.mark.parametrize("angle", [0.1, 0.5, 1.0, np.pi / 2, 2.5])
def test_equal_bits_are_as_many_as_the_angle_says(angle):
    rng = np.random.default_rng(5)
    one, aside = rng.standard_normal((2, 40, 24))
    aside -= np.sum(one * aside, axis=1, keepdims=True) * one / np.sum(one**2, axis=1, keepdims=True)
    aside *= np.linalg.norm(one, axis=1, keepdims=True) / np.linalg.norm(aside, axis=1, keepdims=True)
    other = 3 * (np.cos(angle) * one + np.sin(angle) * aside)  # the length doesn't matter
    # Each pair has other planes, so that all bits are independent.
    shares = [
        share_of_equal_bits(
            *(codes_of_vectors(side[row : row + 1], bits=512, seed=row) for side in (one, other))
        )
        for row in range(len(one))
    ]
    expected = 1 - angle / np.pi
    deviation = np.sqrt(expected * (1 - expected) / (512 * len(one)))
    assert abs(np.mean(shares) - expected) < 4 * deviation


@pytest.mark.parametrize(
    ("one", "other"),
    [([1, 1, 0], [0, 1, 1]), ([1, 0, 0], [0, 1, 0]), ([1, 1, 0], [2, 1, 0]), ([3, 1, 0], [1, 2, 2])],
)
def test_shingles_of_short_texts_keep_the_promise_too(one, other):
    one, other = np.array(one), np.array(other)
    angle = np.arccos(one @ other / np.sqrt(one @ one * (other @ other)))
    shares = []
    for seed in range(40):
        codes = codes_of_counts(csc_array(np.stack((one, other))), ["a", "b", "c"], bits=512, seed=seed)
        shares.append(share_of_equal_bits(codes[:1], codes[1:]))
    expected = 1 - angle / np.pi
    assert abs(np.mean(shares) - expected) < 4 * np.sqrt(expected * (1 - expected) / (512 * 40))


def test_short_codes_are_the_beginning_of_long_ones_and_seeds_differ():
    vectors = np.random.default_rng(2).standard_normal((6, 9))
    long = codes_of_vectors(vectors, bits=128, seed=4)
    assert np.array_equal(codes_of_vectors(vectors, bits=40, seed=4), long[:, :5])
    assert 0.3 < share_of_equal_bits(long, codes_of_vectors(vectors, bits=128, seed=5)) < 0.7


def test_a_code_depends_on_its_row_alone(monkeypatch):
    rng = np.random.default_rng(2)
    vectors, counts = rng.standard_normal((30, 9)), rng.integers(0, 4, (30, 50))
    names = [f"s{number}" for number in range(50)]
    codes, of_counts = codes_of_vectors(vectors, bits=64), codes_of_counts(csc_array(counts), names, bits=64)
    monkeypatch.setattr("textkin.vectors.text_codes._ROWS_AT_ONCE", 7)
    monkeypatch.setattr("textkin.vectors.text_codes._FEATURES_AT_ONCE", 7)
    assert np.array_equal(codes_of_vectors(vectors, bits=64), codes)
    assert np.array_equal(codes_of_counts(csc_array(counts), names, bits=64), of_counts)
    mixed = rng.permutation(50)
    again = codes_of_counts(csc_array(counts[3:5][:, mixed]), [names[n] for n in mixed], bits=64)
    assert np.array_equal(again, of_counts[3:5])


def test_lengths_scales_and_zeros():
    vectors = np.array([[1, -2, 3], [1e-20, -2e-20, 3e-20], [1e20, -2e20, 3e20], [0, 0, 0]], dtype=np.float32)
    codes = codes_of_vectors(vectors, bits=256)
    assert np.array_equal(codes[0], codes[1]) and np.array_equal(codes[0], codes[2])
    assert not codes[3].any()
    assert codes_of_vectors(vectors[:0], bits=8).shape == (0, 1)


@pytest.mark.parametrize("bits", [0, -8, 12, 1 << 15])
def test_lengths_that_codes_can_not_have(bits):
    with pytest.raises(UsageError) as error:
        codes_of_vectors(np.ones((1, 2)), bits=bits)
    assert error.value.params == ("bits",)
    with pytest.raises(UsageError) as error:
        codes_of_counts(csc_array(np.ones((1, 1))), ["a"], bits=bits)
    assert error.value.params == ("bits",)
