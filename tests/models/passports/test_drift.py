"""The drift between two models, against cosines computed one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from textkin.base.errors import ModelError
from textkin.models.passports.drift import DriftRule, drift

ROWS = arrays(np.float32, (4, 3), elements=st.floats(-8, 8, width=16))
VECTORS = DriftRule.of_vectors(is_table=False)


def cosine(a, b) -> float:
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    if lengths == 0:
        return 1.0 if not any(a) and not any(b) else 0.0
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths


@given(ROWS, ROWS)
def test_cosines_and_lengths(ours, theirs):
    found = drift(VECTORS, ours, theirs)
    cosines = [cosine(a, b) for a, b in zip(ours.tolist(), theirs.tolist(), strict=True)]
    assert found.worst == pytest.approx(min(cosines), abs=1e-9)
    assert cosines[found.worst_at] == pytest.approx(min(cosines), abs=1e-9)
    assert found.mean == pytest.approx(sum(cosines) / 4, abs=1e-9)
    lengths = [(math.hypot(*a), math.hypot(*b)) for a, b in zip(ours.tolist(), theirs.tolist(), strict=True)]
    assert found.length == pytest.approx(max(abs(x - y) / (x or 1) for x, y in lengths), abs=1e-9)
    assert found.accepted == (found.worst >= 0.9995 and found.length <= 0.01)


def test_scores_are_compared_by_how_much_they_differ_from_each_other():
    scores = np.array([[-2.0], [0.0], [2.0]], dtype=np.float32)
    rule = DriftRule.of_scores(scores)
    assert rule.bound == pytest.approx(0.05 * math.sqrt(8 / 3))
    assert drift(rule, scores, scores + np.float32(0.9 * rule.bound)).accepted
    found = drift(rule, scores, scores + np.array([[0], [0], [1.1 * rule.bound]], dtype=np.float32))
    assert not found.accepted and found.worst_at == 2 and found.worst == pytest.approx(1.1 * rule.bound)
    assert DriftRule.of_scores(np.ones((3, 1), dtype=np.float32)).bound == 1e-6


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("rule", [VECTORS, DriftRule("difference", 1e9)])
def test_what_is_not_finite_is_another_model(bad, rule):
    rows = np.eye(3, dtype=np.float32)
    theirs = rows.copy()
    theirs[1, 1] = bad
    found = drift(rule, rows, theirs)
    assert not found.accepted and not found.is_rounding and found.worst_at == 1


def test_other_shapes():
    with pytest.raises(ModelError, match=r"shape \[3, 2\], the passport has \[3, 3\]"):
        drift(VECTORS, np.eye(3, dtype=np.float32), np.ones((3, 2), dtype=np.float32))


def test_a_table_is_held_to_a_closer_bound_than_a_network():
    rows = np.eye(2, dtype=np.float32)
    off = rows + np.float32(0.01) * rows[::-1]  # a cosine of 0.99995
    assert drift(VECTORS, rows, off).accepted
    assert not drift(DriftRule.of_vectors(is_table=True), rows, off).accepted


def test_rules_from_files(tmp_path):
    for rule in (VECTORS, DriftRule.of_scores(np.eye(2, dtype=np.float32))):
        assert DriftRule.from_dict(rule.to_dict(), tmp_path) == rule
    with pytest.raises(ModelError) as error:
        DriftRule.from_dict({"measure": "angle"}, tmp_path)
    assert (error.value.params, error.value.value) == (("measure",), "angle")
    with pytest.raises(ModelError) as error:
        DriftRule.from_dict({"measure": "cosine", "bound": "1"}, tmp_path)
    assert (error.value.params, error.value.value) == (("bound",), "1")
