from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from textkin.base.errors import ModelError, UsageError
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.combination import (
    KNOTS,
    CombinedBy,
    Linear,
    Probabilities,
    Quantiles,
    Ranks,
    combination_from_dict,
    weights_of,
)
from textkin.measures.decisions.reciprocal_ranks import ReciprocalRanks

ALL = (
    Linear((1.0, 0.5), (2.0, 0.1), (0.25, -0.75), intercept=0.5),
    Linear((0.0, 0.0), (1.0, 1.0), (1.0, 1.0), logs=True),
    Ranks(2),
    Ranks(2, (Quantiles((0.0, 1.0), (0.25, 0.75)), Quantiles((0.0,), (0.5,)))),
    Probabilities((0.5, 0.5)),
    Probabilities((0.25, 0.75), curves=(Platt(2.0, -1.0), Platt(0.5, 0.0))),
    Probabilities((0.5, 0.5), slopes=(2.0, 0.1)),
    ReciprocalRanks(2),
)
VALUES = np.array([[0.5, 0.1], [0.2, 0.7], [0.9, 0.7], [0.5, 0.1]])
QUESTIONS = np.array([0, 0, 1, 1])


def test_a_linear_combination_by_hand():
    found = ALL[0].combine(VALUES)
    assert found[0] == pytest.approx(0.5 + 0.25 * (0.5 - 1) / 2 - 0.75 * (0.1 - 0.5) / 0.1)
    logs = ALL[1].combine(np.array([[0.5, 0.0]]))
    assert logs[0] == pytest.approx(np.log(0.5) + np.log(1e-4))


def test_probabilities_by_hand():
    assert ALL[4].combine(VALUES)[1] == pytest.approx(0.45)
    expected = 0.25 * expit(2 * 0.2 - 1) + 0.75 * expit(0.5 * 0.7)
    assert ALL[5].combine(VALUES)[1] == pytest.approx(expected)
    shared = ALL[6].combine(VALUES, QUESTIONS)
    assert shared[:2].sum() == pytest.approx(1) and shared[2:].sum() == pytest.approx(1)


@pytest.mark.parametrize("one", ALL)
def test_what_stands_alone_does_not_depend_on_the_rows_beside_it(one):
    whole = one.combine(VALUES, QUESTIONS)
    if one.needs_questions:
        parts = [one.combine(VALUES[part], QUESTIONS[part]) for part in (slice(2), slice(2, 4))]
        with pytest.raises(UsageError, match="none are given"):
            one.combine(VALUES)
    else:
        parts = [one.combine(VALUES[[row]]) for row in range(4)]
        assert whole[0] == whole[3], "equal rows tie"
    assert whole.tolist() == np.concatenate(parts).tolist()


@pytest.mark.parametrize("one", [one for one in ALL if not isinstance(one, ReciprocalRanks)])
def test_what_a_member_did_not_find_counts_as_its_lowest(one):
    lacking = np.array([[0.5, np.nan], [0.2, 0.7], [np.nan, 0.7], [0.5, 0.1]])
    filled = np.array([[0.5, 0.7], [0.2, 0.7], [0.5, 0.7], [0.5, 0.1]])
    assert one.combine(lacking, QUESTIONS).tolist() == one.combine(filled, QUESTIONS).tolist()


@pytest.mark.parametrize("one", ALL)
def test_there_and_back(one):
    assert combination_from_dict(json.loads(json.dumps(one.to_dict())), members=2) == one
    with pytest.raises(ModelError, match="3 members"):
        combination_from_dict(one.to_dict(), members=3)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"by": "magic"},
        ALL[0].to_dict() | {"scales": [0.0, 1.0]},
        ALL[0].to_dict() | {"weights": [float("nan"), 1.0]},
        ALL[0].to_dict() | {"weights": "ab"},
        ALL[3].to_dict() | {"quantiles": [{"scores": [1.0, 0.0], "shares": [0.0, 1.0]}] * 2},
        ALL[5].to_dict() | {"curves": [{"method": "isotonic", "scores": [0], "probabilities": [1]}] * 2},
        ALL[6].to_dict() | {"slopes": [1.0]},
    ],
)
def test_damaged_combinations_are_refused(values):
    with pytest.raises(ModelError, match="combination"):
        combination_from_dict(values, members=2)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.integers(-6, 6))
def test_quantiles_are_shares_of_dev_scores(scores, asked):
    dev = np.array(scores, dtype=float)
    found = float(Quantiles.of(dev).share(np.array([asked], dtype=float))[0])
    below, above = dev[dev < asked], dev[dev > asked]
    if asked in scores:
        assert found == pytest.approx((len(below) + np.sum(dev == asked) / 2) / len(dev))
    elif not len(below) or not len(above):  # beyond all of them: as the last one
        last = above.min() if len(above) else below.max()
        others = 0 if len(above) else np.sum(below < last)
        assert found == pytest.approx((others + np.sum(dev == last) / 2) / len(dev))
    else:
        assert np.sum(dev < below.max()) / len(dev) < found < np.sum(dev <= above.min()) / len(dev)


def test_of_many_scores_some_quantiles_are_kept():
    dev = np.random.default_rng(0).normal(size=5000)
    kept = Quantiles.of(dev)
    assert len(kept.scores) <= KNOTS
    shares = kept.share(np.array([-10.0, 0.0, 10.0]))
    assert shares == pytest.approx([0, np.mean(dev < 0), 1], abs=2e-3)


def test_weights_and_words():
    assert weights_of(ALL[2]) == (0.5, 0.5) and weights_of(ALL[0]) == (0.25, -0.75)
    assert CombinedBy.of("mean") is CombinedBy.MEAN
    with pytest.raises(UsageError) as error:
        CombinedBy.of("means")
    assert error.value.params == ("combine",)
