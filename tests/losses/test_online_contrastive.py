"""Contrastive loss on hard pairs."""

import pytest
import torch

from tests.losses.making import pair_data, tensor
from tests.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.losses.online_contrastive import online_contrastive


class TestOnlineContrastive(PairLossChecks):
    loss = staticmethod(online_contrastive)


def at_mean(values):
    return len(values) > 0 and (values == values.mean()).any()


def test_equals_the_published_loops():
    compared = 0
    for seed in range(60):
        distances, labels = pair_data(seed, 0, 1)
        positives, negatives = distances[labels == 1], distances[labels == 0]
        # Where textkin departs: one class has fewer than two pairs, and one of the other is at its own mean.
        if (len(negatives) < 2 and at_mean(positives)) or (len(positives) < 2 and at_mean(negatives)):
            continue
        compared += 1
        expected = reference.online_contrastive_published(distances.tolist(), labels.tolist(), margin=0.5)
        for reduction, divisor in (("sum", 1), ("mean", len(labels))):
            found = online_contrastive(tensor(distances), torch.from_numpy(labels), reduction=reduction)
            assert float(found) == pytest.approx(expected / divisor, abs=1e-12)
    assert compared > 40


def test_by_hand():
    # Hard: the positive at .4 (behind the negative at .3) and the negative at .3 (before the positive at .4).
    found = online_contrastive(tensor([0.1, 0.4, 0.3, 0.8]), tensor([1, 1, 0, 0]))
    assert float(found) == pytest.approx(0.4**2 + 0.2**2)
    # One negative: positives are compared with their own mean, .2.
    found = online_contrastive(tensor([0.1, 0.3, 0.45]), tensor([1, 1, 0]))
    assert float(found) == pytest.approx(0.3**2)
    # No positive: negatives nearer than their mean, .25.
    assert float(online_contrastive(tensor([0.1, 0.4]), tensor([0, 0]))) == pytest.approx(0.4**2)


def test_a_lone_pair_is_learned_from():
    assert float(online_contrastive(tensor([0.4]), tensor([1]))) == pytest.approx(0.4**2)
    assert float(online_contrastive(tensor([0.4]), tensor([0]))) == pytest.approx(0.1**2)
    assert float(online_contrastive(tensor([0.4, 0.4]), tensor([1, 0]))) == pytest.approx(0.4**2 + 0.1**2)
    assert reference.online_contrastive_published([0.4, 0.4], [1, 0], margin=0.5) == 0
