"""Probabilities shifted to another base rate, and base rates estimated without labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.measures.decisions.base_rate import check_rate, estimated_rate, rate_interval, shifted

RATES = st.floats(0.001, 0.999)


@given(st.floats(0.001, 0.999), RATES, RATES)
def test_shifted_is_bayes_rule_by_the_likelihood_ratio(probability, before, after):
    [found] = shifted(np.array([probability]), before=before, after=after)
    ratio = probability / (1 - probability) * (1 - before) / before
    odds = ratio * after / (1 - after)
    assert found == pytest.approx(odds / (1 + odds))


@given(RATES, RATES)
def test_there_and_back(before, after):
    given_ = np.array([0.0, 0.2, 0.9, 1.0])
    there = shifted(given_, before=before, after=after)
    assert shifted(there, before=after, after=before) == pytest.approx(given_)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.5, 0.1, 0.01])
def test_a_base_rate_is_found_again(rate):
    draws = np.random.default_rng(3)
    texts = 20_000
    known = draws.random(texts) < rate
    scores = draws.normal(np.where(known, 1.0, -1.0), 1.0)
    # Of two normal distributions one apart on either side, the log of the likelihood ratio is 2x.
    at_half = 1 / (1 + np.exp(-2 * scores))
    value, low, high = rate_interval(at_half, before=0.5)
    assert value == estimated_rate(at_half, before=0.5)
    assert low <= known.mean() <= high
    assert high - low < 0.03


@pytest.mark.parametrize("rate", [0.0, 1.0, -1.0, float("nan")])
def test_what_is_no_proportion(rate):
    with pytest.raises(UsageError) as error:
        check_rate(rate)
    assert error.value.params == ("base_rate",)
