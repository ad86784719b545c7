"""Vectors by spelling: the same everywhere, different for different parts, near for similar spelling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.text.tokenisers import character_ngrams
from textkin.text.unknown_tokens import Unknown
from textkin.text.unknown_vectors import MOST_SPELT, NgramRows, UnknownVectors, fit_ngrams, spelt

WORDS = ["nation", "national", "international", "house", "houses", "housing", "cat", "cats", "winter"]


def rows(dim: int = 8, buckets: int = 64) -> NgramRows:
    return NgramRows(np.random.default_rng(0).normal(size=(buckets, dim)).astype(np.float32), (2, 3))


def test_a_direction_is_the_same_on_every_machine():
    np.testing.assert_allclose(spelt("\u2764", 4), [-0.34338, 0.206259, -0.911725, 0.091134], atol=1e-5)


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8), st.booleans())
def test_different_parts_have_different_vectors(one, other, fitted):
    vectors = UnknownVectors(8, length=2.0, fitted=rows() if fitted else None)
    a, b = vectors.of(one), vectors.of(other)
    assert (one == other) == bool(np.allclose(a, b, atol=1e-4))
    if not fitted:
        assert np.linalg.norm(a) == pytest.approx(2.0, rel=1e-5)


def test_what_is_spelt_alike_is_near():
    whole, near, far = (spelt(word, 128) for word in ("международный", "международная", "кошка"))
    assert whole @ near > 0.5 and abs(whole @ far) < 0.3


def test_a_part_of_many_tokens_is_longer_by_the_root():
    vectors = UnknownVectors(16, length=3.0)
    assert np.linalg.norm(vectors.of("超市什么", 4)) == pytest.approx(6.0, rel=1e-5)
    total = vectors.total(Unknown(("超市", "么"), (2, 1), 5))
    np.testing.assert_allclose(total, vectors.of("超市", 2) + vectors.of("么"), rtol=1e-5)


def test_spelling_fills_up_what_the_fit_leaves_open():
    none = NgramRows(np.zeros((64, 8), dtype=np.float32), (2, 3))
    found = UnknownVectors(8, length=2.0, fitted=none).of("zebra")
    np.testing.assert_allclose(found, UnknownVectors(8, length=2.0).of("zebra"), rtol=1e-5)
    long = NgramRows(100 * rows().matrix, (2, 3))
    found = UnknownVectors(8, length=2.0, fitted=long).of("zebra")
    np.testing.assert_allclose(found - long.of("zebra"), 0.4 * spelt("zebra", 8), atol=1e-4)


def test_the_fit_is_the_ridge_regression_of_its_definition():
    vectors = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)
    found = fit_ngrams(WORDS, vectors, buckets=40, lengths=(2, 4), strength=2.0)
    means = np.zeros((len(WORDS), 40))
    for row, word in enumerate(WORDS):
        grams = character_ngrams(word, 2, 4)
        for bucket in found.buckets(word):
            means[row, bucket] += 1 / len(grams)
    ridge = 2.0 * np.square(means).sum() / 40
    expected = np.linalg.solve(means.T @ means + ridge * np.eye(40), means.T @ vectors)
    np.testing.assert_allclose(found.matrix, expected, atol=1e-3)


@pytest.mark.slow
def test_an_unknown_word_is_near_the_known_ones_that_it_is_spelt_like():
    vectors = np.eye(len(WORDS), 32, dtype=np.float32)
    vectors[1:3] += vectors[0]  # nation, national, international mean nearly the same
    vectors[4:6] += vectors[3]
    fitted = fit_ngrams(WORDS, vectors, buckets=4096, strength=0.1)
    found = UnknownVectors(32, length=1.0, fitted=fitted).of("nationalen")
    cosines = vectors @ found / np.linalg.norm(vectors, axis=1)
    assert {WORDS[place] for place in np.argsort(-cosines)[:3]} == {"nation", "national", "international"}


def test_a_word_without_n_grams_has_no_fitted_vector():
    assert not rows().of("").any()


def test_nothing_to_fit_is_an_error():
    with pytest.raises(UsageError, match="0 words and 4 rows"):
        fit_ngrams([], np.empty((0, 2), dtype=np.float32), buckets=4)


def test_parts_are_remembered_and_forgotten_without_a_trace(monkeypatch):
    monkeypatch.setattr("textkin.text.unknown_vectors._MOST", 3)
    vectors = UnknownVectors(8, length=2.0, fitted=rows())
    for part in ["zebra", "超市", "α-β", "zebra", "ζ", "超市", "zebra"]:
        found = vectors.of(part, 2)
        assert found is vectors.of(part, 2)
        assert np.array_equal(found, UnknownVectors(8, length=2.0, fitted=rows()).of(part, 2))
        assert not np.array_equal(found, vectors.of(part))
    with pytest.raises(ValueError, match="read-only"):
        found += 1


@pytest.mark.slow
def test_of_an_endless_part_the_beginning_is_spelt_out(monkeypatch):
    read: list[str] = []

    def ngrams(word, low, high):
        read.append(word)
        return character_ngrams(word, low, high)

    monkeypatch.setattr("textkin.text.unknown_vectors.character_ngrams", ngrams)
    one, other = (UnknownVectors(8, length=2.0, fitted=rows()).of("ab12c" * 20_000 + end) for end in "xy")
    assert {len(word) for word in read} == {MOST_SPELT} and len(read) == 4
    assert not np.array_equal(one, other) and one == pytest.approx(other, abs=1e-3)


def test_a_very_long_part_has_the_vector_that_its_n_grams_give(monkeypatch):
    part = "ab12c" * 40
    plain = UnknownVectors(8, length=2.0, fitted=rows()).of(part, 3)
    monkeypatch.setattr("textkin.text.unknown_vectors._LONG", 100)
    assert UnknownVectors(8, length=2.0, fitted=rows()).of(part, 3) == pytest.approx(plain, rel=1e-5)
