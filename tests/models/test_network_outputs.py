import numpy as np
import pytest

from textkin.base.errors import ModelError, UsageError
from textkin.models.network_outputs import finite, log_odds, require_similarity, softmax


def test_numbers_that_are_not_finite_are_refused():
    rows = np.ones((2, 2), dtype=np.float32)
    assert finite(rows, "small") is rows
    rows[1, 0] = np.inf
    with pytest.raises(ModelError) as error:
        finite(rows, "small")
    assert error.value.params == ("small",)


def test_probabilities_and_log_odds_are_of_the_same_outputs():
    outputs = np.array([[1, 3], [900, -900], [0, 0]], dtype=np.float32)
    found = softmax(outputs)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found[0, 1] == pytest.approx(1 / (1 + np.exp(-2)), rel=1e-6)
    assert log_odds(outputs).tolist() == [2, -1800, 0]
    assert softmax(np.empty((0, 3), dtype=np.float32)).shape == (0, 3)


def test_only_one_of_two_classes_is_a_similarity():
    require_similarity(["no", "yes"], "small")
    with pytest.raises(UsageError) as error:
        require_similarity(["a", "b", "c"], "small")
    assert error.value.params == ("model",)
