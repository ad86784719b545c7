"""Losses on pairs and rows of scores: contrastive, online contrastive, hinges, logistic, mean square."""

import numpy as np
import pytest
import torch

from tests.reference import losses as reference
from textkin.errors import UsageError
from textkin.losses.categorical_hinge import categorical_hinge
from textkin.losses.contrastive import contrastive
from textkin.losses.hinge import hinge
from textkin.losses.logistic import logistic
from textkin.losses.margin_mean_square import margin_mean_square
from textkin.losses.mean_square import mean_square
from textkin.losses.online_contrastive import online_contrastive
from textkin.losses.rank_hinge import rank_hinge

ON_PAIRS = [
    (contrastive, reference.contrastive, {"margin": 0.5}),
    (contrastive, reference.contrastive, {"margin": 1.5}),
    (hinge, reference.hinge, {"margin": 1.0}),
    (hinge, reference.hinge, {"margin": 0.3}),
    (logistic, reference.logistic, {}),
    (mean_square, reference.mean_square, {}),
]
LOSSES = [contrastive, online_contrastive, hinge, logistic, mean_square]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def data(seed, low, high):
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 12))
    values = random.uniform(low, high, size)
    return values.round(1) if seed % 2 else values, random.integers(0, 2, size)


@pytest.mark.parametrize(("loss", "oracle", "options"), ON_PAIRS)
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_equals_the_loops(loss, oracle, options, reduction):
    for seed in range(8):
        values, labels = data(seed, 0 if loss is contrastive else -3, 2)
        expected = oracle(values.tolist(), labels.tolist(), reduction=reduction, **options)
        for given in (torch.from_numpy(labels), tensor(labels)):
            found = loss(tensor(values), given, reduction=reduction, **options)
            assert float(found) == pytest.approx(expected, abs=1e-12)


def test_contrastive_by_hand():
    found = contrastive(tensor([0.2, 0.1, 0.9]), tensor([1, 0, 0]))
    assert float(found) == pytest.approx((0.5 * 0.04 + 0.5 * 0.16) / 3)


def at_mean(values):
    return len(values) > 0 and (values == values.mean()).any()


def test_online_contrastive_equals_the_published_loops():
    compared = 0
    for seed in range(60):
        distances, labels = data(seed, 0, 1)
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


def test_online_contrastive_by_hand():
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


def test_the_mean_of_the_hinges_in_the_reference():
    # .4, 1.1 and 1.9 have the mean 1.13333
    assert float(hinge(tensor([0.6, 0.1, -0.9]), tensor([1, 0, 1]))) == pytest.approx(3.4 / 3)
    assert float(rank_hinge(tensor([0.8, 0.4, 0.1]), tensor([0.2, 0.5, 1.0]))) == pytest.approx(
        1.13333, abs=5e-6
    )
    # .3 and 1.6 have the mean .95
    scores = tensor([[0.1, 0.8, 0.1], [0.8, 0.0, 0.2]])
    assert float(categorical_hinge(scores, torch.tensor([1, 2]))) == pytest.approx(0.95)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("margin", [1.0, 0.2])
def test_rank_and_categorical_hinge_equal_the_loops(reduction, margin):
    options = {"margin": margin, "reduction": reduction}
    for seed in range(6):
        random = np.random.default_rng(seed)
        positive, several = random.normal(size=6).round(1), random.normal(size=(6, 3)).round(1)
        expected = reference.rank_hinge(positive.tolist(), several.tolist(), **options)
        assert float(rank_hinge(tensor(positive), tensor(several), **options)) == pytest.approx(expected)
        one = reference.rank_hinge(positive.tolist(), several[:, :1].tolist(), **options)
        assert float(rank_hinge(tensor(positive), tensor(several[:, 0]), **options)) == pytest.approx(one)
        labels = random.integers(0, 3, 6)
        expected = reference.categorical_hinge(several.tolist(), labels.tolist(), **options)
        found = categorical_hinge(tensor(several), torch.from_numpy(labels), **options)
        assert float(found) == pytest.approx(expected)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_margins_equal_the_loops(reduction):
    for seed in range(6):
        random = np.random.default_rng(seed)
        positive, negative, margins = (
            random.normal(size=5),
            random.normal(size=(5, 3)),
            random.normal(size=(5, 3)),
        )
        expected = reference.margin_mean_square(
            positive.tolist(), negative.tolist(), margins.tolist(), reduction=reduction
        )
        given = (tensor(positive), tensor(negative), tensor(margins))
        assert float(margin_mean_square(*given, reduction=reduction)) == pytest.approx(expected)
        one = reference.margin_mean_square(
            positive.tolist(), negative[:, :1].tolist(), margins[:, :1].tolist(), reduction=reduction
        )
        given = (tensor(positive), tensor(negative[:, 0]), tensor(margins[:, 0]))
        assert float(margin_mean_square(*given, reduction=reduction)) == pytest.approx(one)
    with pytest.raises(UsageError, match=r"margins \[5, 1\]"):
        margin_mean_square(tensor(positive), tensor(negative), tensor(margins[:, :1]))


def test_no_negatives_and_no_rows_contribute_nothing():
    positive = torch.ones(3, requires_grad=True)
    loss = rank_hinge(positive, torch.zeros(3, 0))
    loss.backward()
    assert float(loss.detach()) == 0
    assert (positive.grad == 0).all()
    assert float(rank_hinge(torch.zeros(0), torch.zeros(0, 2))) == 0
    assert float(categorical_hinge(torch.zeros(0, 2), torch.zeros(0, dtype=torch.int64))) == 0
    for loss in LOSSES:
        assert float(loss(torch.zeros(0), torch.zeros(0))) == 0


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_right_and_order_does_not_matter(loss):
    values = tensor([0.31, 0.12, 0.43, 0.27, 0.84, 0.05]).requires_grad_()
    labels = tensor([1, 0, 1, 0, 0, 1])
    assert torch.autograd.gradcheck(lambda given: loss(given, labels), values)
    order = torch.tensor([4, 2, 5, 0, 1, 3])
    assert float(loss(values[order], labels[order]).detach()) == pytest.approx(
        float(loss(values, labels).detach())
    )


def test_gradients_of_hinges_are_right():
    scores = torch.randn(
        4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True
    )
    labels = torch.tensor([0, 2, 1, 1])
    assert torch.autograd.gradcheck(lambda given: categorical_hinge(given, labels), scores)
    assert torch.autograd.gradcheck(lambda given: rank_hinge(given[:, 0], given[:, 1:]), scores)


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_are_finite_at_the_edges(loss):
    values = torch.tensor([0.0, 0.0, 0.5, 0.5, 1e4, -1e4, 1.0, -1.0], requires_grad=True)
    labels = torch.tensor([1.0, 0, 1, 0, 1, 0, 1, 0])
    value = loss(values, labels)
    value.backward()
    assert value.isfinite()
    assert values.grad.isfinite().all()


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_of_labels_do_not_broadcast(loss):
    with pytest.raises(UsageError, match=r"labels \[3, 1\]; expected the same"):
        loss(torch.zeros(3), torch.zeros(3, 1))


def test_shapes_of_hinges_are_checked():
    for negative in (torch.zeros(2), torch.zeros(2, 3), torch.zeros(3, 1, 1)):
        with pytest.raises(UsageError, match=r"expected \[T\] and"):
            rank_hinge(torch.zeros(3), negative)
    for scores in (torch.zeros(3), torch.zeros(3, 1), torch.zeros(2, 2)):
        with pytest.raises(UsageError, match="C >= 2"):
            categorical_hinge(scores, torch.zeros(3, dtype=torch.int64))
