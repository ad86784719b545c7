"""Triplets of the groups of a batch."""

import itertools

import pytest
import torch

from tests.networks.losses.making import vectors
from tests.reference import losses as reference
from textkin.base.errors import UsageError
from textkin.networks.losses.grouped_triplet import batch_all_triplet, batch_hard_triplet

pytestmark = pytest.mark.torch

GROUPS = [3, 1, 3, 0, 1, 7, 3]  # two texts are alone


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_triplets_of_groups_equal_the_loops(hard, soft, measure, reduction):
    loss = batch_hard_triplet if hard else batch_all_triplet
    for seed, margin in itertools.product(range(6), (0.25, 2.0)):
        (made,) = vectors(seed, count=1)
        options = {"margin": margin, "soft": soft, "measure": measure, "reduction": reduction}
        expected = reference.grouped_triplets(made.tolist(), GROUPS, hard=hard, **options)
        found = loss(torch.from_numpy(made), torch.tensor(GROUPS), **options)
        assert float(found) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("hard", [False, True])
def test_what_holds_if_nothing_else_is_said(hard):
    loss = batch_hard_triplet if hard else batch_all_triplet
    (made,) = vectors(1, count=1)
    options = {"margin": 0.25, "soft": False, "measure": "cosine", "reduction": "mean"}
    expected = reference.grouped_triplets(made.tolist(), GROUPS, hard=hard, **options)
    assert expected > 0
    assert float(loss(torch.from_numpy(made), torch.tensor(GROUPS))) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("loss", [batch_all_triplet, batch_hard_triplet])
@pytest.mark.parametrize("groups", [[], [1], [1, 1, 1], [1, 2, 3]])
def test_groups_without_triplets_give_zero_and_no_gradient(loss, groups):
    given = torch.randn(len(groups), 4, requires_grad=True)
    value = loss(given, torch.tensor(groups, dtype=torch.int64))
    value.backward()
    assert float(value.detach()) == 0
    assert (given.grad == 0).all()


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
def test_equal_texts_of_a_group_have_finite_gradients(measure):
    given = torch.tensor([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [1.0, 2.0]], requires_grad=True)
    for loss in (batch_all_triplet, batch_hard_triplet):
        loss(given, torch.tensor([0, 0, 1, 1]), measure=measure).backward()
    assert given.grad.isfinite().all()


@pytest.mark.parametrize("loss", [batch_all_triplet, batch_hard_triplet])
@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
@pytest.mark.parametrize("soft", [False, True])
def test_gradients_are_right(loss, measure, soft):
    generator = torch.Generator().manual_seed(3)
    rows = torch.randn(5, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    groups = torch.tensor([0, 1, 0, 1, 2])
    assert torch.autograd.gradcheck(lambda given: loss(given, groups, measure=measure, soft=soft), rows)


def test_shapes_are_checked():
    with pytest.raises(UsageError) as error:
        batch_all_triplet(torch.zeros(2, 3), torch.zeros(3))
    assert error.value.value == {"vectors": [2, 3], "groups": [3]}
