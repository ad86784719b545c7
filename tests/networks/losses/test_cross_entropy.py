"""Cross-entropy on classes."""

import math

import numpy as np
import pytest
import torch

from tests.networks.losses.making import tensor
from textkin.base.errors import UsageError
from textkin.networks.losses.cross_entropy import cross_entropy

pytestmark = pytest.mark.torch


def loops(scores, labels, smoothing, reduction):
    """-(1 - s) log p(true) - s mean log p, row by row."""
    total = 0.0
    for row, label in zip(scores, labels, strict=True):
        logs = [score - math.log(sum(math.exp(other) for other in row)) for score in row]
        total -= (1 - smoothing) * logs[label] + smoothing * sum(logs) / len(logs)
    return total / len(labels) if reduction == "mean" else total


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_equals_the_loops(smoothing, reduction):
    for seed in range(6):
        random = np.random.default_rng(seed)
        scores, labels = random.normal(size=(6, 3)), random.integers(0, 3, 6)
        expected = loops(scores.tolist(), labels.tolist(), smoothing, reduction)
        found = cross_entropy(
            tensor(scores), torch.from_numpy(labels), smoothing=smoothing, reduction=reduction
        )
        assert float(found) == pytest.approx(expected)


def test_no_rows_contribute_nothing():
    assert float(cross_entropy(torch.zeros(0, 2), torch.zeros(0, dtype=torch.int64))) == 0


@pytest.mark.parametrize("scores", [torch.zeros(3), torch.zeros(3, 1), torch.zeros(2, 2)])
def test_shapes_are_checked(scores):
    with pytest.raises(UsageError) as error:
        cross_entropy(scores, torch.zeros(3, dtype=torch.int64))
    assert error.value.value == {"scores": list(scores.shape), "labels": [3]}
