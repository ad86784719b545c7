import numpy as np
import pytest

from textkin.data.records import LabelKind
from textkin.kinds.pair_figures import TestSet, at_threshold
from textkin.measures.intervals.proportions import clustered_share
from textkin.measures.intervals.sampling import Sampling

FEW = Sampling(resamples=50)
PAIRS = TestSet(np.array([1.0, 1, 0, 1, 0, 0]), np.array([0, 0, 1, 2, 3, 4]), LabelKind.BINARY)
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])


def test_figures_at_a_threshold():
    found = at_threshold(PAIRS, SCORES, 0.65, sampling=FEW)
    values = {name: figure.value for name, figure in found.items()}
    assert values == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "F1": 2 / 3, "accuracy": 4 / 6})
    # Among predicted positives, and among actual positives.
    assert found["precision"] == clustered_share(np.array([True, True, False]), np.array([0, 0, 1]))
    assert found["recall"] == clustered_share(np.array([True, True, False]), np.array([0, 0, 2]))
    assert all(figure.low < figure.value < figure.high for figure in found.values())


def test_of_right_pairs_only_the_interval_does_not_say_that_none_is_wrong():
    found = at_threshold(PAIRS, SCORES, 0.75, sampling=FEW)["precision"]
    assert (found.value, found.low, found.high, found.n) == (1.0, 0.0, 1.0, 1)


def test_there_is_no_precision_where_nothing_is_called_the_same():
    found = at_threshold(PAIRS, SCORES, 0.95, sampling=FEW)
    assert list(found) == ["recall", "F1", "accuracy"]
    assert found["recall"].value == 0 < found["recall"].high
