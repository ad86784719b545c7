"""The measured quality of codes, against loops over the definitions."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import spearmanr

from textkin.kinds.code_fidelity import LEVELS, fidelity
from textkin.vectors.text_codes import codes_of_vectors


@pytest.fixture(scope="module")
def units():
    rng = np.random.default_rng(3)
    centres = rng.standard_normal((30, 6)).repeat(5, axis=0)
    vectors = centres + 0.4 * rng.standard_normal(centres.shape)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def slow(codes, units, queries, shortlist):
    cosines, bits = (units @ units.T).astype(np.float64), 8 * codes.shape[1]
    distances = [
        [sum(int(x ^ y).bit_count() for x, y in zip(a, b, strict=True)) for b in codes] for a in codes
    ]
    found, short, pairs, within = [], [], {level: [] for level in LEVELS}, []
    for query in queries:
        others = [one for one in range(len(codes)) if one != query]
        exact = set(sorted(others, key=lambda one: -cosines[query][one])[:10])
        by_code = sorted(others, key=lambda one: (distances[query][one], one))
        found.append(len(exact.intersection(by_code[:10])) / 10)
        short.append(len(exact.intersection(by_code[:shortlist])) / 10)
        within += [distances[query][one] for one in others]
        for level in LEVELS:
            pairs[level] += [distances[query][one] for one in others if cosines[query][one] >= level]
    return np.mean(found), np.mean(short), pairs, np.array(within), bits


@pytest.mark.slow
@pytest.mark.parametrize("sample", [7, 2000])
@pytest.mark.parametrize("bits", [16, 256])
def test_figures_are_those_of_the_definitions(units, sample, bits, monkeypatch):
    monkeypatch.setattr("textkin.kinds.code_fidelity.SHORTLIST", 30)
    codes = codes_of_vectors(units, bits=bits)
    queries = range(150) if sample == 2000 else [150 * n // 7 for n in range(7)]
    recall, short, pairs, within, _ = slow(codes, units, queries, 30)
    for made_of in (units, csr_array(units)):
        found = fidelity(codes, made_of, sample=sample)
        assert (found.queries, found.against, found.nearest, found.shortlist) == (len(queries), 150, 10, 30)
        assert found.recall == pytest.approx(recall)
        assert found.recall_of_shortlist == pytest.approx(short)
        assert [level.cosine for level in found.levels] == [level for level in LEVELS if pairs[level]]
        for level in found.levels:
            distances = np.sort(pairs[level.cosine])
            assert level.pairs == len(distances)
            assert level.expected == pytest.approx(bits * np.arccos(level.cosine) / np.pi)
            for share, radius in ((0.5, level.median), (0.95, level.radius_95), (0.99, level.radius_99)):
                assert np.mean(distances <= radius) >= share > np.mean(distances <= radius - 1)
            assert level.within == pytest.approx((within <= level.radius_99).sum() / len(queries))


def test_more_bits_say_more(units):
    few, many = (fidelity(codes_of_vectors(units, bits=bits), units, sample=150) for bits in (32, 1024))
    assert few.recall < many.recall and few.error > 2 * many.error and few.spearman < many.spearman
    # The error of an estimate from B independent bits, at an angle of 90 degrees, is pi / 2 / sqrt(B).
    assert many.error < np.pi / 2 / np.sqrt(1024) * 1.2


def test_the_rank_correlation_is_that_of_scipy(units, monkeypatch):
    codes = codes_of_vectors(units, bits=64)
    drawn = []

    def spied(exact, estimates):
        drawn.append((exact, estimates))
        return 0.25

    monkeypatch.setattr("textkin.kinds.code_fidelity.spearman", spied)
    assert fidelity(codes, units, sample=10).spearman == 0.25
    ((exact, estimates),) = drawn
    assert exact.shape == (500,) and spearmanr(exact, estimates).statistic > 0.8
    table = {round(float(cosine), 5) for cosine in (units @ units.T)[np.triu_indices(150, 1)]}
    assert {round(float(cosine), 5) for cosine in exact} <= table  # of pairs, never of a text with itself


def test_equally_similar_texts_count_alike():
    units = np.eye(30, dtype=np.float32)[[0] * 25 + [1] * 5]
    found = fidelity(codes_of_vectors(units, bits=64), units, sample=30)
    assert found.recall == found.recall_of_shortlist == 1
    assert found.spearman == pytest.approx(1)


def test_small_and_odd_sets():
    assert fidelity(np.zeros((1, 1), np.uint8), np.ones((1, 1), np.float32), sample=5) is None
    assert fidelity(np.zeros((0, 1), np.uint8), np.ones((0, 1), np.float32), sample=5) is None
    zeros = fidelity(np.zeros((3, 1), np.uint8), np.zeros((3, 2), np.float32), sample=5)
    assert (zeros.nearest, zeros.shortlist, zeros.recall, zeros.levels) == (2, 2, 1, ())
    assert zeros.spearman is None and zeros.error == 1
