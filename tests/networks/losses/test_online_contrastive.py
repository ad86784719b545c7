"""Contrastive loss on hard pairs."""

import pytest
import torch

from tests.networks.losses.making import pair_data, tensor
from tests.networks.losses.pair_checks import PairLossChecks
from tests.reference import losses as reference
from textkin.networks.losses.online_contrastive import online_contrastive

pytestmark = pytest.mark.torch


class TestOnlineContrastive(PairLossChecks):
    loss = staticmethod(online_contrastive)


RULES = {"version-6": 1, "version-5": 2}


@pytest.mark.parametrize("rule", RULES)
def test_equals_the_published_loops(rule):
    for seed in range(60):
        distances, labels = pair_data(seed, 0, 1)
        expected = reference.online_contrastive(
            distances.tolist(), labels.tolist(), margin=0.5, least=RULES[rule]
        )
        for reduction, divisor in (("sum", 1), ("mean", len(labels))):
            found = online_contrastive(
                tensor(distances), torch.from_numpy(labels), rule=rule, reduction=reduction
            )
            assert float(found) == pytest.approx(expected / divisor, abs=1e-12)


@pytest.mark.parametrize(("labels", "kind"), [([1, 1, 0], "one"), ([1, 0, 0], "one"), ([1, 1, 1], "none")])
def test_equals_sentence_transformers_where_a_class_has_few_pairs(labels, kind):
    from sentence_transformers.sentence_transformer.losses import OnlineContrastiveLoss

    generator = torch.Generator().manual_seed(len(kind))
    distances = torch.rand(len(labels), generator=generator, dtype=torch.float64)
    published = OnlineContrastiveLoss(torch.nn.Identity(), distance_metric=lambda a, b: a)
    theirs = float(published.compute_loss_from_embeddings([distances, distances], tensor(labels)))
    assert float(online_contrastive(distances, tensor(labels))) == pytest.approx(theirs, abs=1e-12)


def test_by_hand():
    # Hard: the positive at .4 (behind the negative at .3) and the negative at .3 (before the positive at .4).
    found = online_contrastive(tensor([0.1, 0.4, 0.3, 0.8]), tensor([1, 1, 0, 0]))
    assert float(found) == pytest.approx(0.4**2 + 0.2**2)
    # One negative, at .45: no positive is behind it. Up to version 5 they are compared with their mean, .2.
    few = tensor([0.1, 0.3, 0.45]), tensor([1, 1, 0])
    assert float(online_contrastive(*few)) == 0
    assert float(online_contrastive(*few, rule="version-5")) == pytest.approx(0.3**2)
    # No positive: negatives nearer than their mean, .25.
    assert float(online_contrastive(tensor([0.1, 0.4]), tensor([0, 0]))) == pytest.approx(0.4**2)
