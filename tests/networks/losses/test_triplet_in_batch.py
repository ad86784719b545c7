"""Triplet loss with negatives from the batch."""

import itertools
import math

import pytest
import torch

from tests.networks.losses.in_batch_checks import InBatchChecks
from tests.networks.losses.making import tensor
from tests.reference import losses as reference
from textkin.networks.losses.triplet_in_batch import triplet_in_batch

pytestmark = pytest.mark.torch

OUTRANKED = [[0.9, -0.8, 0.3, -0.5], [-0.4, 0.5, 0.1, -0.1], [0.3, 0.1, -0.4, -0.8], [-0.5, -0.2, -0.7, 0.5]]
SEPARATED = [[0.9, -0.8, 0.3, -0.5], [-0.8, 0.5, 0.1, -0.2], [0.3, 0.1, 0.7, -0.8], [-0.5, -0.2, -0.8, 1.0]]


class TestTripletInBatch(InBatchChecks):
    loss = staticmethod(triplet_in_batch)
    oracle = staticmethod(reference.triplet_in_batch)
    variants = tuple(
        {"margin": margin, "closest": closest, "reduction": reduction}
        for margin, closest, reduction in itertools.product(
            (0.25, 0.9), ("below-positive", "row-max"), ("mean", "sum")
        )
    )


@pytest.mark.parametrize(
    ("closest", "rows"), [("below-positive", [0, 0, 31 / 60, 0]), ("row-max", [0, 0, 22 / 15, 0])]
)
def test_published_triplet_example_in_which_a_negative_outranks_the_positive(closest, rows):
    for reduction, expected in (("sum", sum(rows)), ("mean", sum(rows) / 4)):
        loss = triplet_in_batch(tensor(OUTRANKED), closest=closest, reduction=reduction)
        assert float(loss) == pytest.approx(expected, abs=1e-12)
    assert sum(rows) == pytest.approx(0.51667 if closest == "below-positive" else 1.46667, abs=5e-6)
    assert sum(rows) / 4 == pytest.approx(0.12917 if closest == "below-positive" else 0.36667, abs=5e-6)


@pytest.mark.parametrize("closest", ["below-positive", "row-max"])
def test_published_triplet_example_in_which_positives_win(closest):
    assert float(triplet_in_batch(tensor(SEPARATED), closest=closest)) == 0


def test_published_triplet_example_of_vectors():
    one = tensor([1.0, 2, 3]) / math.sqrt(14)
    two = tensor([9.0, 10, 11]) / math.sqrt(302)
    similarities = torch.stack((one, -two)) @ torch.stack((one, two)).T
    assert float(triplet_in_batch(similarities, closest="row-max")) == pytest.approx(0.5, abs=1e-12)
