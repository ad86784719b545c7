"""Pairs with their labels."""

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from tests.training.making import LOGISTIC, pairs
from tests.training.rows import matched, prepared
from textkin.base.errors import ConfigError
from textkin.data.records import LabelKind, Pair, PairSet

pytestmark = pytest.mark.torch


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


@pytest.mark.parametrize("loss", ["contrastive", "online-contrastive"])
@pytest.mark.parametrize("name", ["cosine", "euclidean", "manhattan"])
def test_the_distance_is_the_one_asked_for(name, loss):
    options = {"loss": loss, "rows": "pairs", "arguments": {"distance": name, "margin": 0.9}}
    found, tower = prepared(options)
    batch = next(iter(found.batches(0, tower))).batch
    sides = vectors(tower, batch.a).tolist(), vectors(tower, batch.b).tolist()
    distances = [reference.distance_of(a, b, name) for a, b in zip(*sides, strict=True)]
    labels = batch.labels.tolist()
    if loss == "contrastive":
        expected = reference.contrastive(distances, labels, margin=0.9, reduction="mean")
    else:
        expected = reference.online_contrastive(distances, labels, margin=0.9, least=1)
    assert found.loss(tower, batch).item() == pytest.approx(expected, rel=1e-4)


def test_a_distance_is_for_losses_over_distances():
    with pytest.raises(ConfigError) as error:
        prepared({"loss": "contrastive", "rows": "pairs", "arguments": {"distance": "chebyshev"}})
    assert (error.value.params, error.value.value) == (("distance",), "chebyshev")
    with pytest.raises(ConfigError) as error:
        prepared({"loss": "logistic", "rows": "pairs", "arguments": {"distance": "cosine"}})
    assert (error.value.params, error.value.value) == (("distance",), None)


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
