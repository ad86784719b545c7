"""Pairs with their labels."""

import numpy as np
import torch

from tests.training.making import LOGISTIC, pairs
from tests.training.rows import matched, prepared
from textkin.records import LabelKind, Pair, PairSet


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


def test_vectors_go_to_losses_over_vectors():
    found, tower = prepared({"loss": "angle", "rows": "pairs"})
    batch = next(iter(found.batches(0, tower))).batch
    expected = found.criterion(vectors(tower, batch.a), vectors(tower, batch.b), batch.labels)
    torch.testing.assert_close(found.loss(tower, batch).detach(), expected)


def test_a_matcher_gives_the_scores_of_pairs():
    found, model = matched(LOGISTIC, pairs())
    drawn = next(iter(found.batches(0, model)))
    scores = model(drawn.batch.a, drawn.batch.b)[:, 0]
    assert drawn.batch.labels.tolist() == found.data.labels[drawn.rows].tolist()
    expected = torch.nn.functional.binary_cross_entropy_with_logits(scores, drawn.batch.labels)
    torch.testing.assert_close(found.loss(model, drawn.batch), expected)


def test_a_matcher_gives_the_scores_of_classes():
    made = tuple(Pair(f"text {at}", f"other {at}", float(at % 3)) for at in range(20))
    data = PairSet(made, LabelKind.CLASSES, ("contradiction", "entailment", "neutral"))
    found, model = matched({"loss": "cross-entropy", "rows": "pairs", "batch_size": 8}, data, outputs=3)
    with torch.no_grad():
        model.scale.copy_(torch.tensor([0.01, -0.02, 0.005]))
    drawn = next(iter(found.batches(0, model)))
    labels = torch.from_numpy(drawn.rows) % 3
    assert drawn.batch.labels.tolist() == labels.tolist()
    expected = torch.nn.functional.cross_entropy(model(drawn.batch.a, drawn.batch.b), labels)
    torch.testing.assert_close(found.loss(model, drawn.batch), expected)
