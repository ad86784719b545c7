"""Average precision of many rounds, compared with its definition and with two weightings for a swap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight

pairs = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), st.sampled_from([0.0, 1.0, 2.0])
    ),
    min_size=1,
    max_size=25,
)
rounds = st.integers(1, 40)
seeds = st.integers(0, 99)


def by_definition(labels, scores, weights):
    """The precision at each score level, weighted by the fraction of positives that it adds."""
    total, area = (weights * labels).sum(), 0.0
    for level in np.unique(scores[scores > -np.inf]):
        at, above = scores == level, scores >= level
        gained, taken = (weights * labels)[at].sum(), weights[above].sum()
        area += gained / total * (weights * labels)[above].sum() / taken if gained else 0.0
    return area


@given(pairs, rounds, seeds, st.booleans())
def test_weighings_give_what_the_definition_gives(given_, count, seed, with_missing):
    labels, scores, _ = (np.array(column, dtype=float) for column in zip(*given_, strict=True))
    if with_missing:
        scores[scores < 0] = -np.inf
    weights = np.random.default_rng(seed).integers(0, 4, size=(len(labels), count)).astype(float)
    found = average_precision_by_weight(labels, scores)(weights)
    for column, value in enumerate(found):
        if (weights[:, column] * labels).any():
            assert value == pytest.approx(by_definition(labels, scores, weights[:, column]), abs=1e-12)
        else:
            assert np.isnan(value)


@given(pairs, rounds, seeds)
def test_swaps_give_what_two_weighings_of_both_scores_give(given_, count, seed):
    labels, a, b = (np.array(column, dtype=float) for column in zip(*given_, strict=True))
    draws = np.random.default_rng(seed)
    units = draws.integers(0, 6, size=len(labels))
    swapped = draws.integers(0, 2, size=(6, count)).astype(float)
    found = average_precision_by_weight.by_swap(labels, a, b, units)(swapped)
    for column, value in enumerate(found):
        moved = swapped[units, column] == 1
        sides = [np.where(moved, b, a), np.where(moved, a, b)]
        if labels.any():
            first, second = (by_definition(labels, side, np.ones(len(labels))) for side in sides)
            assert value == pytest.approx(first - second, abs=1e-12)
        else:
            assert np.isnan(value)


def test_labels_of_other_values_are_refused():
    with pytest.raises(DataError) as error:
        average_precision_by_weight(np.array([0.5, 1.0]), np.array([0.1, 0.2]))
    assert (error.value.params, error.value.value) == (("label",), 0.5)
