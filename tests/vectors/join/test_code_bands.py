"""Codes searched by bands."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from textkin.base.errors import DataError, UsageError
from textkin.vectors.join.hamming import (
    NOTHING,
    BandTable,
    CodeTable,
    NearestCodes,
    band_ends,
    chance_at,
    recall_of,
    share_a_band,
)
from textkin.vectors.text_codes import codes_of_vectors


def spelt(code):
    return "".join(f"{byte:08b}" for byte in code)


def slow(codes, query, bands, depth):
    """Numbers and distances of the nearest codes that share a band, by comparing strings of bits."""
    bits = 8 * len(query)
    cuts = [bits * band // bands for band in range(bands + 1)]
    mine, found = spelt(query), []
    for number, code in enumerate(codes):
        other = spelt(code)
        if any(mine[a:b] == other[a:b] for a, b in pairwise(cuts)):
            found.append((sum(x != y for x, y in zip(mine, other, strict=True)), number))
    return sorted(found)[:depth], len(found)


@given(st.data(), st.integers(1, 9))
def test_what_is_found_is_what_comparing_strings_finds(data, width):
    some = st.sampled_from([0, 1, 3, 170, 255])
    codes = data.draw(arrays(np.uint8, (data.draw(st.integers(1, 12)), width), elements=some))
    queries = data.draw(arrays(np.uint8, (data.draw(st.integers(0, 4)), width), elements=some))
    bands = data.draw(st.integers(-(-width // 8), 8 * width))
    depth = data.draw(st.integers(1, 14))
    found = BandTable(codes, bands).nearest(queries, depth)
    for row, query in enumerate(queries):
        expected, compared = slow(codes, query, bands, depth)
        rest = min(depth, len(codes)) - len(expected)
        assert found.compared[row] == compared
        assert found.nearest.codes[row].tolist() == [number for _, number in expected] + [NOTHING] * rest
        assert found.nearest.distances[row].tolist() == (
            [distance for distance, _ in expected] + [8 * width + 1] * rest
        )


def test_as_many_bands_as_bits_find_all_but_the_opposite():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (300, 4), dtype=np.uint8)
    exact = CodeTable(codes).nearest(codes[:20], 10)
    found = BandTable(codes, 32).nearest(codes[:20], 10)
    assert found.nearest.codes.tolist() == exact.codes.tolist()
    assert recall_of(exact, found.nearest) == (200, 200)


def test_codes_in_several_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (100, 3), dtype=np.uint8)
    whole = BandTable(codes, 3).nearest(codes, 5)
    monkeypatch.setattr("textkin.vectors.join.hamming._CODES_AT_ONCE", 7)
    parts = BandTable(codes, 3).nearest(codes, 5)
    assert np.array_equal(whole.nearest.codes, parts.nearest.codes)


@pytest.mark.parametrize("bits", [8, 64, 72, 256])
def test_widths_differ_by_a_bit_at_most(bits):
    for bands in range(-(-bits // 64), bits + 1):
        widths = np.diff([0, *band_ends(bits, bands)])
        assert widths.sum() == bits and widths.max() - widths.min() <= 1 and widths.min() >= 1


def test_what_is_refused():
    codes = np.zeros((3, 32), np.uint8)
    for bands in (0, 3, 257, -1):
        with pytest.raises(UsageError) as error:
            BandTable(codes, bands)
        assert error.value.params == ("bands",)
    with pytest.raises(UsageError) as error:
        BandTable(codes, 4).nearest(codes, 0)
    assert (error.value.params, error.value.value) == (("depth",), 0)
    with pytest.raises(DataError) as error:
        BandTable(codes, 4).nearest(np.zeros((1, 8), np.uint8), 1)
    assert error.value.value == (64, 256)
    with pytest.raises(DataError) as error:
        BandTable(codes, 4).nearest(np.zeros((1, 32)), 1)
    assert error.value.value == ((1, 32), np.float64)


def test_no_codes_and_no_queries():
    none = np.zeros((0, 4), np.uint8)
    assert BandTable(none, 2).nearest(np.zeros((3, 4), np.uint8), 2).nearest.codes.shape == (3, 0)
    assert BandTable(np.zeros((3, 4), np.uint8), 2).nearest(none, 2).compared.shape == (0,)


def test_the_chance_is_one_minus_that_of_no_band():
    ends = band_ends(10, 3)  # widths 3, 3, 4
    p = 1 - math.acos(0.8) / math.pi
    assert chance_at(0.8, ends) == pytest.approx(1 - (1 - p**3) ** 2 * (1 - p**4))
    assert chance_at(1.0, ends) == 1 and chance_at(1.0000001, ends) == 1
    assert share_a_band(np.array([0.0, 1.0]), ends).tolist() == [0.0, 1.0]


@pytest.mark.slow
def test_pairs_share_a_band_as_often_as_the_formula_says():
    """Pairs of vectors at one angle, under many draws of hyperplanes."""
    cosine, bands, bits = 0.8, 8, 64
    pair = np.array([[1.0, 0.0], [cosine, math.sqrt(1 - cosine**2)]])
    hits = [
        BandTable(codes[:1], bands).nearest(codes[1:], 1).compared[0]
        for codes in (codes_of_vectors(pair, bits=bits, seed=seed) for seed in range(400))
    ]
    expected = chance_at(cosine, band_ends(bits, bands))
    error = math.sqrt(expected * (1 - expected) / len(hits))
    assert abs(np.mean(hits) - expected) < 4 * error


def test_recall_counts_any_of_equals():
    exact = NearestCodes(np.array([[0, 1]]), np.array([[1, 3]], np.uint16))
    other = NearestCodes(np.array([[7, 9]]), np.array([[3, 4]], np.uint16))
    assert recall_of(exact, other) == (1, 2)
    nothing = NearestCodes(np.zeros((2, 0), np.int64), np.zeros((2, 0), np.uint16))
    assert recall_of(nothing, nothing) == (0, 0)
