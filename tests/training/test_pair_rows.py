"""Pairs with their labels."""

import numpy as np
import torch

from tests.training.making import LOGISTIC
from tests.training.rows import prepared


def vectors(tower, batch):
    with torch.no_grad():
        return tower(batch)


def test_every_pair_comes_with_its_label():
    found, tower = prepared({**LOGISTIC, "score_shift": 0.25, "repeats": 2})
    drawn = list(found.batches(0, tower))
    rows = np.concatenate([part.rows for part in drawn])
    assert sorted(rows) == sorted([*range(71)] * 2)
    assert len(drawn) == found.steps == 9
    batch, data = drawn[0].batch, found.data
    assert batch.labels.tolist() == data.labels[drawn[0].rows].tolist()
    a, b = vectors(tower, batch.a), vectors(tower, batch.b)
    logits = 4.0 * ((a * b).sum(dim=1) - 0.25)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)


def test_distances_go_to_losses_over_distances():
    found, tower = prepared({"loss": "contrastive", "rows": "pairs"})
    batch = next(iter(found.batches(0, tower))).batch
    a, b = vectors(tower, batch.a), vectors(tower, batch.b)
    expected = found.criterion(1 - (a * b).sum(dim=1), batch.labels)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)
