import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import squad as slow
from textkin.base.errors import DataError
from textkin.measures.metrics.risk_coverage import risk_area_by_weight, risk_coverage


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.1, 0.2, 0.5, 0.9])), min_size=1, max_size=20))
def test_curves_are_the_slow_ones(rows):
    losses, confidence = (list(side) for side in zip(*rows, strict=True))
    found = risk_coverage(np.array(losses), np.array(confidence))
    points, area = slow.risk_coverage(losses, confidence)
    assert found.coverage.tolist() == pytest.approx([one for one, _ in points])
    assert found.risk.tolist() == pytest.approx([one for _, one in points])
    assert found.area == pytest.approx(area)


def test_the_surest_are_answered_first():
    found = risk_coverage(np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.1, 0.9, 0.5, 0.5]))
    assert found.coverage.tolist() == [0.25, 0.75, 1.0]
    assert found.risk.tolist() == pytest.approx([0.0, 1 / 3, 0.5])
    assert found.area == pytest.approx((0.0 + 2 / 3 + 0.5) / 4)


@pytest.mark.parametrize(
    ("losses", "confidence"), [([], []), ([0.0], [0.1, 0.2]), ([np.nan], [0.1]), ([0.0], [np.inf])]
)
def test_what_has_no_curve(losses, confidence):
    with pytest.raises(DataError):
        risk_coverage(np.array(losses, dtype=np.float64), np.array(confidence, dtype=np.float64))


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.integers(0, 3)),
        min_size=1,
        max_size=12,
    )
)
def test_a_weight_is_a_number_of_equal_questions(rows):
    losses, confidence, weights = (np.array(side, dtype=np.float64) for side in zip(*rows, strict=True))
    weights[0] += 1
    repeats = weights.astype(int)
    area = risk_coverage(np.repeat(losses, repeats), np.repeat(confidence, repeats)).area
    found = risk_area_by_weight(losses, confidence)(np.stack([weights, np.ones(len(losses))], axis=1))
    assert found[0] == pytest.approx(area)
